from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest
from django.db import OperationalError, connections
from django_q.exceptions import TimeoutException
from django_q.models import OrmQ, Task

from campaigns import tasks
from campaigns.actions import pulses
from campaigns.actions.work import work
from campaigns.adapters.progress import LaneRecord
from campaigns.models import ArtifactVersion, CallSeat, Checkpoint, Exchange, LaneRun, Run, WorkerPulse
from extraction.codes import Code
from extraction.errors import LaneFailed, LeaseLost
from extraction.lanes.job import LaneJob, LaneResult
from extraction.lanes.ports import LanePorts
from extraction.llm.boundary import Exchange as RoundTrip
from extraction.llm.boundary import Usage
from tests.campaigns.runs.conftest import planned_run
from tests.leaks import Leaks
from tests.loopback import ScriptedServer, answer, failure

State = LaneRun.State
SECRET = "Mother Quillon has the clapper"


@pytest.fixture
def openai(monkeypatch: pytest.MonkeyPatch, lane: LaneRun) -> ScriptedServer:
    """The standard document in chunks of six units against a server; the test scripts and enters it."""
    server = ScriptedServer()
    monkeypatch.setenv("NOTARIUS_LLM_BASE_URL", server.base_url)
    monkeypatch.setenv("NOTARIUS_LLM_MODEL", "test-model")
    monkeypatch.setenv("NOTARIUS_LLM_CHUNK_UNITS", "6")
    monkeypatch.setenv("NOTARIUS_LLM_TRIES", "1")
    return server


def raising(error: BaseException) -> object:
    def run_lane(lane: object, job: LaneJob, ports: LanePorts) -> LaneResult:
        raise error

    return run_lane


def test_work_of_queued_lane_publishes(lane: LaneRun) -> None:
    assert work(lane_id=lane.pk) == "succeeded"

    lane.refresh_from_db()
    assert (lane.state, lane.chunks_done) == (State.SUCCEEDED, lane.chunks_total)
    assert lane.calls == Exchange.objects.count() > 0
    assert ArtifactVersion.objects.get().lane_run == lane
    assert not CallSeat.objects.exists()


def test_work_of_lane_that_is_done_changes_nothing(lane: LaneRun) -> None:
    work(lane_id=lane.pk)

    assert work(lane_id=lane.pk) == "not_claimed"
    assert ArtifactVersion.objects.count() == 1


def test_work_reports_progress_to_who_watches(lane: LaneRun) -> None:
    seen: list[tuple[int, int]] = []

    work(lane_id=lane.pk, watch=lambda done, total: seen.append((done, total)))

    assert seen[-1][0] == seen[-1][1] > 0


def test_work_over_the_wire_records_exchanges_and_tokens(openai: ScriptedServer, lane: LaneRun) -> None:
    openai.enqueue(answer({"npcs": []}))
    with openai:
        assert work(lane_id=lane.pk) == "succeeded"

    lane.refresh_from_db()
    assert lane.calls == Exchange.objects.count() == openai.calls == 6
    assert lane.prompt_tokens == 6 * 120
    assert Checkpoint.objects.count() >= 6


def test_work_with_wrong_key_fails_the_lane_with_its_code(openai: ScriptedServer, lane: LaneRun) -> None:
    openai.enqueue(failure(401, message="bad key"))
    with openai:
        assert work(lane_id=lane.pk) == Code.LLM_AUTHENTICATION

    lane.refresh_from_db()
    assert (lane.state, lane.error_code) == (State.FAILED, Code.LLM_AUTHENTICATION)
    assert lane.calls == Exchange.objects.count() > 0
    assert not CallSeat.objects.exists()


