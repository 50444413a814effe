from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from django.db import OperationalError
from django.utils import timezone
from django_q.models import OrmQ

from campaigns import queue
from campaigns.actions import leases, pulses
from campaigns.models import Export, LaneRun, WorkerPulse
from campaigns.processes import kill_group, machine_mark
from campaigns.supervisor import BOOT, Supervisor
from tests.campaigns.runs.conftest import planned_run
from tests.factories import make_campaign, make_user

IDLE = (sys.executable, "-c", "import time; time.sleep(600)")
CANARY = timedelta(seconds=15)


class Clock:
    """The steady clock of a supervisor, and ticks of it at times that both clocks agree about."""

    def __init__(self) -> None:
        self.now = 0.0
        self.start = timezone.now()

    def __call__(self) -> float:
        return self.now

    def tick(self, supervisor: Supervisor, after: timedelta, *, jump: timedelta = timedelta()) -> None:
        """Tick so long after the start; `jump` is how far the wall clock was set ahead meanwhile."""
        self.now = after.total_seconds()
        supervisor._tick(self.start + after + jump)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def supervisor(monkeypatch: pytest.MonkeyPatch, db: None, clock: Clock) -> Iterator[Supervisor]:
    """A supervisor of one worker, over a process that does nothing; the test moves the clock."""
    monkeypatch.setattr("django.db.connections.close_all", lambda: None)
    supervisor = Supervisor(command=IDLE, workers=1, canary_s=CANARY.total_seconds(), clock=clock)
    yield supervisor
    if supervisor._cluster is not None:
        kill_group(supervisor._cluster)


def started(supervisor: Supervisor) -> int:
    supervisor._tick(timezone.now())
    assert supervisor._cluster is not None
    return supervisor._cluster.pid


def test_take_over_alone_frees_what_an_earlier_cluster_had_taken(supervisor: Supervisor) -> None:
    queue.enqueue(1)
    OrmQ.objects.update(lock=timezone.now() + timedelta(hours=12))

    supervisor._take_over(timezone.now())

    assert queue.undelivered() == 1


def test_take_over_beside_another_supervisor_frees_nothing(supervisor: Supervisor) -> None:
    queue.enqueue(1)
    OrmQ.objects.update(lock=timezone.now() + timedelta(hours=12))
    pulses.stamp(kind=pulses.SUPERVISOR, name="elsewhere:1", at=timezone.now())

    supervisor._take_over(timezone.now())

    assert queue.undelivered() == 0


def test_tick_rings_one_canary_and_waits_for_its_answer(supervisor: Supervisor, clock: Clock) -> None:
    started(supervisor)

    clock.tick(supervisor, timedelta(seconds=16))
    clock.tick(supervisor, timedelta(seconds=32))

    assert OrmQ.objects.count() == 1


def test_silent_cluster_is_started_anew(supervisor: Supervisor, clock: Clock) -> None:
    first = started(supervisor)

    clock.tick(supervisor, BOOT - timedelta(seconds=5))
    patient = supervisor._cluster
    clock.tick(supervisor, BOOT + timedelta(seconds=5))

    assert patient is not None
    assert patient.pid == first
    assert supervisor._cluster is not None
    assert supervisor._cluster.pid != first


def test_answering_cluster_is_left_alone(supervisor: Supervisor, clock: Clock) -> None:
    first = started(supervisor)
    later = timedelta(minutes=10)
    pulses.stamp(kind=pulses.CLUSTER, name=supervisor.name, at=clock.start + later)

    clock.tick(supervisor, later + CANARY)

    assert supervisor._cluster is not None
    assert supervisor._cluster.pid == first


def hold(holder: str, until: datetime, what: type[LaneRun] | type[Export]) -> None:
    """Have the holder work on one lane, or on one export."""
    if what is LaneRun:
        lane = planned_run().lanes.get()
        LaneRun.objects.filter(pk=lane.pk).update(state="running", token="t", holder=holder, lease_until=until)
    else:
        Export.objects.create(
            campaign=make_campaign("c"),
            format=Export.Format.JSON,
            state=Export.State.RUNNING,
            holder=holder,
            lease_until=until,
            ordered_by=make_user("somebody"),
        )


@pytest.mark.parametrize("what", [LaneRun, Export])
def test_silent_cluster_with_every_worker_busy_is_left_alone(
    supervisor: Supervisor, clock: Clock, what: type[LaneRun] | type[Export]
) -> None:
    first = started(supervisor)
    later = timedelta(minutes=10)
    hold(f"{machine_mark()}:{first}", clock.start + later + leases.LEASE, what)

    clock.tick(supervisor, later)
    clock.tick(supervisor, later + timedelta(seconds=20))

    assert supervisor._cluster is not None
    assert supervisor._cluster.pid == first


