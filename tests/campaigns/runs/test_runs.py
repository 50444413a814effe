from __future__ import annotations

from datetime import timedelta
from functools import partial

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from campaigns.actions import leases, plans, runs
from campaigns.actions.plans import PlannedLane
from campaigns.errors import ActionError, Conflict
from campaigns.models import ArtifactVersion, AuditEntry, CallSeat, LaneRun, Run
from extraction.codes import Code
from extraction.errors import LaneFailed, LeaseLost, PipelineError, ProviderUnavailable, RunCancelled
from extraction.findings import rejection
from tests import factories
from tests.at_once import at_once
from tests.campaigns.runs.conftest import planned_run
from tests.standard import UNITS

State = LaneRun.State
PIPELINE = plans.named_pipeline("npcs-only")
DEAD = "0123456789abcdef:4194304"


def claimed(lane: LaneRun) -> str:
    token = leases.claim(lane_id=lane.pk, at=timezone.now())
    assert token is not None
    return token


def states(run: Run) -> dict[str, str]:
    return dict(run.lanes.values_list("key", "state"))


def test_start_uses_newest_transcript_and_rings(
    gm: User, rung: list[int], django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    session = factories.make_transcript().session
    newest = factories.make_transcript(session, UNITS[:5])

    with django_capture_on_commit_callbacks(execute=True):
        run = runs.start(session=session, pipeline=PIPELINE, lanes=None, by=gm)

    lane = run.lanes.get()
    assert (run.transcript, run.created_by, run.state, lane.state) == (newest, gm, Run.State.QUEUED, State.QUEUED)
    assert rung == [lane.pk]
    assert lane.rung_at is not None
    assert AuditEntry.objects.filter(act="run.start", subject=f"run:{run.pk}", by=gm).exists()


def test_start_without_transcript_is_refused(db: None) -> None:
    with pytest.raises(ActionError) as caught:
        runs.start(session=factories.make_session(), pipeline=PIPELINE, lanes=None, by=None)

    assert caught.value.code is Code.TRANSCRIPT_NONE


def test_start_of_lane_outside_the_pipeline_is_refused(db: None) -> None:
    session = factories.make_transcript().session

    with pytest.raises(PipelineError) as caught:
        runs.start(session=session, pipeline=PIPELINE, lanes=["npcs", "dragons"], by=None)

    assert caught.value.code is Code.PIPELINE_UNKNOWN_LANE
    assert not Run.objects.exists()


def test_start_with_no_lane_named_is_refused(db: None) -> None:
    with pytest.raises(PipelineError):
        runs.start(session=factories.make_transcript().session, pipeline=PIPELINE, lanes=[], by=None)

    assert not Run.objects.exists()


def test_start_with_unknown_profile_is_refused(db: None) -> None:
    lanes = [lane.model_copy(update={"profile": "no-such"}) for _, lane in PIPELINE.lanes()]
    steps = (PIPELINE.steps[0].model_copy(update={"lanes": tuple(lanes)}),)
    session = factories.make_transcript().session

    with pytest.raises(PipelineError, match="no-such"):
        runs.start(session=session, pipeline=PIPELINE.model_copy(update={"steps": steps}), lanes=None, by=None)

    assert not Run.objects.exists()


def test_start_that_cannot_be_audited_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, rung: list[int], db: None
) -> None:
    def refuse(**_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("campaigns.actions.audit.record", refuse)

    with pytest.raises(RuntimeError):
        runs.start(session=factories.make_transcript().session, pipeline=PIPELINE, lanes=None, by=None)

    assert not Run.objects.exists()
    assert not LaneRun.objects.exists()
    assert rung == []


def test_finish_publishes_and_ends_the_run(lane: LaneRun) -> None:
    token = claimed(lane)

    version = runs.finish(lane_id=lane.pk, token=token, result=factories.make_result(lane.run.transcript))

    lane.refresh_from_db()
    run = Run.objects.get()
    assert (lane.state, run.state) == (State.SUCCEEDED, Run.State.SUCCEEDED)
    assert None not in (lane.finished_at, run.finished_at)
    assert version.lane_run == lane


def test_finish_with_stale_token_publishes_nothing(lane: LaneRun) -> None:
    stale = claimed(lane)
    leases.claim(lane_id=lane.pk, at=timezone.now() + 2 * leases.LEASE)

    with pytest.raises(LeaseLost):
        runs.finish(lane_id=lane.pk, token=stale, result=factories.make_result(lane.run.transcript))

    assert not ArtifactVersion.objects.exists()
    lane.refresh_from_db()
    assert lane.state == State.RUNNING


def test_finish_twice_publishes_once(lane: LaneRun) -> None:
    token = claimed(lane)
    result = factories.make_result(lane.run.transcript)
    runs.finish(lane_id=lane.pk, token=token, result=result)

    with pytest.raises(LeaseLost):
        runs.finish(lane_id=lane.pk, token=token, result=result)

    assert ArtifactVersion.objects.count() == 1


def test_finish_that_cannot_publish_leaves_the_lane_running(lane: LaneRun, monkeypatch: pytest.MonkeyPatch) -> None:
    token = claimed(lane)

    def refuse(**_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("campaigns.actions.runs.publish", refuse)

    with pytest.raises(RuntimeError):
        runs.finish(lane_id=lane.pk, token=token, result=factories.make_result(lane.run.transcript))

    lane.refresh_from_db()
    assert (lane.state, lane.token) == (State.RUNNING, token)


def test_finish_of_cancelled_run_publishes_nothing(lane: LaneRun) -> None:
    token = claimed(lane)
    runs.cancel(run=lane.run, by=None)

    with pytest.raises(RunCancelled):
        runs.finish(lane_id=lane.pk, token=token, result=factories.make_result(lane.run.transcript))

    assert not ArtifactVersion.objects.exists()


def test_fail_keeps_code_sentence_and_findings(lane: LaneRun) -> None:
    token = claimed(lane)
    finding = rejection(Code.EVIDENCE_UNKNOWN_UNIT, "chunk[2]", count=1)
    error = LaneFailed("The answers could not be used.", findings=(finding,))

    runs.fail(lane_id=lane.pk, token=token, error=error)

    lane.refresh_from_db()
    assert (lane.state, lane.error_code, lane.error_message) == (State.FAILED, error.code, str(error))
    assert lane.findings == [finding.as_json()]
    assert Run.objects.get().state == Run.State.FAILED


def test_fail_with_stale_token_changes_nothing(lane: LaneRun) -> None:
    claimed(lane)

    with pytest.raises(LeaseLost):
        runs.fail(lane_id=lane.pk, token="0" * 32, error=ProviderUnavailable("No answer."))

    lane.refresh_from_db()
    assert lane.state == State.RUNNING


def test_next_step_waits_for_all_lanes_of_the_one_before(
    rung: list[int], django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks, db: None
) -> None:
    run = planned_run(PlannedLane("a", 0, "p"), PlannedLane("b", 0, "p"), PlannedLane("c", 1, "p"))
    lanes = {lane.key: lane for lane in run.lanes.all()}
    error = ProviderUnavailable("No answer.")

    with django_capture_on_commit_callbacks(execute=True):
        runs.fail(lane_id=lanes["a"].pk, token=claimed(lanes["a"]), error=error)
    after_one = states(run)
    with django_capture_on_commit_callbacks(execute=True):
        runs.fail(lane_id=lanes["b"].pk, token=claimed(lanes["b"]), error=error)

    assert after_one["c"] == State.WAITING
    assert states(run)["c"] == State.QUEUED
    assert rung == [lanes["c"].pk]


def test_lane_is_blocked_when_one_it_needs_failed(db: None) -> None:
    run = planned_run(
        PlannedLane("a", 0, "p"),
        PlannedLane("b", 1, "p", needs=("a",)),
        PlannedLane("c", 2, "p", needs=("b",)),
        PlannedLane("d", 2, "p"),
    )
    first = run.lanes.get(key="a")

    runs.fail(lane_id=first.pk, token=claimed(first), error=ProviderUnavailable("No answer."))

    assert states(run) == {"a": State.FAILED, "b": State.BLOCKED, "c": State.BLOCKED, "d": State.QUEUED}
    run.refresh_from_db()
    assert run.state == Run.State.RUNNING


@pytest.mark.django_db(transaction=True)
def test_last_lanes_of_a_step_ending_at_once_open_the_next(rung: list[int]) -> None:
    run = planned_run(PlannedLane("a", 0, "p"), PlannedLane("b", 0, "p"), PlannedLane("c", 1, "p"))
    error = ProviderUnavailable("No answer.")
    ends = [partial(runs.fail, lane_id=lane.pk, token=claimed(lane), error=error) for lane in run.lanes.filter(step=0)]

    at_once(*ends)

    assert states(run)["c"] == State.QUEUED
    assert len(rung) == 1


def test_cancel_stops_what_waits_at_once(gm: User) -> None:
    run = planned_run(PlannedLane("a", 0, "p"), PlannedLane("b", 0, "p"), PlannedLane("c", 1, "p"))
    working = run.lanes.get(key="a")
    token = claimed(working)

    runs.cancel(run=run, by=gm)

    run.refresh_from_db()
    assert (run.state, run.finished_at is not None) == (Run.State.CANCELLED, True)
    assert states(run) == {"a": State.RUNNING, "b": State.CANCELLED, "c": State.CANCELLED}
    assert AuditEntry.objects.filter(act="run.cancel", by=gm).exists()
    runs.fail(lane_id=working.pk, token=token, error=RunCancelled("The run was cancelled."))
    assert states(run)["a"] == State.CANCELLED
    run.refresh_from_db()
    assert run.state == Run.State.CANCELLED


def test_cancel_of_ended_run_is_refused(lane: LaneRun) -> None:
    runs.fail(lane_id=lane.pk, token=claimed(lane), error=ProviderUnavailable("No answer."))

    with pytest.raises(Conflict) as caught:
        runs.cancel(run=lane.run, by=None)

    assert caught.value.code is Code.RUN_FINISHED


def test_sweep_takes_back_expired_lease_and_rings(
    lane: LaneRun, rung: list[int], django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    token = claimed(lane)
    CallSeat.objects.create(profile="default", holder=token, lease_until=timezone.now())
    later = timezone.now() + leases.LEASE + timedelta(seconds=1)

    with django_capture_on_commit_callbacks(execute=True):
        first, second = runs.sweep(at=later), runs.sweep(at=later)

    lane.refresh_from_db()
    assert (lane.state, lane.attempts, lane.rung_at) == (State.QUEUED, 1, later)
    assert (first.taken_back, second.taken_back, rung) == (1, 0, [lane.pk])
    assert not CallSeat.objects.exists()


def test_sweep_leaves_live_lease_alone(lane: LaneRun) -> None:
    token = claimed(lane)

    swept = runs.sweep(at=timezone.now())

    lane.refresh_from_db()
    assert (swept, lane.token) == (runs.Swept(0, 0), token)


def test_sweep_takes_back_lane_of_dead_process_of_this_machine(lane: LaneRun, rung: list[int]) -> None:
    from campaigns.processes import machine_mark

    claimed(lane)
    LaneRun.objects.update(holder=f"{machine_mark()}:4194304")

    assert runs.sweep(at=timezone.now()).taken_back == 1


def test_sweep_leaves_lane_of_another_machine_to_its_lease(lane: LaneRun) -> None:
    claimed(lane)
    LaneRun.objects.update(holder=DEAD)

    assert runs.sweep(at=timezone.now()).taken_back == 0


def test_sweep_fails_lane_at_the_attempt_limit(lane: LaneRun, rung: list[int]) -> None:
    claimed(lane)
    LaneRun.objects.update(attempts=leases.MAX_ATTEMPTS)

    runs.sweep(at=timezone.now() + 2 * leases.LEASE)

    lane.refresh_from_db()
    assert (lane.state, lane.error_code) == (State.FAILED, Code.RUN_ATTEMPTS_EXHAUSTED)
    assert Run.objects.get().state == Run.State.FAILED
    assert rung == []


def test_sweep_ends_dead_lane_of_cancelled_run(lane: LaneRun) -> None:
    claimed(lane)
    runs.cancel(run=lane.run, by=None)

    runs.sweep(at=timezone.now() + 2 * leases.LEASE)

    lane.refresh_from_db()
    assert lane.state == State.CANCELLED


def test_sweep_rings_again_for_lane_nobody_took(
    lane: LaneRun, rung: list[int], django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    now = timezone.now()
    LaneRun.objects.update(rung_at=now)

    with django_capture_on_commit_callbacks(execute=True):
        early = runs.sweep(at=now + timedelta(seconds=5))
        late = runs.sweep(at=now + timedelta(seconds=25))
        again = runs.sweep(at=now + timedelta(seconds=25))

    assert (early.rung, late.rung, again.rung, rung) == (0, 1, 0, [lane.pk])


def test_sweep_does_not_lengthen_a_line_nobody_serves(lane: LaneRun) -> None:
    from campaigns import queue

    queue.enqueue(lane.pk)

    assert runs.sweep(at=timezone.now() + timedelta(minutes=5)).rung == 0
    assert queue.undelivered() == 1


@pytest.mark.django_db(transaction=True)
def test_sweep_by_several_at_once_rings_once(rung: list[int]) -> None:
    lane = planned_run().lanes.get()
    claimed(lane)
    later = timezone.now() + 2 * leases.LEASE

    swept = at_once(*[partial(runs.sweep, at=later)] * 4)

    assert sum(each.taken_back for each in swept) == 1
    assert rung == [lane.pk]