def test_work_again_repeats_only_what_is_missing(openai: ScriptedServer, lane: LaneRun) -> None:
    openai.enqueue(*[answer({"npcs": []})] * 3, failure(500))
    with openai:
        first = work(lane_id=lane.pk)
        kept = Checkpoint.objects.count()
        openai.enqueue(answer({"npcs": []}))
        LaneRun.objects.update(state=State.QUEUED)
        Run.objects.update(state=Run.State.RUNNING)
        before = openai.calls
        openai._replies[:] = [answer({"npcs": []})]
        second = work(lane_id=lane.pk)

    assert (first, second) == (Code.LLM_SERVER_ERROR, "succeeded")
    assert openai.calls - before == 6 - kept


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        pytest.param(RuntimeError(SECRET), Code.RUN_INTERNAL, id="bug"),
        pytest.param(ValueError(SECRET), Code.RUN_INTERNAL, id="bug-of-another-kind"),
        pytest.param(LaneFailed("The answers could not be used."), Code.EXTRACT_INVALID, id="lane-failed"),
        pytest.param(LeaseLost("Another worker holds this lane now."), Code.RUN_LEASE_LOST, id="lease-lost"),
    ],
)
def test_task_returns_codes_and_leaks_nothing(
    lane: LaneRun,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: BaseException,
    outcome: str,
) -> None:
    monkeypatch.setattr("campaigns.actions.work.run_lane", raising(error))
    caplog.set_level(logging.DEBUG)

    returned = tasks.work_lane(lane.pk)

    lane.refresh_from_db()
    assert returned == {"lane": lane.pk, "outcome": outcome}
    assert SECRET not in caplog.text
    assert SECRET not in json.dumps([lane.error_message, lane.findings, lane.error_code])


