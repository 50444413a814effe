"""A run with one queued lane, and what was rung for."""

from __future__ import annotations

import pytest

from campaigns.actions import plans
from campaigns.actions.plans import PlannedLane
from campaigns.models import LaneRun, Run
from tests.factories import make_transcript


def planned_run(*lanes: PlannedLane) -> Run:
    """Store a run of these lanes as `start` leaves it, without ringing: the first step queued, the others waiting."""
    lanes = lanes or (PlannedLane("dnd/npcs", 0, "default"),)
    transcript = make_transcript()
    run = Run.objects.create(
        session=transcript.session, transcript=transcript, pipeline="test", plan=plans.to_json(lanes)
    )
    for lane in lanes:
        state = LaneRun.State.QUEUED if lane.step == 0 else LaneRun.State.WAITING
        LaneRun.objects.create(run=run, key=lane.lane, step=lane.step, state=state)
    return run


@pytest.fixture
def lane(db: None) -> LaneRun:
    return planned_run().lanes.get()


@pytest.fixture
def rung(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Lanes rung for, instead of tasks in the queue's table."""
    calls: list[int] = []
    monkeypatch.setattr("campaigns.queue.enqueue", calls.append)
    return calls
