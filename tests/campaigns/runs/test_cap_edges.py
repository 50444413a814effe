"""Every cap at its edge: what has been used meets it, and is one short of it."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.utils import timezone

from campaigns import costs
from campaigns.actions import pausing, plans, runs
from campaigns.actions.work import work
from campaigns.errors import Conflict
from campaigns.models import Campaign, LaneRun, Run
from extraction.codes import Code
from extraction.llm.prices import Prices
from tests.campaigns.runs.conftest import planned_run
from tests.campaigns.runs.test_pausing import A_CALL, serving
from tests.loopback import ScriptedServer, answer

TWO_CALLS = 2 * A_CALL
# A token costs 0.01, which is also the least that a campaign's cap differs by.
PRICES = Prices(prompt=10_000.0, cached=10_000.0, completion=10_000.0, currency="EUR")
TWO_CALLS_COST, LEAST = Decimal(TWO_CALLS) / 100, Decimal("0.01")
CAPS = [
    pytest.param("token_cap", TWO_CALLS, 2, id="tokens-n"),
    pytest.param("token_cap", TWO_CALLS + 1, 3, id="tokens-n+1"),
    pytest.param("cost_cap", TWO_CALLS_COST, 2, id="cost-n"),
    pytest.param("cost_cap", TWO_CALLS_COST + LEAST, 3, id="cost-n+1"),
]
MET = [
    pytest.param("token_cap", TWO_CALLS, True, id="tokens-n"),
    pytest.param("token_cap", TWO_CALLS + 1, False, id="tokens-n+1"),
    pytest.param("cost_cap", TWO_CALLS_COST, True, id="cost-n"),
    pytest.param("cost_cap", TWO_CALLS_COST + LEAST, False, id="cost-n+1"),
]


@pytest.fixture
def lane(db: None) -> LaneRun:
    return planned_run(plans.PlannedLane("dnd/npcs", 0, "default", prices=PRICES)).lanes.get()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> ScriptedServer:
    """Six chunks, one call of A_CALL tokens at a time."""
    return serving(ScriptedServer(answer({"npcs": []})), monkeypatch)


@pytest.mark.parametrize(("cap", "amount", "calls"), CAPS)
def test_a_run_asks_until_it_has_used_its_cap_and_no_more(
    server: ScriptedServer, lane: LaneRun, cap: str, amount: int | Decimal, calls: int
) -> None:
    Run.objects.update(**{cap: amount})
    with server:
        outcome = work(lane_id=lane.pk)

    assert (outcome, server.calls) == (Code.RUN_PAUSED, calls)
    assert Run.objects.get().pause_code == Code.RUN_CAP_REACHED


@pytest.mark.parametrize(("cap", "amount", "calls"), CAPS)
def test_a_campaigns_runs_ask_until_its_month_has_used_its_cap(
    server: ScriptedServer, lane: LaneRun, cap: str, amount: int | Decimal, calls: int
) -> None:
    Campaign.objects.update(**{f"monthly_{cap}": amount})
    earlier = Run.objects.create(
        session=lane.run.session, transcript=lane.run.transcript, pipeline="test", plan=lane.run.plan
    )
    LaneRun.objects.create(run=earlier, key=lane.key, step=0, state=LaneRun.State.SUCCEEDED, prompt_tokens=A_CALL)
    with server:
        outcome = work(lane_id=lane.pk)

    assert (outcome, server.calls) == (Code.RUN_PAUSED, calls - 1)
    assert Run.objects.get(pk=lane.run_id).pause_code == Code.RUN_CAP_REACHED


@pytest.mark.parametrize(("cap", "amount", "met"), MET)
def test_a_month_that_has_used_its_cap_starts_no_run(lane: LaneRun, cap: str, amount: int | Decimal, met: bool) -> None:
    LaneRun.objects.update(prompt_tokens=TWO_CALLS)
    session = lane.run.session
    Campaign.objects.update(**{f"monthly_{cap}": amount})
    session.campaign.refresh_from_db()
    if met:
        with pytest.raises(Conflict) as refused:
            runs.start(session=session, pipeline=plans.named_pipeline("npcs-only"), lanes=None, by=None)
        assert refused.value.code is Code.RUN_CAP_REACHED
    else:
        runs.start(session=session, pipeline=plans.named_pipeline("npcs-only"), lanes=None, by=None)

    assert Run.objects.count() == (1 if met else 2)
    assert costs.month_reached(session.campaign, timezone.now()) is met


@pytest.mark.parametrize(("cap", "amount", "met"), MET)
def test_a_paused_run_resumes_only_below_its_cap(lane: LaneRun, cap: str, amount: int | Decimal, met: bool) -> None:
    LaneRun.objects.update(prompt_tokens=TWO_CALLS)
    Run.objects.update(**{cap: amount})
    pausing.pause(run=lane.run, by=None)
    if met:
        with pytest.raises(Conflict):
            pausing.resume(run=lane.run, by=None)
    else:
        pausing.resume(run=lane.run, by=None)

    assert Run.objects.get().state == (Run.State.PAUSED if met else Run.State.RUNNING)
