"""Runs that stop at a cap or on request, keep what was paid for, and go on where they stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connections
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from campaigns import costs
from campaigns.actions import leases, pausing, plans, runs
from campaigns.actions.work import work
from campaigns.adapters.holding import RunHold
from campaigns.errors import ActionError, Conflict
from campaigns.models import ArtifactVersion, Checkpoint, LaneRun, Run
from extraction.codes import Code
from extraction.lanes.job import Retries
from extraction.llm.prices import Prices
from tests.campaigns.runs.conftest import planned_run
from tests.factories import make_result, make_transcript, make_user
from tests.loopback import Reply, RequestJson, ScriptedServer, answer

State = LaneRun.State
CHUNKS = 6
A_CALL = 129
PATIENCE_S = 20.0


def serving(server: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> ScriptedServer:
    """Let lanes ask this server, about the standard document in six chunks, one call at a time."""
    settings = {
        "BASE_URL": server.base_url,
        "MODEL": "test-model",
        "CHUNK_UNITS": "6",
        "TRIES": "1",
        "CONCURRENCY": "1",
    }
    for name, value in settings.items():
        monkeypatch.setenv(f"NOTARIUS_LLM_{name}", value)
    return server


@pytest.fixture
def openai(monkeypatch: pytest.MonkeyPatch) -> ScriptedServer:
    """Answers of A_CALL tokens each."""
    return serving(ScriptedServer(answer({"npcs": []})), monkeypatch)


def test_a_run_at_its_cap_pauses_with_everything_kept(openai: ScriptedServer, lane: LaneRun) -> None:
    Run.objects.update(token_cap=2 * A_CALL)
    with openai:
        outcome = work(lane_id=lane.pk)
    run = Run.objects.get()
    lane.refresh_from_db()

    assert outcome == Code.RUN_PAUSED
    assert (run.state, run.pause_code) == (Run.State.PAUSED, Code.RUN_CAP_REACHED)
    assert (lane.state, lane.attempts, lane.token) == (State.QUEUED, 0, "")
    assert openai.calls == Checkpoint.objects.count() == 2
    assert not ArtifactVersion.objects.exists()


def test_a_resumed_run_asks_only_what_is_missing(openai: ScriptedServer, lane: LaneRun, rung: list[int]) -> None:
    Run.objects.update(token_cap=2 * A_CALL)
    with openai:
        work(lane_id=lane.pk)
        pausing.resume(run=Run.objects.get(), by=make_user(), token_cap=100 * A_CALL)
        outcome = work(lane_id=lane.pk)

    assert outcome == "succeeded"
    assert openai.calls == CHUNKS
    assert Run.objects.get().pause_code == ""


def test_a_run_that_ends_at_its_cap_tells_no_cap(lane: LaneRun) -> None:
    """What was in flight at the cap was all that the lane lacked: the run is over, and nothing waits for anybody."""
    token = leases.claim(lane_id=lane.pk, at=timezone.now())
    assert token is not None
    pausing.pause(run=lane.run, by=None, code=Code.RUN_CAP_REACHED)
    runs.finish(lane_id=lane.pk, token=token, result=make_result(lane.run.transcript))
    run = Run.objects.get()

    assert (run.state, run.pause_code) == (Run.State.SUCCEEDED, "")


def test_a_paused_run_that_is_cancelled_is_not_paused(lane: LaneRun) -> None:
    pausing.pause(run=lane.run, by=None, code=Code.RUN_CAP_REACHED)

    assert runs.cancel(run=lane.run, by=None).pause_code == ""
    assert Run.objects.get().pause_code == ""


@dataclass
class AllAtOnce:
    """Answers, with what is of no use, once so many calls are in flight; the last of them does `then` first."""

    in_flight: int
    then: Callable[[], object] = lambda: None
    _arrived: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _answering: threading.Event = field(default_factory=threading.Event)

    def __call__(self, request: RequestJson) -> Reply:
        with self._lock:
            self._arrived += 1
            last = self._arrived == self.in_flight
        if last:
            self.then()
            self._answering.set()
        assert self._answering.wait(PATIENCE_S)
        return answer({"no": "npcs"})


@pytest.mark.parametrize("in_flight", [1, 3])
def test_a_cap_stops_an_unusable_answer_from_being_asked_for_again(
    monkeypatch: pytest.MonkeyPatch, db: None, in_flight: int
) -> None:
    server = serving(ScriptedServer(responder=AllAtOnce(in_flight)), monkeypatch)
    monkeypatch.setenv("NOTARIUS_LLM_CONCURRENCY", str(in_flight))
    lane = planned_run(plans.PlannedLane("dnd/npcs", 0, "default", retries=Retries(extract=5))).lanes.get()
    Run.objects.update(token_cap=1)
    with server:
        outcome = work(lane_id=lane.pk)
    lane.refresh_from_db()

    assert outcome == Code.RUN_PAUSED
    # What was in flight then, and what it used is written down.
    assert server.calls == in_flight
    assert lane.prompt_tokens + lane.completion_tokens == in_flight * A_CALL
    assert lane.state == State.QUEUED


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("in_flight", [1, 3])
def test_no_call_starts_after_a_cancel(monkeypatch: pytest.MonkeyPatch, in_flight: int) -> None:
    """All calls in flight have no usable answer: they would be asked again, and five more chunks after them."""
    lane = planned_run(plans.PlannedLane("dnd/npcs", 0, "default", retries=Retries(extract=5))).lanes.get()

    def cancel() -> None:
        try:
            runs.cancel(run=lane.run, by=None)
        finally:
            connections.close_all()

    server = serving(ScriptedServer(responder=AllAtOnce(in_flight, cancel)), monkeypatch)
    monkeypatch.setenv("NOTARIUS_LLM_CONCURRENCY", str(in_flight))
    with server:
        outcome = work(lane_id=lane.pk)
    lane.refresh_from_db()

    assert (outcome, server.calls) == (Code.RUN_CANCELLED, in_flight)
    assert (lane.state, lane.error_code) == (State.CANCELLED, Code.RUN_CANCELLED)
    assert not Checkpoint.objects.exists()


def test_without_caps_a_call_costs_one_look(lane: LaneRun, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    hold = RunHold(lane.run_id, clock=lambda: 0.0)
    hold()
    with django_assert_num_queries(1):
        assert not hold()


def test_a_lane_given_back_to_a_cancelled_run_ends_with_it(lane: LaneRun) -> None:
    token = leases.claim(lane_id=lane.pk, at=timezone.now())
    assert token is not None
    pausing.pause(run=lane.run, by=None)
    runs.cancel(run=lane.run, by=None)
    leases.give_back(lane_id=lane.pk, token=token)
    lane.refresh_from_db()

    assert (lane.state, lane.error_code) == (State.CANCELLED, Code.RUN_CANCELLED)
    assert lane.finished_at is not None


def test_a_months_ended_runs_are_read_once(
    lane: LaneRun, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    campaign = lane.run.session.campaign
    campaign.monthly_token_cap = 10_000
    for _ in range(20):
        run = Run.objects.create(
            session=lane.run.session, transcript=lane.run.transcript, pipeline="test", plan=lane.run.plan,
            state=Run.State.SUCCEEDED,
        )  # fmt: skip
        LaneRun.objects.create(run=run, key=lane.key, step=0, state=State.SUCCEEDED, prompt_tokens=100)
    tally = costs.Tally()
    first = tally.of(campaign, timezone.now()).tokens
    LaneRun.objects.filter(run=lane.run).update(prompt_tokens=7)
    with django_assert_max_num_queries(3) as asked:
        second = tally.of(campaign, timezone.now()).tokens

    assert (first, second) == (2_000, 2_007)
    assert sum('"campaigns_run"."plan"' in query["sql"] for query in asked.captured_queries) <= 1


def test_a_cap_on_cost_counts_by_the_prices_of_the_run(openai: ScriptedServer, db: None) -> None:
    prices = Prices(prompt=1_000.0, cached=1_000.0, completion=1_000.0, currency="EUR")
    lane = planned_run(plans.PlannedLane("dnd/npcs", 0, "default", prices=prices)).lanes.get()
    # 129 tokens at 1,000 a million are 0.129.
    Run.objects.update(cost_cap=Decimal("0.25"))
    with openai:
        work(lane_id=lane.pk)

    assert openai.calls == 2
    assert costs.used_by(LaneRun.objects.all()).money == "0.26 EUR"


def test_a_campaigns_cap_counts_this_months_runs_and_refuses_new_ones(openai: ScriptedServer, lane: LaneRun) -> None:
    campaign = lane.run.session.campaign
    campaign.monthly_token_cap = 3 * A_CALL
    campaign.save()
    earlier = Run.objects.create(
        session=lane.run.session, transcript=lane.run.transcript, pipeline="test", plan=lane.run.plan
    )
    LaneRun.objects.create(run=earlier, key=lane.key, step=0, state=State.SUCCEEDED, prompt_tokens=2 * A_CALL)
    with openai:
        work(lane_id=lane.pk)
        with pytest.raises(Conflict) as refused:
            runs.start(session=lane.run.session, pipeline=plans.default_pipeline(), lanes=None, by=None)

    assert openai.calls == 1
    assert refused.value.code is Code.RUN_CAP_REACHED


def test_runs_of_an_earlier_month_do_not_count(lane: LaneRun) -> None:
    LaneRun.objects.update(prompt_tokens=500)
    Run.objects.update(created_at=timezone.now().replace(day=1) - timedelta(days=1))
    campaign = lane.run.session.campaign
    campaign.monthly_token_cap = 100

    assert not costs.month_reached(campaign, timezone.now())


def test_pausing_lets_no_lane_start_and_no_other_call(lane: LaneRun) -> None:
    hold = RunHold(lane.run_id)

    assert not hold()
    pausing.pause(run=lane.run, by=make_user())
    assert hold()
    assert leases.claim(lane_id=lane.pk, at=timezone.now()) is None


def test_a_paused_runs_dead_worker_costs_it_no_lane(lane: LaneRun, rung: list[int]) -> None:
    leases.claim(lane_id=lane.pk, at=timezone.now() - 2 * leases.LEASE)
    pausing.pause(run=lane.run, by=make_user())
    runs.sweep(at=timezone.now())
    lane.refresh_from_db()

    assert lane.state == State.QUEUED
    assert rung == []


@pytest.mark.django_db(transaction=True)
def test_resuming_rings_for_what_waits(rung: list[int]) -> None:
    lane = planned_run().lanes.get()
    pausing.pause(run=lane.run, by=None)
    pausing.resume(run=lane.run, by=None)

    assert rung == [lane.pk]
    assert Run.objects.get().state == Run.State.RUNNING


def test_a_run_still_at_its_cap_does_not_resume(lane: LaneRun) -> None:
    LaneRun.objects.update(prompt_tokens=500)
    Run.objects.update(token_cap=400)
    pausing.pause(run=lane.run, by=None)
    with pytest.raises(Conflict) as refused:
        pausing.resume(run=lane.run, by=None)

    assert refused.value.code is Code.RUN_CAP_REACHED
    assert Run.objects.get().state == Run.State.PAUSED


def test_a_paused_run_can_be_cancelled_and_neither_paused_nor_resumed_then(lane: LaneRun) -> None:
    pausing.pause(run=lane.run, by=None)
    runs.cancel(run=lane.run, by=None)

    assert Run.objects.get().state == Run.State.CANCELLED
    for act in (pausing.pause, pausing.resume):
        with pytest.raises(Conflict):
            act(run=lane.run, by=None)


@pytest.mark.parametrize(
    "caps",
    [
        {"token_cap": 0},
        {"token_cap": 2**63},
        {"cost_cap": Decimal(0)},
        {"cost_cap": Decimal("NaN")},
        {"cost_cap": Decimal(1)},
    ],
    ids=["none", "beyond the database", "free", "no number", "without prices"],
)
def test_a_cap_that_makes_no_sense_is_refused_and_starts_nothing(db: None, caps: dict[str, Any]) -> None:
    session = make_transcript().session
    with pytest.raises(ActionError):
        runs.start(session=session, pipeline=plans.default_pipeline(), lanes=None, by=None, **caps)

    assert not Run.objects.exists()
