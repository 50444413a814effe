"""A month's cap and the runs that began in an earlier month: what is used in a month counts in it, and in no other."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from campaigns import costs
from campaigns.actions import leases, pausing, plans, runs
from campaigns.actions.work import work
from campaigns.errors import Conflict
from campaigns.models import Campaign, Exchange, LaneRun, Run
from extraction.codes import Code
from extraction.llm.prices import Prices
from tests.campaigns.runs.conftest import planned_run
from tests.campaigns.runs.test_cap_edges import CAPS, PRICES
from tests.campaigns.runs.test_pausing import A_CALL, serving
from tests.loopback import ScriptedServer, answer

INSTANT = timedelta(microseconds=1)
OTHER_PRICES = Prices(prompt=20_000.0, cached=10_000.0, completion=10_000.0, currency="EUR")


@pytest.fixture
def begin() -> datetime:
    """The first moment of this month."""
    return timezone.now().replace(day=1, hour=0, minute=0, second=0, microsecond=0)


@pytest.fixture
def lane(db: None, begin: datetime) -> LaneRun:
    """Of a run that began in the very last moment of the month before."""
    lane = planned_run(plans.PlannedLane("dnd/npcs", 0, "default", prices=PRICES)).lanes.get()
    Run.objects.update(created_at=begin - INSTANT)
    return lane


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> ScriptedServer:
    """Six chunks, one call of A_CALL tokens at a time."""
    return serving(ScriptedServer(answer({"npcs": []})), monkeypatch)


def used(lane: LaneRun, *calls: datetime) -> None:
    """Let the lane have used A_CALL tokens at each of the moments, by its row and its exchanges."""
    LaneRun.objects.filter(pk=lane.pk).update(calls=len(calls), prompt_tokens=A_CALL * len(calls))
    for at in calls:
        made = Exchange.objects.create(
            lane=lane, prompt_id="p", request=b"", reply=b"", outcome="ok", provider="openai", prompt_tokens=A_CALL
        )
        Exchange.objects.filter(pk=made.pk).update(created_at=at)


def month(tally: costs.Tally | None = None) -> costs.Used:
    """Return what the campaign has used in this month."""
    return (tally or costs.Tally()).of(Campaign.objects.get(), timezone.now())


@pytest.mark.parametrize(("cap", "amount", "calls"), CAPS)
def test_a_run_begun_last_month_asks_until_this_month_has_used_its_cap(
    server: ScriptedServer, lane: LaneRun, cap: str, amount: int | Decimal, calls: int
) -> None:
    Campaign.objects.update(**{f"monthly_{cap}": amount})
    with server:
        outcome = work(lane_id=lane.pk)

    assert (outcome, server.calls) == (Code.RUN_PAUSED, calls)
    assert Run.objects.get().pause_code == Code.RUN_CAP_REACHED


@pytest.mark.parametrize("kept", [True, False], ids=["exchanges kept", "exchanges purged"])
@pytest.mark.parametrize(("cap", "amount", "calls"), CAPS)
def test_a_run_paused_at_last_months_cap_resumes_and_asks_until_this_months(
    server: ScriptedServer, lane: LaneRun, begin: datetime, cap: str, amount: int | Decimal, calls: int, kept: bool
) -> None:
    """It had used more than a month may by then, which is last month's."""
    used(lane, *[begin - INSTANT] * 4)
    if not kept:
        Exchange.objects.all().delete()
    Campaign.objects.update(**{f"monthly_{cap}": amount})
    pausing.pause(run=lane.run, by=None, code=Code.RUN_CAP_REACHED)
    pausing.resume(run=lane.run, by=None)
    with server:
        outcome = work(lane_id=lane.pk)

    assert (outcome, server.calls) == (Code.RUN_PAUSED, calls)
    assert month().tokens == calls * A_CALL
    with pytest.raises(Conflict) as refused:
        pausing.resume(run=lane.run, by=None)
    assert refused.value.code is Code.RUN_CAP_REACHED


def test_a_month_that_an_older_run_has_used_starts_no_run(lane: LaneRun, begin: datetime) -> None:
    used(lane, begin - INSTANT, begin)
    Campaign.objects.update(monthly_token_cap=A_CALL)
    with pytest.raises(Conflict) as refused:
        runs.start(session=lane.run.session, pipeline=plans.named_pipeline("npcs-only"), lanes=None, by=None)

    assert refused.value.code is Code.RUN_CAP_REACHED