@pytest.mark.parametrize("jump", [timedelta(hours=8), timedelta(hours=-8)], ids=["slept", "set-back"])
def test_jump_of_the_clock_neither_restarts_the_cluster_nor_stops_the_sweep(
    supervisor: Supervisor, clock: Clock, jump: timedelta
) -> None:
    first = started(supervisor)
    pulses.stamp(kind=pulses.CLUSTER, name=supervisor.name, at=clock.start)
    lane = planned_run().lanes.get()
    LaneRun.objects.update(rung_at=clock.start)

    clock.tick(supervisor, timedelta(seconds=1), jump=jump)
    lane.refresh_from_db()
    at_once = lane.rung_at
    OrmQ.objects.all().delete()  # the canary: while it waits, nobody is rung for again
    clock.tick(supervisor, timedelta(seconds=30), jump=jump)

    assert supervisor._cluster is not None
    assert supervisor._cluster.pid == first
    lane.refresh_from_db()
    assert (at_once, lane.rung_at) == (clock.start, clock.start + timedelta(seconds=30) + jump)


def test_clock_set_ahead_leaves_live_workers_time_to_beat(supervisor: Supervisor, clock: Clock) -> None:
    started(supervisor)
    lane = planned_run().lanes.get()
    token = leases.claim(lane_id=lane.pk, at=clock.start)
    ahead = timedelta(hours=1)

    clock.tick(supervisor, timedelta(seconds=1), jump=ahead)
    clock.tick(supervisor, timedelta(seconds=6), jump=ahead)
    lane.refresh_from_db()
    held = (lane.state, lane.token)
    clock.tick(supervisor, timedelta(seconds=12), jump=ahead)
    lane.refresh_from_db()

    assert held == (LaneRun.State.RUNNING, token)
    assert lane.state == LaneRun.State.QUEUED


def test_silent_cluster_is_noticed_after_the_clock_was_set_back(supervisor: Supervisor, clock: Clock) -> None:
    first = started(supervisor)
    pulses.stamp(kind=pulses.CLUSTER, name=supervisor.name, at=clock.start)
    back = timedelta(hours=-8)

    clock.tick(supervisor, timedelta(seconds=1), jump=back)
    clock.tick(supervisor, BOOT + timedelta(seconds=5), jump=back)

    assert supervisor._cluster is not None
    assert supervisor._cluster.pid != first


def test_restart_gives_back_live_lanes_uncounted(supervisor: Supervisor) -> None:
    first = started(supervisor)
    lane = planned_run().lanes.get()
    leases.claim(lane_id=lane.pk, at=timezone.now())
    LaneRun.objects.update(holder=f"{machine_mark()}:{first}")
    assert supervisor._cluster is not None

    supervisor._restart(supervisor._cluster, timezone.now())

    lane.refresh_from_db()
    assert (lane.state, lane.attempts) == (LaneRun.State.QUEUED, 0)


def test_cluster_that_keeps_ending_is_started_ever_later(monkeypatch: pytest.MonkeyPatch, db: None) -> None:
    monkeypatch.setattr("django.db.connections.close_all", lambda: None)
    supervisor = Supervisor(command=(sys.executable, "-c", ""), workers=1, canary_s=15)
    waits = []
    at = timezone.now()
    for _ in range(7):
        supervisor._tick(at)
        assert supervisor._cluster is not None
        supervisor._cluster.wait()
        supervisor._tick(at)
        waits.append((supervisor._start_at - at).total_seconds())
        at = supervisor._start_at

    assert waits == [2, 4, 8, 16, 30, 30, 30]


def test_database_that_is_away_does_not_end_the_supervisor(
    supervisor: Supervisor, caplog: pytest.LogCaptureFixture
) -> None:
    def away(_: object) -> None:
        raise OperationalError("secret of a server")

    supervisor._with_database(away)

    assert "OperationalError" in caplog.text
    assert "secret" not in caplog.text


def test_shut_down_removes_its_pulses(supervisor: Supervisor) -> None:
    started(supervisor)
    pulses.stamp(kind=pulses.CLUSTER, name=supervisor.name, at=timezone.now())
    supervisor.stopping.set()

    supervisor.run()

    assert not WorkerPulse.objects.filter(name__contains=supervisor.name).exists()
    assert supervisor._cluster is not None
    assert supervisor._cluster.returncode is not None


def test_old_pulses_are_forgotten(db: None) -> None:
    now = timezone.now()
    pulses.stamp(kind=pulses.SUPERVISOR, name="gone:1", at=now - timedelta(days=2))
    pulses.stamp(kind=pulses.SUPERVISOR, name="here:1", at=now)

    pulses.forget_old(at=now)

    assert pulses.any_supervisor(at=now)
    assert not pulses.any_supervisor(at=now, but="here:1")
    assert WorkerPulse.objects.count() == 1
