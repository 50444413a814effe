"""How long a lane has waited for a worker: since it was queued, and not since it was last rung for."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from campaigns import now
from campaigns.actions import leases, pausing, plans, runs
from campaigns.models import LaneRun, Run
from tests.campaigns.runs.conftest import planned_run
from tests.factories import make_result, make_transcript

LONG = timedelta(seconds=600)


@pytest.fixture
def at() -> datetime:
    return timezone.now()


def waited(lane: LaneRun) -> datetime | None:
    lane.refresh_from_db()
    return lane.queued_at


def aged(lane: LaneRun, at: datetime) -> None:
    """Let the lane have been queued, and rung for, long ago."""
    LaneRun.objects.filter(pk=lane.pk).update(queued_at=at - LONG, rung_at=at - LONG)


def test_a_lane_that_is_rung_for_again_has_waited_as_long(
    lane: LaneRun, at: datetime, rung: list[int], django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    aged(lane, at)
    with django_capture_on_commit_callbacks(execute=True):
        runs.sweep(at=at)
    lane.refresh_from_db()

    assert (rung, lane.rung_at) == ([lane.pk], at)
    assert lane.queued_at == at - LONG
    assert now.read_now().queue_age >= LONG.total_seconds()


def test_a_started_runs_first_lanes_wait_from_its_start(db: None, at: datetime, rung: list[int]) -> None:
    run = runs.start(session=make_transcript().session, pipeline=plans.named_pipeline("npcs-only"), lanes=None, by=None)
    lane = run.lanes.get()

    assert lane.queued_at == lane.rung_at is not None
    assert waited(lane) >= at  # type: ignore[operator]  # the line before says that it is there


def test_a_lane_of_a_later_step_waits_from_when_its_turn_came(db: None, at: datetime, rung: list[int]) -> None:
    first = plans.PlannedLane("dnd/npcs", 0, "default")
    second = plans.PlannedLane("dnd/npc-occurrences", 1, "default", needs=("dnd/npcs",))
    lane, later = planned_run(first, second).lanes.order_by("step")
    token = leases.claim(lane_id=lane.pk, at=at)
    assert token is not None
    before = waited(later)
    runs.finish(lane_id=lane.pk, token=token, result=make_result(lane.run.transcript))
    after = waited(later)

    assert before is None
    assert after is not None
    assert after >= at


def test_a_lane_that_is_given_back_waits_anew_before_anybody_rings(lane: LaneRun, at: datetime) -> None:
    aged(lane, at)
    token = leases.claim(lane_id=lane.pk, at=at)
    assert token is not None
    leases.give_back(lane_id=lane.pk, token=token)
    since = waited(lane)

    assert lane.rung_at is None
    assert since is not None
    assert since >= at
    LaneRun.objects.update(queued_at=at - LONG)
    assert now.read_now().queue_age >= LONG.total_seconds()


def test_a_lane_whose_worker_is_gone_waits_from_when_that_was_noticed(
    lane: LaneRun, at: datetime, rung: list[int]
) -> None:
    aged(lane, at)
    leases.claim(lane_id=lane.pk, at=at)
    noticed = at + 2 * leases.LEASE
    runs.sweep(at=noticed)

    assert waited(lane) == noticed


def test_a_resumed_runs_lanes_waited_for_a_person_until_then(lane: LaneRun, at: datetime, rung: list[int]) -> None:
    aged(lane, at)
    pausing.pause(run=lane.run, by=None)
    pausing.resume(run=lane.run, by=None)
    since = waited(lane)

    assert since is not None
    assert since >= at
    assert now.read_now().queue_age < LONG.total_seconds()


def test_a_lane_that_an_older_release_queued_is_told_by_its_doorbell(lane: LaneRun, at: datetime) -> None:
    Run.objects.update(state=Run.State.RUNNING)
    LaneRun.objects.update(queued_at=None, rung_at=at - LONG)

    assert now.read_now().queue_age >= LONG.total_seconds()


def test_nobody_waits_less_than_no_time(lane: LaneRun, at: datetime) -> None:
    LaneRun.objects.update(queued_at=at + LONG)

    assert now.read_now().queue_age == 0.0
