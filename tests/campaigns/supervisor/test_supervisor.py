from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.db import OperationalError
from django.utils import timezone
from django_q.models import OrmQ

from campaigns import queue
from campaigns.actions import leases, pulses
from campaigns.models import LaneRun, WorkerPulse
from campaigns.processes import kill_group, machine_mark
from campaigns.supervisor import BOOT, Supervisor
from tests.campaigns.runs.conftest import planned_run

IDLE = (sys.executable, "-c", "import time; time.sleep(600)")
CANARY = timedelta(seconds=15)


@pytest.fixture
def supervisor(monkeypatch: pytest.MonkeyPatch, db: None) -> Iterator[Supervisor]:
    """A supervisor of one worker, over a process that does nothing; the test moves the clock."""
    monkeypatch.setattr("django.db.connections.close_all", lambda: None)
    supervisor = Supervisor(command=IDLE, workers=1, canary_s=CANARY.total_seconds())
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


def test_tick_rings_one_canary_and_waits_for_its_answer(supervisor: Supervisor) -> None:
    started(supervisor)

    supervisor._tick(timezone.now() + timedelta(seconds=16))
    supervisor._tick(timezone.now() + timedelta(seconds=32))

    assert OrmQ.objects.count() == 1


def test_silent_cluster_is_started_anew(supervisor: Supervisor) -> None:
    first = started(supervisor)

    supervisor._tick(timezone.now() + BOOT - timedelta(seconds=5))
    patient = supervisor._cluster
    supervisor._tick(timezone.now() + BOOT + timedelta(seconds=5))

    assert patient is not None
    assert patient.pid == first
    assert supervisor._cluster is not None
    assert supervisor._cluster.pid != first


def test_answering_cluster_is_left_alone(supervisor: Supervisor) -> None:
    first = started(supervisor)
    later = timezone.now() + timedelta(minutes=10)
    pulses.stamp(kind=pulses.CLUSTER, name=supervisor.name, at=later)

    supervisor._tick(later + CANARY)

    assert supervisor._cluster is not None
    assert supervisor._cluster.pid == first


def test_silent_cluster_with_every_worker_busy_is_left_alone(supervisor: Supervisor) -> None:
    first = started(supervisor)
    lane = planned_run().lanes.get()
    leases.claim(lane_id=lane.pk, at=timezone.now())
    later = timezone.now() + timedelta(minutes=10)
    LaneRun.objects.update(holder=f"{machine_mark()}:{first}", lease_until=later + leases.LEASE)

    supervisor._tick(later)
    supervisor._tick(later + timedelta(seconds=20))

    assert supervisor._cluster is not None
    assert supervisor._cluster.pid == first


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

    assert not WorkerPulse.objects.exists()
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
