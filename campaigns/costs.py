"""What was used and what it cost: sums over lanes, by the prices their run started with, and the caps on them.

A cap stops a run where a sum has reached it: what is in flight then is still paid for and kept. Months are calendar
months in UTC, and a lane counts in the month its run was started in.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from campaigns.actions import plans
from campaigns.models import Campaign, LaneRun, Run

if TYPE_CHECKING:
    from django.db.models import QuerySet

MICROS = 1_000_000
TOKENS = ("prompt_tokens", "cached_tokens", "completion_tokens")


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


def month_of(campaign: Campaign, at: datetime) -> QuerySet[LaneRun]:
    """Return the lanes of the campaign's runs of that month."""
    begin = at.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    return LaneRun.objects.filter(run__session__campaign=campaign, run__created_at__gte=begin, run__created_at__lte=at)


def has_caps(run: Run) -> bool:
    """Return whether anything limits the run's use; its session and campaign must have been read with it."""
    campaign = run.session.campaign
    caps = (run.token_cap, run.cost_cap, campaign.monthly_token_cap, campaign.monthly_cost_cap)
    return any(cap is not None for cap in caps)


class Tally:
    """What a campaign has used in a month; runs that have ended are reckoned once."""

    def __init__(self) -> None:
        self._ended: dict[int, Used] = {}

    def of(self, campaign: Campaign, at: datetime) -> Used:
        """Return the sum of the month, as the rows stand now."""
        lanes = month_of(campaign, at)
        month = set(Run.objects.filter(pk__in=lanes.values("run")).values_list("pk", "state"))
        total, fresh = Used(), defaultdict[int, Used](Used)
        for use in uses(lanes.exclude(run__in=self._ended)):
            fresh[use.run].add(use)
        for run, state in month:
            used = self._ended.get(run) or fresh[run]
            total.join(used)
            if state not in Run.UNENDED:
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
