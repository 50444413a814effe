"""Runs: started, advanced from step to step, ended, cancelled, and put right when a worker died.

Transactions lock the run before its lanes, so that the last two lanes of a step cannot both miss that the step ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from campaigns import processes, queue, tracing
from campaigns.actions import audit, bindings, caps, plans, ringing, runlog, webhooks
from campaigns.actions.leases import EXHAUSTED, MAX_ATTEMPTS, fence
from campaigns.actions.locking import lock_session
from campaigns.actions.versions import publish
from campaigns.adapters.providers import profiles
from campaigns.committing import after_commit
from campaigns.errors import ActionError, Conflict
from campaigns.models import ArtifactVersion, CallSeat, GameSession, LaneRun, Run
from extraction.codes import Code
from extraction.errors import NotariusError, RunCancelled
from extraction.findings import Finding, bounded
from extraction.lanes.job import LaneResult
from extraction.pipelines.config import Pipeline

if TYPE_CHECKING:
    from django.contrib.auth.models import User

ENDED = frozenset(LaneRun.State.values) - set(LaneRun.UNFINISHED)
State = LaneRun.State


@transaction.atomic
def start(
    *,
    session: GameSession,
    pipeline: Pipeline,
    lanes: Sequence[str] | None,
    by: User | None,
    token_cap: int | None = None,
    cost_cap: Decimal | None = None,
) -> Run:
    """Make a run over the session's newest transcript, all lanes of the pipeline or the named ones, and ring for it.

    Raises ActionError where the session has no transcript or a cap makes no sense, Conflict where the campaign has
    used as much in this month as it may, PipelineError for a lane the pipeline does not have, a profile that is not
    configured, or a lane whose required registry neither the run nor the archive has.
    """
    # Nothing of the session is withdrawn or removed while a run of it begins.
    session = lock_session(session)
    transcript = session.transcripts.order_by("-revision").first()
    if transcript is None:
        raise ActionError(
            f"Session {session.number} has no transcript yet: import one first.", code=Code.TRANSCRIPT_NONE
        )
    plan = plans.plan_of(plans.chosen(pipeline, lanes), profiles())
    bindings.refuse_unbound([lane.lane for lane in plan], transcript)
    caps.check(plan, token_cap, cost_cap)
    caps.refuse_over(session.campaign)
    run = Run.objects.create(
        session=session,
        transcript=transcript,
        pipeline=pipeline.name[:60],
        plan=plans.to_json(plan),
        created_by=by,
        token_cap=token_cap,
        cost_cap=cost_cap,
        request_id=tracing.current().get("request", ""),
    )
    LaneRun.objects.bulk_create(LaneRun(run=run, key=lane.lane, step=lane.step) for lane in plan)
    audit.record(by=by, act="run.start", subject=run, campaign=session.campaign, lanes=len(plan))
    runlog.say(run, "run started: lanes=%d", len(plan))
    _advance(run)
    return run


@transaction.atomic
def finish(*, lane_id: int, token: str, result: LaneResult) -> ArtifactVersion:
    """Publish the lane's artifact and end the lane, in one step.

    Raises LeaseLost when the token is not the lane's, RunCancelled when the run was cancelled; nothing is written.
    """
    run = _locked_run(lane_id)
    if run.state == Run.State.CANCELLED:
        raise RunCancelled("The run was cancelled.")
    _end(lane_id, token, State.SUCCEEDED)
    lane = LaneRun.objects.select_related("run__session__campaign").get(pk=lane_id)
    version = publish(lane_run=lane, result=result)
    # Not to be found by its maker: a lane that changed nothing gives the version of an earlier run.
    run.plan = plans.with_output(run.plan, lane.key, version.pk, result.manifest)
    run.save(update_fields=("plan",))
    _advance(run)
    return version


@transaction.atomic
def fail(*, lane_id: int, token: str, error: NotariusError) -> str:
    """End the lane without an artifact, cancelled if its run was, failed otherwise, and return the code that it has.

    LeaseLost as `finish` does.
    """
    run = _locked_run(lane_id)
    code = error.code.value
    if run.state == Run.State.CANCELLED or isinstance(error, RunCancelled):
        code = Code.RUN_CANCELLED.value
        _end(lane_id, token, State.CANCELLED, error_code=code)
    else:
        findings: tuple[Finding, ...] = getattr(error, "findings", ())
        _end(
            lane_id,
            token,
            State.FAILED,
            error_code=code,
            error_message=str(error)[:500],
            findings=[finding.as_json() for finding in bounded(findings)],
        )
    _advance(run)
    return code


@transaction.atomic
def cancel(*, run: Run, by: User | None) -> Run:
    """Stop the run at once: what waits is cancelled, what works makes no further call and publishes nothing.

    Raises Conflict where the run has ended already.
    """
    locked = Run.objects.select_for_update().get(pk=run.pk)
    if locked.state not in Run.UNENDED:
        raise Conflict(f"This run is {locked.state} already.", code=Code.RUN_FINISHED)
    now = timezone.now()
    locked.state, locked.finished_at, locked.pause_code = Run.State.CANCELLED, now, ""
    locked.save(update_fields=("state", "finished_at", "pause_code"))
    waiting = locked.lanes.filter(state__in=(State.WAITING, State.QUEUED))
    cancelled = waiting.update(state=State.CANCELLED, finished_at=now, error_code=Code.RUN_CANCELLED.value)
    audit.record(by=by, act="run.cancel", subject=locked, campaign=locked.session.campaign)
    runlog.say(locked, "run cancelled: waiting=%d", cancelled)
    webhooks.announce_run(locked)
    return locked


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep put right: lanes whose worker was gone, and lanes rung for again."""

    taken_back: int
    rung: int


