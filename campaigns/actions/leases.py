"""Who works on a lane: claims, leases and fencing.

A claim is one compare-and-set on the lane's row and gives a fresh token. Every later write of the worker goes
through `fence`, which checks that token inside the same transaction: whoever lost the lease can write nothing.
Hosts that share a database need clocks that agree within a few seconds.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F
from django.db.models.expressions import Combinable
from django.utils import timezone

from campaigns import costs, processes
from campaigns.models import CallSeat, Campaign, Delivery, Export, LaneRun, Run
from extraction.codes import Code
from extraction.errors import LeaseLost, RunCancelled

LEASE = timedelta(seconds=30)
BEAT_S = 5.0
MAX_ATTEMPTS = 3
EXHAUSTED = f"The worker died {MAX_ATTEMPTS} times on this lane; it is not tried again."

State = LaneRun.State


@transaction.atomic
def claim(*, lane_id: int, at: datetime) -> str | None:
    """Take the lane if it is free or its lease ran out, and return the token. None: there is nothing to do here."""
    # Run before lane, as everywhere: two transactions that need both never wait for each other.
    run = Run.objects.select_for_update().filter(lanes=lane_id).first()
    if run is None:
        return None
    token = secrets.token_hex(16)
    taken = (
        LaneRun.objects.claimable(at)
        .filter(pk=lane_id, attempts__lt=MAX_ATTEMPTS)
        .update(
            state=State.RUNNING,
            attempts=F("attempts") + 1,
            token=token,
            holder=processes.holder_name(),
            lease_until=at + LEASE,
            started_at=at,
        )
    )
    if not taken:
        return None
    costs.turn_month(run=run, lane_id=lane_id, at=at)
    Run.objects.filter(pk=run.pk, state=Run.State.QUEUED).update(state=Run.State.RUNNING)
    return token


def fence(*, lane_id: int, token: str, **changes: str | int | datetime | Combinable | list[object] | None) -> None:
    """Write to the lane's row and extend the lease; LeaseLost, with nothing written, if the token is not the row's.

    Call it first in the transaction of whatever else is written: on PostgreSQL it locks the row until the end.
    """
    values = {"lease_until": timezone.now() + LEASE, **changes}
    if not LaneRun.objects.held_with(token).filter(pk=lane_id).update(**values):
        raise LeaseLost("Another worker holds this lane now.")


def beat(*, lane_id: int, token: str, **changes: int | Combinable) -> None:
    """Say that the lane is alive. Raises LeaseLost, or RunCancelled when its run was cancelled."""
    fence(lane_id=lane_id, token=token, **changes)
    run = Run.objects.filter(lanes=lane_id).only("state", "created_at").first()
    if run is not None and run.state == Run.State.CANCELLED:
        raise RunCancelled("The run was cancelled.")
    now = timezone.now()
    if run is not None and run.created_at < costs.begin_of_month(now):
        _turn_month(lane_id, now)


@transaction.atomic
def _turn_month(lane_id: int, at: datetime) -> None:
    """Have a lane at which somebody works while the month turns counted in each month by itself."""
    run = Run.objects.select_for_update().filter(lanes=lane_id).first()
    if run is not None:
        costs.turn_month(run=run, lane_id=lane_id, at=at)


@transaction.atomic
def give_back(*, lane_id: int, token: str) -> bool:
    """Put a lane that was stopped on purpose back into the queue, its attempt not counted. False: not ours any more.

    The next sweep rings for it, and its waiting begins anew: until now somebody was at it. In a run that was cancelled
    meanwhile it ends instead: nobody would ring.
    """
    run = Run.objects.select_for_update().filter(lanes=lane_id).first()
    if run is not None and run.state == Run.State.CANCELLED:
        ended = {"state": State.CANCELLED, "finished_at": timezone.now(), "error_code": Code.RUN_CANCELLED.value}
    else:
        ended = {
            "state": State.QUEUED,
            "rung_at": None,
            "queued_at": timezone.now(),
            "attempts": F("attempts") - 1,
        }
    mine = LaneRun.objects.held_with(token).filter(pk=lane_id)
    changed = bool(mine.update(token="", holder="", lease_until=None, **ended))
    # After the lane, as everywhere: two transactions that need both never wait for each other.
    CallSeat.objects.filter(holder=token).delete()
    return changed


@transaction.atomic
def shut_out(*, campaign: Campaign) -> int:
    """End the lanes that still work for a cancelled run of the campaign, and return how many.

    Such a lane may be in a call for a while yet. What comes back of it is written nowhere: its token is no one's.
    """
    mine = LaneRun.objects.filter(run__session__campaign=campaign, state=State.RUNNING)
    cancelled = Run.objects.filter(pk__in=mine.values("run"), state=Run.State.CANCELLED).order_by("pk")
    working = LaneRun.objects.filter(run__in=list(cancelled.select_for_update()), state=State.RUNNING)
    tokens = list(working.values_list("token", flat=True))
    ended = working.update(
        state=State.CANCELLED,
        token="",
        holder="",
        lease_until=None,
        finished_at=timezone.now(),
        error_code=Code.RUN_CANCELLED.value,
    )
    CallSeat.objects.filter(holder__in=tokens).delete()
    return ended


def held_in_group(group: int, *, at: datetime) -> list[tuple[int, str]]:
    """Return lane and token of each live lease that a process of that group of this machine holds."""
    live = LaneRun.objects.filter(state=State.RUNNING, lease_until__gte=at)
    rows = live.values_list("pk", "token", "holder")
    return [(pk, token) for pk, token, holder in rows if processes.in_group(holder, group)]


def busy_in_group(group: int, *, at: datetime) -> int:
    """Return how many processes of that group hold a live lease: on a lane, an export or a delivery."""
    live = (
        LaneRun.objects.filter(state=State.RUNNING, lease_until__gte=at),
        Export.objects.filter(state=Export.State.RUNNING, lease_until__gte=at),
        Delivery.objects.filter(state=Delivery.State.SENDING, lease_until__gte=at),
    )
    holders = {holder for rows in live for holder in rows.values_list("holder", flat=True)}
    return sum(processes.in_group(holder, group) for holder in holders)


def give_back_all(held: Collection[tuple[int, str]]) -> None:
    """Give back the lanes of workers that we ended ourselves."""
    for lane_id, token in held:
        give_back(lane_id=lane_id, token=token)
