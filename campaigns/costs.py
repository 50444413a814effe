"""What was used and what it cost: sums over lanes, by the prices their run started with, and the caps on them.

A cap stops a run where a sum has reached it: what is in flight then is still paid for and kept. Months are calendar
months in UTC. What a run used counts in the month it was used in: all of it in the month the run was started in, and
in a later one what a lane has used since that month began. For the latter it is written beside the run's plan, at the
first claim or beat of a lane in a month, what it had used before; until then its recorded exchanges tell.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeAlias

from django.db.models import Count, Exists, OuterRef, Q, Sum

from campaigns.actions import plans
from campaigns.models import Campaign, Exchange, LaneRun, Run

if TYPE_CHECKING:
    from django.db.models import QuerySet

MICROS = 1_000_000
TOKENS = ("prompt_tokens", "cached_tokens", "completion_tokens")
NOTHING = (0, 0, 0, 0)
Counts: TypeAlias = "tuple[int, int, int, int]"  # calls, then TOKENS


@dataclass(slots=True)
class Used:
    """`costs` are millionths by currency; `unpriced` counts the calls of profiles without a price table."""

    runs: set[int] = field(default_factory=set)
    calls: int = 0
    prompt: int = 0
    cached: int = 0
    completion: int = 0
    unpriced: int = 0
    costs: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))

    @property
    def tokens(self) -> int:
        return self.prompt + self.completion

    @property
    def money(self) -> str:
        """The sums by currency, such as `1.20 EUR`; a remark where nothing has a price."""
        sums = [f"{micros / MICROS:,.2f} {currency}" for currency, micros in sorted(self.costs.items())]
        return " + ".join(sums) or "none priced"

    def join(self, other: Used) -> None:
        """Take in another sum."""
        self.runs |= other.runs
        for name in ("calls", "prompt", "cached", "completion", "unpriced"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for currency, micros in other.costs.items():
            self.costs[currency] += micros

    def add(self, lane: LaneUse) -> None:
        self.runs.add(lane.run)
        self.calls += lane.calls
        self.prompt += lane.prompt
        self.cached += lane.cached
        self.completion += lane.completion
        prices = lane.planned.prices if lane.planned else None
        if prices is None:
            self.unpriced += lane.calls
        else:
            self.costs[prices.currency] += prices.micros(
                prompt=lane.prompt, cached=lane.cached, completion=lane.completion
            )


@dataclass(frozen=True, slots=True)
class LaneUse:
    """What one lane of a run has used so far."""

    run: int
    key: str
    planned: plans.PlannedLane | None
    calls: int
    prompt: int
    cached: int
    completion: int


def uses(lanes: QuerySet[LaneRun]) -> list[LaneUse]:
    """Return what each of the lanes has used, in two queries."""
    rows = list(lanes.values_list("run_id", "key", "calls", *TOKENS))
    plans_of = dict(Run.objects.filter(pk__in={run for run, *_ in rows}).values_list("pk", "plan"))
    planned = {run: plans.from_json(plan) for run, plan in plans_of.items()}
    return [LaneUse(run, key, planned.get(run, {}).get(key), *counts) for run, key, *counts in rows]


def used_by(lanes: QuerySet[LaneRun]) -> Used:
    """Return the sum over the lanes."""
    total = Used()
    for use in uses(lanes):
        total.add(use)
    return total


def of_lanes(plan: Mapping[str, Any], lanes: Iterable[LaneRun]) -> dict[str, float]:
    """Return what the lanes of a run have cost by currency, from rows that were read already."""
    planned, total = plans.from_json(plan), Used()
    for lane in lanes:
        counts = (lane.calls, lane.prompt_tokens, lane.cached_tokens, lane.completion_tokens)
        total.add(LaneUse(lane.run_id, lane.key, planned.get(lane.key), *counts))
    return {currency: micros / MICROS for currency, micros in total.costs.items()}


def begin_of_month(at: datetime) -> datetime:
    """Return the first moment of the month."""
    return at.replace(day=1, hour=0, minute=0, second=0, microsecond=0)


def month_of(campaign: Campaign, at: datetime) -> QuerySet[LaneRun]:
    """Return the campaign's lanes that may have used something in that month: begun in it, or not ended before it."""
    begin = begin_of_month(at)
    touched = Q(run__created_at__gte=begin) | Q(finished_at__gte=begin) | Q(finished_at=None)
    return LaneRun.objects.filter(touched, run__session__campaign=campaign, run__created_at__lte=at)


