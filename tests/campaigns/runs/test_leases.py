from __future__ import annotations

from datetime import timedelta
from functools import partial

import pytest
from django.utils import timezone

from campaigns import processes
from campaigns.actions import leases, runs
from campaigns.models import CallSeat, LaneRun, Run
from extraction.errors import LeaseLost, RunCancelled
from tests.at_once import at_once
from tests.campaigns.runs.conftest import planned_run

State = LaneRun.State


def claimed(lane: LaneRun) -> str:
    token = leases.claim(lane_id=lane.pk, at=timezone.now())
    assert token is not None
    return token


def test_claim_of_queued_lane_takes_it(lane: LaneRun) -> None:
    at = timezone.now()

    token = leases.claim(lane_id=lane.pk, at=at)

    lane.refresh_from_db()
    assert (lane.state, lane.token, lane.attempts) == (State.RUNNING, token, 1)
    assert (lane.lease_until, lane.holder) == (at + leases.LEASE, processes.holder_name())
    assert Run.objects.get().state == Run.State.RUNNING


def test_claim_of_held_lane_is_refused(lane: LaneRun) -> None:
    claimed(lane)

    assert leases.claim(lane_id=lane.pk, at=timezone.now()) is None


def test_claim_after_lease_ran_out_gives_a_fresh_token(lane: LaneRun) -> None:
    first = claimed(lane)

    second = leases.claim(lane_id=lane.pk, at=timezone.now() + leases.LEASE + timedelta(seconds=1))

    assert second not in (None, first)
    lane.refresh_from_db()
    assert lane.attempts == 2


def test_claim_at_attempt_limit_is_refused(lane: LaneRun) -> None:
    LaneRun.objects.update(attempts=leases.MAX_ATTEMPTS)

    assert leases.claim(lane_id=lane.pk, at=timezone.now()) is None


@pytest.mark.parametrize("state", [state for state in State if state not in (State.QUEUED, State.RUNNING)])
def test_claim_of_lane_in_other_state_is_refused(lane: LaneRun, state: str) -> None:
    LaneRun.objects.update(state=state)

    assert leases.claim(lane_id=lane.pk, at=timezone.now()) is None


def test_claim_of_lane_of_cancelled_run_is_refused(lane: LaneRun) -> None:
    Run.objects.update(state=Run.State.CANCELLED)

    assert leases.claim(lane_id=lane.pk, at=timezone.now()) is None


def test_claim_of_unknown_lane_is_refused(db: None) -> None:
    assert leases.claim(lane_id=987_654, at=timezone.now()) is None


@pytest.mark.django_db(transaction=True)
def test_claim_by_several_at_once_succeeds_once() -> None:
    lane = planned_run().lanes.get()

    tokens = at_once(*[partial(leases.claim, lane_id=lane.pk, at=timezone.now())] * 6)

    assert len([token for token in tokens if token is not None]) == 1
    lane.refresh_from_db()
    assert lane.attempts == 1
    assert lane.token in tokens


def test_beat_extends_the_lease(lane: LaneRun) -> None:
    token = claimed(lane)
    LaneRun.objects.update(lease_until=timezone.now())

    leases.beat(lane_id=lane.pk, token=token)

    lane.refresh_from_db()
    assert lane.lease_until is not None
    assert lane.lease_until > timezone.now() + leases.LEASE / 2


def test_beat_with_stale_token_loses_the_lease(lane: LaneRun) -> None:
    claimed(lane)

    with pytest.raises(LeaseLost):
        leases.beat(lane_id=lane.pk, token="0" * 32)


def test_beat_of_cancelled_run_stops(lane: LaneRun) -> None:
    token = claimed(lane)
    runs.cancel(run=lane.run, by=None)

    with pytest.raises(RunCancelled):
        leases.beat(lane_id=lane.pk, token=token)


def test_give_back_does_not_count_the_attempt(lane: LaneRun) -> None:
    token = claimed(lane)
    CallSeat.objects.create(profile="default", holder=token, lease_until=timezone.now())

    assert leases.give_back(lane_id=lane.pk, token=token)

    lane.refresh_from_db()
    assert (lane.state, lane.attempts, lane.token, lane.rung_at) == (State.QUEUED, 0, "", None)
    assert not CallSeat.objects.exists()


def test_give_back_with_stale_token_changes_nothing(lane: LaneRun) -> None:
    token = claimed(lane)

    assert not leases.give_back(lane_id=lane.pk, token="0" * 32)

    lane.refresh_from_db()
    assert (lane.state, lane.token) == (State.RUNNING, token)