def sweep(*, at: datetime) -> Swept:
    """Take back lanes whose lease ran out or whose worker is dead, and ring for queued lanes that nobody took.

    Any number of sweeps may run at once: each change is a compare-and-set on what was seen.
    """
    running = LaneRun.objects.filter(state=State.RUNNING).values_list("pk", "token", "holder", "lease_until")
    gone = [
        (pk, token, lease)
        for pk, token, holder, lease in running
        if lease is None or lease < at or processes.is_dead(holder)
    ]
    taken_back = sum(_take_back(pk, token, lease, at) for pk, token, lease in gone)
    waiting = LaneRun.objects.filter(state=State.QUEUED, run__state__in=Run.ACTIVE)
    return Swept(taken_back, ringing.again(waiting, queue.enqueue, at=at))


@transaction.atomic
def _take_back(lane_id: int, token: str, lease: datetime | None, at: datetime) -> bool:
    run = _locked_run(lane_id)
    # The lease as it was seen: a beat in between shows that somebody is alive.
    seen = LaneRun.objects.held_with(token).filter(pk=lane_id, lease_until=lease)
    if run.state not in Run.UNENDED:
        changed = seen.update(
            state=State.CANCELLED, token="", lease_until=None, finished_at=at, error_code=Code.RUN_CANCELLED.value
        )
    elif seen.filter(attempts__gte=MAX_ATTEMPTS).exists():
        changed = seen.update(
            state=State.FAILED,
            token="",
            lease_until=None,
            finished_at=at,
            error_code=Code.RUN_ATTEMPTS_EXHAUSTED.value,
            error_message=EXHAUSTED,
        )
    else:
        # Its waiting begins anew: until now somebody was thought to be at it.
        changed = seen.update(state=State.QUEUED, token="", lease_until=None, rung_at=at, queued_at=at)
        if changed and run.state in Run.ACTIVE:
            ring(lane_id)
    if changed:
        CallSeat.objects.filter(holder=token).delete()
        runlog.say(run, "lane taken back: its worker is gone", lane=lane_id)
        _advance(run)
    return bool(changed)


def _locked_run(lane_id: int) -> Run:
    return Run.objects.select_for_update().get(lanes=lane_id)


def _end(lane_id: int, token: str, state: State, **why: str | list[object]) -> None:
    # The token stays on the row: the state alone already shuts out whoever still holds it.
    fence(lane_id=lane_id, token=token, state=state, lease_until=None, finished_at=timezone.now(), **why)


def _advance(run: Run) -> None:
    """Queue the lanes whose turn has come, block those that lack an input, and end the run when all lanes have.

    The run must be locked by the transaction, or new in it.
    """
    needs = {key: lane.needs for key, lane in plans.from_json(run.plan).items()}
    lanes = list(run.lanes.order_by("step", "key"))
    without = {lane.key for lane in lanes if lane.state in ENDED and lane.state != State.SUCCEEDED}
    for step in sorted({lane.step for lane in lanes}):
        of_step = [lane for lane in lanes if lane.step == step]
        for lane in of_step:
            if lane.state == State.WAITING:
                _open(lane, lacking=[key for key in needs.get(lane.key, ()) if key in without])
                if lane.state == State.BLOCKED:
                    without.add(lane.key)
        if any(lane.state not in ENDED for lane in of_step):
            return
    _end_run(run, lanes=len(lanes), unsuccessful=len(without))


def _open(lane: LaneRun, *, lacking: Sequence[str]) -> None:
    now = timezone.now()
    if lacking:
        lane.state, lane.finished_at = State.BLOCKED, now
        lane.error_code = Code.RUN_BLOCKED.value
        lane.error_message = f"This lane reads what {', '.join(lacking)} did not give."
        lane.save(update_fields=("state", "finished_at", "error_code", "error_message"))
        return
    lane.state, lane.rung_at, lane.queued_at = State.QUEUED, now, now
    lane.save(update_fields=("state", "rung_at", "queued_at"))
    ring(lane.pk)


def _end_run(run: Run, *, lanes: int, unsuccessful: int) -> None:
    if run.state == Run.State.CANCELLED:
        return
    run.state = Run.State.FAILED if unsuccessful else Run.State.SUCCEEDED
    # What was in flight when it was paused may have been all that it lacked.
    run.finished_at, run.pause_code = timezone.now(), ""
    run.save(update_fields=("state", "finished_at", "pause_code"))
    took = (run.finished_at - run.created_at).total_seconds()
    runlog.say(run, "run ended: state=%s lanes=%d unsuccessful=%d seconds=%.1f", run.state, lanes, unsuccessful, took)
    webhooks.announce_run(run)


def ring(lane_id: int) -> None:
    """Ask a worker for the lane once the transaction is done."""
    # A queue that is down fails nobody; the sweep rings later.
    after_commit(queue.enqueue, lane_id)