@pytest.mark.parametrize("beaten", [False, True], ids=["as it turns", "after a beat"])
def test_a_lane_at_work_while_the_month_turns_counts_in_each_what_it_used_in_it(
    lane: LaneRun, begin: datetime, beaten: bool
) -> None:
    token = leases.claim(lane_id=lane.pk, at=begin - INSTANT)
    assert token is not None
    used(lane, begin - INSTANT, begin - INSTANT, begin)
    if beaten:
        leases.beat(lane_id=lane.pk, token=token)
        # By now the row tells, whatever is left of the exchanges.
        Exchange.objects.all().delete()

    assert month().tokens == A_CALL
    assert month().money == "1.29 EUR"
    assert costs.used_by(LaneRun.objects.all()).tokens == 3 * A_CALL


def test_a_lane_claimed_again_in_a_month_counts_from_where_the_month_began(lane: LaneRun, begin: datetime) -> None:
    used(lane, begin - INSTANT, begin)
    first = leases.claim(lane_id=lane.pk, at=timezone.now())
    assert first is not None
    leases.give_back(lane_id=lane.pk, token=first)
    LaneRun.objects.update(calls=3, prompt_tokens=3 * A_CALL)
    leases.claim(lane_id=lane.pk, at=timezone.now())
    Exchange.objects.all().delete()

    assert (month().calls, month().tokens) == (2, 2 * A_CALL)


def test_each_month_anew_is_told_from_the_one_before(lane: LaneRun, begin: datetime) -> None:
    before = begin - timedelta(days=1)
    Run.objects.update(created_at=begin - timedelta(days=40))
    LaneRun.objects.update(prompt_tokens=A_CALL)
    token = leases.claim(lane_id=lane.pk, at=before)
    assert token is not None
    LaneRun.objects.update(prompt_tokens=3 * A_CALL)
    last = costs.Tally().of(Campaign.objects.get(), before).tokens
    leases.give_back(lane_id=lane.pk, token=token)
    leases.claim(lane_id=lane.pk, at=begin)
    LaneRun.objects.update(prompt_tokens=4 * A_CALL)

    assert (last, month().tokens) == (2 * A_CALL, A_CALL)


@pytest.mark.parametrize(("begun", "ended", "tokens"), [(0, 0, 2), (-1, 0, 1), (-1, -1, 0)])
def test_ended_lanes_at_the_edge(lane: LaneRun, begin: datetime, begun: int, ended: int, tokens: int) -> None:
    """A run that began with the month counts whole, one before it with what it used since, one that had ended not."""
    used(lane, begin - INSTANT, begin)
    Run.objects.update(created_at=begin + begun * INSTANT, state=Run.State.SUCCEEDED)
    LaneRun.objects.update(state=LaneRun.State.SUCCEEDED, finished_at=begin + ended * INSTANT)

    assert month().tokens == tokens * A_CALL


def test_a_tally_that_is_kept_over_the_edge_begins_anew(lane: LaneRun, begin: datetime) -> None:
    used(lane, begin - INSTANT, begin - INSTANT, begin)
    Run.objects.update(state=Run.State.SUCCEEDED)
    LaneRun.objects.update(state=LaneRun.State.SUCCEEDED, finished_at=begin)
    tally = costs.Tally()
    tally.of(Campaign.objects.get(), begin - INSTANT)

    assert month(tally).tokens == A_CALL


def test_what_a_cancelled_run_had_in_flight_counts(lane: LaneRun) -> None:
    leases.claim(lane_id=lane.pk, at=timezone.now())
    runs.cancel(run=lane.run, by=None)
    tally = costs.Tally()
    before = month(tally).tokens
    LaneRun.objects.update(prompt_tokens=A_CALL)

    assert (before, month(tally).tokens) == (0, A_CALL)


def test_other_prices_and_other_kinds_of_tokens_are_told_apart(lane: LaneRun, begin: datetime) -> None:
    Run.objects.update(plan=plans.to_json([plans.PlannedLane("dnd/npcs", 0, "default", prices=OTHER_PRICES)]))
    LaneRun.objects.update(calls=1, prompt_tokens=100, cached_tokens=40, completion_tokens=10)
    token = leases.claim(lane_id=lane.pk, at=begin)
    assert token is not None
    LaneRun.objects.update(calls=3, prompt_tokens=300, cached_tokens=90, completion_tokens=20)
    found = month()

    assert (found.calls, found.prompt, found.cached, found.completion) == (2, 200, 50, 10)
    # 150 at 0.02, 50 cached and 10 answered at 0.01.
    assert found.money == "3.60 EUR"


def test_a_run_of_this_month_keeps_no_account_of_another(lane: LaneRun) -> None:
    Run.objects.update(created_at=timezone.now())
    leases.claim(lane_id=lane.pk, at=timezone.now())

    assert "before" not in Run.objects.get().plan
