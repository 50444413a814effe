"""Keep calls in flight up to the seats a lane holds, and take every answer as it comes."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from functools import partial
from typing import TypeAlias, TypeVar

from extraction.errors import LlmError, RunPaused
from extraction.lanes.pool import CallPool
from extraction.lanes.ports import LanePorts

T = TypeVar("T")
Stopped: TypeAlias = Callable[[], bool]
Call: TypeAlias = Callable[[Stopped], T]
"""A call asks `stopped` before each further round trip: once it answers True, there may be none."""

TICK_S = 0.5


def run_side_by_side(calls: Sequence[Call[T]], *, limit: int, ports: LanePorts, done: Callable[[T], None]) -> None:
    """Run the calls, at most `limit` and the held seats at a time, and hand each result to `done` in this thread.

    A slot is refilled before the next result is taken, but never before the last one is kept: what a crash can
    repeat is what was in flight. After an LlmError no further call starts; those in flight are waited for and kept,
    since they are paid for, and then the first error is raised; the same with RunPaused where `ports.hold` says so,
    which lets no call that is in flight ask once more either.
    RunCancelled and LeaseLost abandon everything: no further round trip starts, and the seats of those under way are
    left to run out, so that the limit holds.
    """
    stop = threading.Event()
    pool: CallPool[T] = CallPool(min(limit, len(calls)))
    waiting = deque(calls)
    running: set[Future[T]] = set()
    failure: LlmError | RunPaused | None = None
    try:
        while running or (waiting and failure is None):
            if failure is None and ports.hold():
                stop.set()
                failure = RunPaused("The run is paused.") if waiting else None
            if failure is None:
                _start_calls(pool, waiting, running, ports, limit, stop.is_set)
            for future in _ended(running):
                running.discard(future)
                try:
                    done(future.result())
                except (LlmError, RunPaused) as error:
                    # A call that was cut off while it waited to try again has not failed.
                    failure = failure or (RunPaused("The run is paused.") if stop.is_set() else error)
                if failure is None and not (waiting and ports.hold()):
                    _start_calls(pool, waiting, running, ports, limit, stop.is_set)
            ports.pulse()
    finally:
        stop.set()
        pool.close()
        if not running:
            ports.seats.release()
    if failure is not None:
        raise failure


def _start_calls(
    pool: CallPool[T],
    waiting: deque[Call[T]],
    running: set[Future[T]],
    ports: LanePorts,
    limit: int,
    stopped: Stopped,
) -> None:
    in_flight = len(running)
    allowed = min(limit, ports.seats.resize(in_flight=in_flight, wanted=min(limit, in_flight + len(waiting))))
    for _ in range(min(allowed - in_flight, len(waiting))):
        running.add(pool.submit(partial(waiting.popleft(), stopped)))


def _ended(running: set[Future[T]]) -> set[Future[T]]:
    if not running:
        time.sleep(TICK_S)
        return set()
    return wait(running, timeout=TICK_S, return_when=FIRST_COMPLETED).done
