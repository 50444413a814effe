"""What the archive's rows say at this moment of runs, lanes, calls, tokens, queue and workers.

Read in one place for whoever tells it: the metrics and the admin's page give the same numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Min, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from campaigns import queue
from campaigns.actions import pulses
from campaigns.models import LaneRun, Run, WorkerPulse

KINDS = ("prompt", "cached", "completion")


@dataclass(frozen=True, slots=True)
class LaneTotal:
    """What a lane has used in all runs that are kept; `tokens` are by kind."""

    lane: str
    calls: int
    tokens: dict[str, int]


@dataclass(frozen=True, slots=True)
class Now:
    """`runs` and `lanes` count by state, every state named; `queue_age` is in seconds, 0 where no lane waits.

    It is the age of the longest wait for a worker, however often the doorbell rang meanwhile. A wait begins where a
    lane is queued: when its turn comes, its worker gives it back or is gone, or its run is resumed.
    `queue_tasks` is None where the broker does not answer.
    """

    runs: dict[str, int]
    lanes: dict[str, int]
    usage: list[LaneTotal]
    queue_age: float
    queue_tasks: int | None
    supervisors: int

    @property
    def states(self) -> list[tuple[str, int | None, int | None]]:
        """Each state with how many runs and lanes are in it; None where it is none of theirs."""
        names = dict.fromkeys((LaneRun.State.WAITING.value, *self.runs, *self.lanes))
        return [(name, self.runs.get(name), self.lanes.get(name)) for name in names]


def read_now() -> Now:
    """Return the numbers, in a handful of queries."""
    at = timezone.now()
    alive = WorkerPulse.objects.filter(name__startswith=f"{pulses.SUPERVISOR} ", seen_at__gte=at - pulses.ALIVE)
    # The lanes of a paused run wait for a person, not for a worker.
    waiting = LaneRun.objects.filter(state=LaneRun.State.QUEUED, run__state__in=Run.ACTIVE)
    # A lane that was queued by a release before this one has no other time than that of its doorbell.
    since = waiting.aggregate(since=Min(Coalesce("queued_at", "rung_at")))["since"]
    return Now(
        runs=_by_state(Run),
        lanes=_by_state(LaneRun),
        usage=_usage(),
        # Never below zero, whoever set a clock back.
        queue_age=max(0.0, (at - since).total_seconds()) if since else 0.0,
        queue_tasks=_tasks(),
        supervisors=alive.count(),
    )


def _tasks() -> int | None:
    try:
        return queue.undelivered()
    except queue.BrokerAway:
        return None


def _by_state(model: type[Run] | type[LaneRun]) -> dict[str, int]:
    counted = dict(model.objects.order_by().values_list("state").annotate(Count("pk")))
    return {state: counted.get(state, 0) for state in model.State.values}


def _usage() -> list[LaneTotal]:
    sums = {"all_calls": Sum("calls"), **{f"all_{kind}": Sum(f"{kind}_tokens") for kind in KINDS}}
    rows = LaneRun.objects.order_by().values_list("key").annotate(**sums).order_by("key")
    return [LaneTotal(lane, calls, dict(zip(KINDS, counts, strict=True))) for lane, calls, *counts in rows]