def uses_since(lanes: QuerySet[LaneRun], begin: datetime) -> list[LaneUse]:
    """Return what each of the lanes has used since a month began: in two queries, three where a run is older."""
    rows = list(lanes.values_list("pk", "run_id", "key", "calls", *TOKENS))
    read = Run.objects.filter(pk__in={run for _, run, *_ in rows}).values_list("pk", "created_at", "plan")
    runs = {pk: (created_at, plan) for pk, created_at, plan in read}
    before: dict[int, Counts] = {}
    untold: dict[int, Counts] = {}
    for pk, run, key, *used in rows:
        created_at, plan = runs.get(run, (begin, {}))
        counts = _counts(used)
        if created_at < begin and counts != NOTHING:
            told = _told_before(plan, key, begin)
            if told is None:
                untold[pk] = counts
            else:
                before[pk] = told
    before |= _less_exchanged(untold, begin)
    planned = {run: plans.from_json(plan) for run, (_, plan) in runs.items()}
    return [
        LaneUse(run, key, planned.get(run, {}).get(key), *_less(_counts(used), before.get(pk, NOTHING)))
        for pk, run, key, *used in rows
    ]


def turn_month(*, run: Run, lane_id: int, at: datetime) -> None:
    """Write down, once a month, what the lane of an older run had used before this month; the caller locked the run."""
    begin = begin_of_month(at)
    if run.created_at >= begin:
        return
    [(key, *used)] = LaneRun.objects.filter(pk=lane_id).values_list("key", "calls", *TOKENS)
    if _told_before(run.plan, key, begin) is not None:
        return
    before = _less_exchanged({lane_id: _counts(used)}, begin)[lane_id]
    told = {"month": _name(begin), "used": list(before)}
    run.plan = {**run.plan, "before": {**run.plan.get("before", {}), key: told}}
    run.save(update_fields=("plan",))


def _name(begin: datetime) -> str:
    return f"{begin:%Y-%m}"


def _told_before(plan: Mapping[str, Any], key: str, begin: datetime) -> Counts | None:
    """Return what the lane had used before the month, where the plan tells it."""
    told = plan.get("before", {}).get(key)
    return _counts(told["used"]) if told and told["month"] == _name(begin) else None


def _less_exchanged(lanes: Mapping[int, Counts], begin: datetime) -> dict[int, Counts]:
    """Return what each of the lanes had used before the month: all but what was recorded since it began."""
    if not lanes:
        return {}
    rows = Exchange.objects.filter(lane__in=lanes, created_at__gte=begin).order_by().values_list("lane")
    since = {pk: _counts(used) for pk, *used in rows.annotate(Count("pk"), *(Sum(name, default=0) for name in TOKENS))}
    return {pk: _less(counts, since.get(pk, NOTHING)) for pk, counts in lanes.items()}


def _counts(values: Iterable[int]) -> Counts:
    calls, prompt, cached, completion = values
    return calls, prompt, cached, completion


def _less(counts: Counts, other: Counts) -> Counts:
    return _counts(max(0, have - less) for have, less in zip(counts, other, strict=True))


def has_caps(run: Run) -> bool:
    """Return whether anything limits the run's use; its session and campaign must have been read with it."""
    campaign = run.session.campaign
    caps = (run.token_cap, run.cost_cap, campaign.monthly_token_cap, campaign.monthly_cost_cap)
    return any(cap is not None for cap in caps)


class Tally:
    """What a campaign has used in a month; runs at which nobody works any more are reckoned once."""

    def __init__(self) -> None:
        self._ended: dict[int, Used] = {}
        self._begin: datetime | None = None

    def of(self, campaign: Campaign, at: datetime) -> Used:
        """Return the sum of the month, as the rows stand now."""
        begin, lanes = begin_of_month(at), month_of(campaign, at)
        if begin != self._begin:
            self._begin, self._ended = begin, {}
        # A call of a cancelled run may still be in flight.
        working = Exists(LaneRun.objects.filter(run=OuterRef("pk"), state=LaneRun.State.RUNNING))
        rows = Run.objects.filter(pk__in=lanes.values("run")).order_by().annotate(working=working)
        month = list(rows.values_list("pk", "state", "working"))
        total, fresh = Used(), defaultdict[int, Used](Used)
        for use in uses_since(lanes.exclude(run__in=self._ended), begin):
            fresh[use.run].add(use)
        for run, state, is_working in month:
            used = self._ended.get(run) or fresh[run]
            total.join(used)
            if state not in Run.UNENDED and not is_working:
                self._ended[run] = used
        return total


def cap_reached(run: Run, at: datetime, tally: Tally | None = None) -> bool:
    """Return whether the run, or its campaign in this month, has used as much as it may."""
    own = (run.token_cap, run.cost_cap)
    if any(cap is not None for cap in own) and _reached(used_by(LaneRun.objects.filter(run=run)), *own):
        return True
    return month_reached(run.session.campaign, at, tally)


def month_reached(campaign: Campaign, at: datetime, tally: Tally | None = None) -> bool:
    """Return whether the campaign has used as much in this month as it may."""
    caps = (campaign.monthly_token_cap, campaign.monthly_cost_cap)
    if all(cap is None for cap in caps):
        return False
    return _reached((tally or Tally()).of(campaign, at), *caps)


def _reached(used: Used, tokens: int | None, cost: Decimal | None) -> bool:
    if tokens is not None and used.tokens >= tokens:
        return True
    return cost is not None and any(micros >= cost * MICROS for micros in used.costs.values())
