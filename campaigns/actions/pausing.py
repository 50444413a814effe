"""Runs that wait for a person: paused on request or at a cap, and resumed where they stopped."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from campaigns import costs
from campaigns.actions import audit, caps, plans, runlog
from campaigns.actions.runs import ring
from campaigns.errors import Conflict
from campaigns.models import LaneRun, Run
from extraction.codes import Code

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@transaction.atomic
def pause(*, run: Run, by: User | None, code: Code = Code.RUN_PAUSED) -> Run:
    """Let no further call of the run start; answers in flight are still kept.

    `code` says why: somebody wanted it, or a cap is reached. Raises Conflict where the run neither waits nor works.
    """
    locked = Run.objects.select_for_update().get(pk=run.pk)
    if locked.state not in Run.ACTIVE:
        raise Conflict(f"This run is {locked.state} already.", code=Code.RUN_FINISHED)
    locked.state, locked.pause_code = Run.State.PAUSED, code.value
    locked.save(update_fields=("state", "pause_code"))
    audit.record(by=by, act="run.pause", subject=locked, campaign=locked.session.campaign, code=code.value)
    runlog.say(locked, "run paused: code=%s", code.value)
    return locked


@transaction.atomic
def resume(*, run: Run, by: User | None, token_cap: int | None = None, cost_cap: Decimal | None = None) -> Run:
    """Let a paused run go on where it stopped; caps that are given take the place of its own.

    Raises Conflict where it is not paused, or where it or its campaign is still at a cap, ActionError for a cap that
    makes no sense.
    """
    locked = Run.objects.select_for_update().get(pk=run.pk)
    if locked.state != Run.State.PAUSED:
        raise Conflict(f"This run is {locked.state}, not paused.", code=Code.RUN_FINISHED)
    caps.check(plans.from_json(locked.plan).values(), token_cap, cost_cap)
    locked.token_cap = locked.token_cap if token_cap is None else token_cap
    locked.cost_cap = locked.cost_cap if cost_cap is None else cost_cap
    now = timezone.now()
    if costs.cap_reached(locked, now):
        raise Conflict("The run or its campaign has used as much as it may: raise the cap.", code=Code.RUN_CAP_REACHED)
    locked.state, locked.pause_code = Run.State.RUNNING, ""
    locked.save(update_fields=("state", "pause_code", "token_cap", "cost_cap"))
    audit.record(by=by, act="run.resume", subject=locked, campaign=locked.session.campaign)
    runlog.say(locked, "run resumed")
    queued = locked.lanes.filter(state=LaneRun.State.QUEUED)
    for lane_id in queued.values_list("pk", flat=True):
        ring(lane_id)
    # From here on they wait for a worker; before, they waited for a person.
    queued.update(rung_at=now, queued_at=now)
    return locked
