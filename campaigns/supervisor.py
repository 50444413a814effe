"""Keeps one task cluster working: starts it, watches it with a canary, starts it anew, stops it.

A cluster can hang while all its processes live: a worker that is killed while it waits for a task takes the lock of
the task line with it, and a killed monitor that of the line of results. No process list shows that, so a canary does:
a tiny task, rung every few seconds, and a row is stamped when it was taken, done and acknowledged. Every other task
stamps it too. The canary counts as missing only while a worker should be free to take it: as long as each worker
holds a live lease, the canary's clock stands still. A cluster that is silent for three canary intervals is killed
with its whole process group, and its lanes resume from their checkpoints.

Times are the wall clock's, as other machines see them. When that clock jumps, because the machine slept or somebody
set it, everything measured before is forgotten, and the workers may beat before leases are judged by the new time.
"""

from __future__ import annotations

import logging
import os
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from django import db
from django.utils import timezone

from campaigns import processes, queue, schedules
from campaigns.actions import leases, pulses
from campaigns.tasks import SUPERVISOR_VARIABLE

logger = logging.getLogger(__name__)

PIPE_VARIABLE = "NOTARIUS_SUPERVISOR_PIPE"
TICK_S = 1.0
GRACE_S = 5.0
MAX_BACKOFF_S = 30.0
STEADY = timedelta(seconds=60)
STALE_CANARIES = 3
# A cluster imports the program before it takes its first task, which may be slow on a busy machine.
BOOT = timedelta(seconds=45)
# The wall clock and the steady one may drift apart by so much between two looks before it counts as a jump.
JUMP_S = 5.0
LONG_AGO = timedelta(days=1)