@pytest.mark.django_db(transaction=True)
def test_database_failure_leaves_the_lane_to_its_lease(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    lane = planned_run().lanes.get()
    monkeypatch.setattr("campaigns.actions.work.run_lane", raising(OperationalError(SECRET)))

    returned = tasks.work_lane(lane.pk)

    lane.refresh_from_db()
    assert returned == {"lane": lane.pk, "outcome": "database_lost"}
    assert (lane.state, lane.attempts) == (State.RUNNING, 1)
    assert SECRET not in caplog.text


@pytest.mark.django_db(transaction=True)
def test_database_that_went_away_gives_the_lane_back_uncounted_once_it_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lane = planned_run().lanes.get()

    def lost(of: object, job: LaneJob, ports: LanePorts) -> LaneResult:
        ports.record(RoundTrip("p", b"{}", b"{}", "ok", Usage(), 1, "m", "openai", ""))
        monkeypatch.setattr(connections["default"], "is_usable", lambda: False)
        raise OperationalError(SECRET)

    monkeypatch.setattr("campaigns.actions.work.run_lane", lost)
    outcome = work(lane_id=lane.pk)

    lane.refresh_from_db()
    assert outcome == "database_lost"
    assert (lane.state, lane.attempts, lane.token) == (State.QUEUED, 0, "")
    assert lane.calls == Exchange.objects.count() == 1


def test_ctrl_c_gives_the_lane_back(lane: LaneRun, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("campaigns.actions.work.run_lane", raising(KeyboardInterrupt()))

    with pytest.raises(KeyboardInterrupt):
        work(lane_id=lane.pk)

    lane.refresh_from_db()
    assert (lane.state, lane.attempts) == (State.QUEUED, 0)


@pytest.mark.parametrize(
    ("error", "outcome", "level"),
    [
        pytest.param(KeyboardInterrupt(), "interrupted", logging.INFO, id="ctrl-c"),
        pytest.param(TimeoutException(), "timed_out", logging.WARNING, id="time-limit"),
    ],
)
def test_log_tells_a_time_limit_from_ctrl_c(
    lane: LaneRun,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: BaseException,
    outcome: str,
    level: int,
) -> None:
    caplog.set_level(logging.INFO)
    monkeypatch.setattr("campaigns.actions.work.run_lane", raising(error))

    with pytest.raises(type(error)):
        work(lane_id=lane.pk)

    [ended] = [record for record in caplog.records if record.message.startswith("lane ended")]
    assert f"outcome={outcome} " in ended.message
    assert ended.levelno == level


def test_time_limit_counts_the_attempt(lane: LaneRun, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("campaigns.actions.work.run_lane", raising(SystemExit()))

    with pytest.raises(SystemExit):
        work(lane_id=lane.pk)

    lane.refresh_from_db()
    assert (lane.state, lane.attempts) == (State.RUNNING, 1)


def test_unknown_profile_on_the_worker_fails_the_lane(lane: LaneRun) -> None:
    plan = lane.run.plan
    plan["lanes"][0]["profile"] = "elsewhere"
    Run.objects.update(plan=plan)

    assert work(lane_id=lane.pk) == Code.LLM_CONFIGURATION


def test_lane_taken_over_while_it_runs_publishes_nothing(lane: LaneRun, monkeypatch: pytest.MonkeyPatch) -> None:
    from extraction.lanes import run as real

    def overtaken(of: object, job: LaneJob, ports: LanePorts) -> LaneResult:
        result = real.run_lane(of, job, ports)  # type: ignore[arg-type]  # passed through as it came
        LaneRun.objects.update(token="f" * 32)
        return result

    monkeypatch.setattr("campaigns.actions.work.run_lane", overtaken)

    assert work(lane_id=lane.pk) == Code.RUN_LEASE_LOST
    assert not ArtifactVersion.objects.exists()


def test_queue_rows_and_lane_rows_hold_no_content(
    lane: LaneRun, leaks: Leaks, caplog: pytest.LogCaptureFixture
) -> None:
    from campaigns import queue

    caplog.set_level(logging.DEBUG)
    queue.enqueue(lane.pk)
    tasks.work_lane(lane.pk)

    lane.refresh_from_db()
    rows = [*OrmQ.objects.values(), *Task.objects.values(), *LaneRun.objects.values(), *Run.objects.values()]
    text = json.dumps(rows, default=str) + caplog.text
    assert OrmQ.objects.get().task["args"] == (lane.pk,)
    assert not leaks.found_in([text])


def test_acknowledged_task_stamps_the_pulse_of_its_own_cluster(lane: LaneRun, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(tasks.SUPERVISOR_VARIABLE, "here:1")

    tasks.canary("here:1", 3)
    taken = pulses.last(kind=pulses.CLUSTER, name="here:1")
    tasks.stamp_cluster(sender="django_q", task={})

    assert taken is None

    assert pulses.last(kind=pulses.CLUSTER, name="here:1") is not None
    assert not OrmQ.objects.exists()


def test_canary_of_another_cluster_is_passed_on_while_hops_last(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(tasks.SUPERVISOR_VARIABLE, "here:1")

    tasks.canary("there:1", 2)
    tasks.canary("there:1", 0)

    assert [row.task["args"] for row in OrmQ.objects.all()] == [("there:1", 1)]
    assert not WorkerPulse.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_claim_failure_of_the_database_returns_a_code(monkeypatch: pytest.MonkeyPatch) -> None:
    lane = planned_run().lanes.get()

    def refuse(**_: object) -> None:
        raise OperationalError(SECRET)

    monkeypatch.setattr("campaigns.actions.work.claim", refuse)

    assert tasks.work_lane(lane.pk) == {"lane": lane.pk, "outcome": "database_lost"}


def test_sources_name_the_queue_in_one_place_only() -> None:
    package = Path(tasks.__file__).parent
    callers = [path.name for path in package.rglob("*.py") if "async_task" in path.read_text(encoding="utf-8")]

    assert callers == ["queue.py"]


def test_counts_that_cannot_be_stored_end_the_lane_instead_of_keeping_it(
    lane: LaneRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    def overflow(record: LaneRecord) -> None:
        raise OverflowError("too large: the harbourmaster said so")

    monkeypatch.setattr(LaneRecord, "write", overflow)
    outcome = work(lane_id=lane.pk)
    lane.refresh_from_db()

    assert outcome == Code.RUN_INTERNAL
    assert (lane.state, lane.error_code) == (LaneRun.State.FAILED, Code.RUN_INTERNAL)
    assert "harbourmaster" not in lane.error_message
