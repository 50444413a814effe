"""What can be done to a running installation, each for real. A fault returns whether it could be done."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias

from tests.campaigns.supervisor.installation import Installation
from tests.soak.clock import Clock
from tests.soak.cluster import MONITOR, PUSHER, Processes, kill, kill_group
from tests.soak.disk import SmallDisk
from tests.soak.model import FAULTS, Model
from tests.soak.postgres import Postgres

HOUR_S = 3600
STALLED_S = 36.0  # longer than a lease
FULL_S = 3.0


@dataclass(slots=True)
class Stage:
    """All that faults act on. `busy` tells which processes of this machine hold a lane now."""

    place: Installation
    processes: Processes
    model: Model
    busy: Callable[[], set[int]]
    dice: random.Random
    postgres: Postgres | None = None
    clock: Clock | None = None
    disk: SmallDisk | None = None


Fault: TypeAlias = Callable[[Stage], bool]


def _kill_one(pids: list[int], dice: random.Random) -> bool:
    if pids:
        kill(dice.choice(pids))
    return bool(pids)


def busy_worker(on: Stage) -> bool:
    return _kill_one(sorted(on.busy()), on.dice)


def idle_worker(on: Stage) -> bool:
    pid = on.processes.idle_worker(on.busy())
    return pid is not None and _kill_one([pid], on.dice)


def monitor(on: Stage) -> bool:
    return _kill_one(on.processes.of(MONITOR), on.dice)


def pusher(on: Stage) -> bool:
    return _kill_one(on.processes.of(PUSHER), on.dice)


def sentinel(on: Stage) -> bool:
    pid = on.processes.sentinel()
    on.processes.doom()
    return pid is not None and _kill_one([pid], on.dice)


def main(on: Stage) -> bool:
    pid = on.processes.main()
    on.processes.doom()
    return pid is not None and _kill_one([pid], on.dice)


def cluster(on: Stage) -> bool:
    leader = on.processes.main()
    on.processes.doom()
    if leader is not None:
        kill_group(leader)
    return leader is not None


def supervisor(on: Stage) -> bool:
    """The supervisor dies, and its cluster with it; whoever watches over services starts it again."""
    running = on.processes.supervisor
    if running is None:
        return False
    on.processes.doom()
    running.kill()
    running.wait()
    on.processes.start()
    return True


def stalled_worker(on: Stage) -> bool:
    """A worker that stands still for longer than its lease, and then goes on as if nothing had been."""
    busy = sorted(on.busy())
    if not busy:
        return False
    pid = on.dice.choice(busy)
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)
        time.sleep(STALLED_S)
        os.kill(pid, signal.SIGCONT)
    return True


def database(on: Stage) -> bool:
    if on.postgres is None:
        return False
    on.postgres.crash()
    time.sleep(on.dice.uniform(0.0, 2.0))
    on.postgres.start()
    return True


def disk_full(on: Stage) -> bool:
    if on.disk is None:
        return False
    on.disk.fill()
    time.sleep(FULL_S)
    on.disk.clear()
    if on.postgres is not None and not on.postgres.running():
        on.postgres.start()  # it stops by itself where it cannot write its log
    return True


def clock_ahead(on: Stage) -> bool:
    return _jump(on, HOUR_S)


def clock_back(on: Stage) -> bool:
    return _jump(on, -HOUR_S)


def _jump(on: Stage, seconds: int) -> bool:
    if on.clock is not None:
        on.clock.jump(seconds)
    return on.clock is not None


def _misbehaving(fault: str) -> Fault:
    def misbehave(on: Stage) -> bool:
        on.model.misbehave(fault, on.dice.randint(2, 10))
        return True

    return misbehave


def poison(on: Stage) -> bool:
    """A chunk ends the worker that asks about it, as one that runs out of memory would: the batch sees to that."""
    return on.model.poisoned


DISK_FULL = "disk full"
KILLS: dict[str, Fault] = {
    "a busy worker": busy_worker,
    "the next idle worker": idle_worker,
    "monitor": monitor,
    "sentinel": sentinel,
    "pusher": pusher,
    "main": main,
    "the whole cluster": cluster,
    "the supervisor": supervisor,
    "a worker stalled beyond its lease": stalled_worker,
    "PostgreSQL": database,
    DISK_FULL: disk_full,
    "the clock an hour ahead": clock_ahead,
    "the clock an hour back": clock_back,
}
POISON = "a poison lane"
ENDPOINT: dict[str, Fault] = {f"endpoint: {name}": _misbehaving(name) for name in FAULTS}
# What waits for a lease of another worker's, or for many other runs, is left to the long form.
SHORT = ("a busy worker", "the whole cluster", "PostgreSQL", "endpoint: half a JSON")
ALL = {**KILLS, **ENDPOINT, POISON: poison}


def possible(on: Stage, *, short: bool) -> list[str]:
    """Return the faults that this installation can have, all or those of the short form."""
    missing = set()
    if on.postgres is None:
        missing.add("PostgreSQL")
    if on.disk is None:
        missing.add(DISK_FULL)
    if on.clock is None:
        missing |= {"the clock an hour ahead", "the clock an hour back"}
    return [name for name in (SHORT if short else ALL) if name not in missing]