class Supervisor:
    """`run` works until `stopping` is set, then stops the cluster and returns."""

    def __init__(
        self,
        *,
        command: Sequence[str],
        workers: int,
        canary_s: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = processes.holder_name()
        self.stopping = threading.Event()
        self._command, self._workers, self._clock = tuple(command), workers, clock
        self._canary = timedelta(seconds=canary_s)
        # Only this process has the writing end: it closes when we die, however we die (processes.end_group_with).
        self._reading_end, self._writing_end = os.pipe()
        self._cluster: subprocess.Popen[bytes] | None = None
        self._start_at = self._free_since = timezone.now()
        self._rung = self._swept = self._start_at - LONG_AGO
        self._offset = self._start_at.timestamp() - clock()
        self._failures = 0

    def run(self) -> None:
        logger.info("supervisor %s: %s workers", self.name, self._workers)
        self._with_database(self._take_over)
        while not self.stopping.is_set():
            self._with_database(self._tick)
            processes.sleep_until_signal(self.stopping, TICK_S)
        self._shut_down()

    def _with_database(self, act: Callable[[datetime], None]) -> None:
        """Do it; a database or a broker that is away for a while must not end the supervisor."""
        try:
            act(timezone.now())
        except queue.BrokerAway as error:
            logger.error("supervisor: the broker failed with %s", type(error).__name__)
        except db.Error as error:
            logger.error("supervisor: the database failed with %s", type(error).__name__)
            db.connections.close_all()

    def _take_over(self, at: datetime) -> None:
        """Hand out at once what an earlier cluster had taken, unless another supervisor's cluster may hold it."""
        alone = not pulses.any_supervisor(at=at, but=self.name)
        pulses.stamp(kind=pulses.SUPERVISOR, name=self.name, at=at)
        if alone:
            queue.free_undone_tasks()

    def _tick(self, at: datetime) -> None:
        if self._jumped(at):
            logger.warning("supervisor: the clock jumped")
            self._start_at = self._free_since = at
            self._rung = at - LONG_AGO
            self._swept = at + timedelta(seconds=leases.BEAT_S)
        if self._cluster is None:
            if at >= self._start_at:
                self._start(at)
        elif self._cluster.poll() is not None:
            self._ended(self._cluster, at)
        if at - self._swept >= timedelta(seconds=schedules.SWEEP_S):
            self._swept = at
            schedules.sweep(supervisor=self.name, at=at)
        if self._cluster is not None:
            self._watch_canary(self._cluster, at)

    def _jumped(self, at: datetime) -> bool:
        before, self._offset = self._offset, at.timestamp() - self._clock()
        return abs(self._offset - before) > JUMP_S

    def _start(self, at: datetime) -> None:
        environ = {SUPERVISOR_VARIABLE: self.name, PIPE_VARIABLE: str(self._reading_end)}
        # Its own connection each: one inherited by a child would be used from two processes.
        db.connections.close_all()
        self._cluster = processes.start_child(self._command, environ=environ, keep=[self._reading_end])
        self._start_at = self._free_since = at
        logger.info("supervisor: started the task cluster, process %s", self._cluster.pid)

    def _ended(self, cluster: subprocess.Popen[bytes], at: datetime) -> None:
        """Take away what the cluster left behind, and plan the next one: at once, later if it keeps failing."""
        processes.kill_group(cluster)
        self._failures = 0 if at - self._start_at > STEADY else self._failures + 1
        wait_s = min(MAX_BACKOFF_S, 2.0**self._failures) if self._failures else 0.0
        logger.error("supervisor: the task cluster ended with %s; next start in %s s", cluster.returncode, wait_s)
        self._cluster, self._start_at = None, at + timedelta(seconds=wait_s)

    def _watch_canary(self, cluster: subprocess.Popen[bytes], at: datetime) -> None:
        busy = leases.busy_in_group(cluster.pid, at=at)
        seen = self._seen(at)
        if busy >= self._workers:
            self._free_since = at
        booted = seen is not None and seen > self._start_at
        patience = STALE_CANARIES * self._canary if booted else max(STALE_CANARIES * self._canary, BOOT)
        silent_since = self._free_since if seen is None else max(seen, self._free_since)
        if at - silent_since > patience:
            logger.error("supervisor: the task cluster takes no tasks though a worker is free; starting it anew")
            self._restart(cluster, at)
        elif at - self._rung >= self._canary and not self._canary_waits(seen):
            self._rung = at
            queue.enqueue_canary(self.name)

    def _seen(self, at: datetime) -> datetime | None:
        """Return when the cluster last did a task; what it did before the clock was set back tells nothing."""
        seen = pulses.last(kind=pulses.CLUSTER, name=self.name)
        return None if seen is None or seen > at + timedelta(seconds=JUMP_S) else seen

    def _canary_waits(self, seen: datetime | None) -> bool:
        """Return whether the last canary is still in the line: another behind it would tell nothing more."""
        return (seen is None or seen < self._rung) and queue.undelivered() > 0

    def _restart(self, cluster: subprocess.Popen[bytes], at: datetime) -> None:
        held = leases.held_in_group(cluster.pid, at=at)
        processes.kill_group(cluster)
        leases.give_back_all(held)
        self._take_over(at)
        self._start(at)

    def _shut_down(self) -> None:
        """Stop the cluster: what ends within the grace period may end, other lanes go back into the queue."""
        if self._cluster is not None:
            self._stop_cluster(self._cluster)
        os.close(self._writing_end)
        os.close(self._reading_end)
        self._with_database(lambda at: pulses.forget(name=self.name))
        logger.info("supervisor: stopped")

    def _stop_cluster(self, cluster: subprocess.Popen[bytes]) -> None:
        held: list[tuple[int, str]] = []

        def look(at: datetime) -> None:
            held.extend(leases.held_in_group(cluster.pid, at=at))

        self._with_database(look)
        processes.stop_child(cluster, grace_s=GRACE_S)
        # A lane that ended in the meantime is not ours to give back any more, which its token shows.
        self._with_database(lambda at: leases.give_back_all(held))
