"""A run with one queued lane, and a way to do things from several connections at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import pytest
from django.db import connections

from campaigns.actions import plans
from campaigns.actions.plans import PlannedLane
from campaigns.models import LaneRun, Run
from tests.factories import make_transcript

T = TypeVar("T")


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


def side_by_side(calls: Sequence[Callable[[], T]]) -> list[T]:
    """Return the results of calls made at once, each on a connection of its own."""

    def alone(call: Callable[[], T]) -> T:
        try:
            return call()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(alone, calls))


@pytest.fixture
def lane(db: None) -> LaneRun:
    return planned_run().lanes.get()


@pytest.fixture
def rung(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Lanes rung for, instead of tasks in the queue's table."""
    calls: list[int] = []
    monkeypatch.setattr("campaigns.queue.enqueue", calls.append)
    return calls
