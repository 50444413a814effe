"""Keep calls in flight up to the seats a lane holds, and take every answer as it comes."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Generic, TypeAlias, TypeVar

from extraction.errors import LlmError, RunPaused
from extraction.lanes.pool import CallPool
from extraction.lanes.ports import LanePorts

T = TypeVar("T")
Stopped: TypeAlias = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Again(Generic[T]):
    """What a call returns whose answer was of no use: the call to make next, if another one may start."""

    call: Callable[[], T | Again[T]]


Call: TypeAlias = Callable[[Stopped], T | Again[T]]
"""A call asks `stopped` before it tries again where no answer came: once it says True, there may be no further try."""
Waiting: TypeAlias = deque[Callable[[], T | Again[T]]]

TICK_S = 0.5


def run_side_by_side(calls: Sequence[Call[T]], *, limit: int, ports: LanePorts, done: Callable[[T], None]) -> None:
    """Run the calls, at most `limit` and the held seats at a time, and hand each result to `done` in this thread.

    A slot is refilled before the next result is taken, but never before the last one is kept: what a crash can
    repeat is what was in flight. A call that is to be made again waits for its turn as any other does, before those
    that were not made yet. After an LlmError no further call starts; those in flight are waited for and kept, since
    they are paid for, and then the first error is raised; the same with RunPaused where `ports.hold` says so.
    RunCancelled and LeaseLost abandon everything: no further round trip starts, and the seats of those under way are
    left to run out, so that the limit holds.
    """
    stop = threading.Event()
    pool: CallPool[T | Again[T]] = CallPool(min(limit, len(calls)))
    waiting: Waiting[T] = deque(partial(call, stop.is_set) for call in calls)
    running: set[Future[T | Again[T]]] = set()
    failure: LlmError | RunPaused | None = None
    try:
        while running or (waiting and failure is None):
            if ports.hold():
                stop.set()
                failure = failure or (RunPaused("The run is paused.") if waiting else None)
            if failure is None:
                _start_calls(pool, waiting, running, ports, limit)
            # One at a time, so that its slot is filled before the next is kept.
            for future in islice(_ended(running), 1):
                running.discard(future)
                try:
                    result = future.result()
                    if isinstance(result, Again):
                        waiting.appendleft(result.call)
                    else:
                        done(result)
                except LlmError as error:
                    # A call that was cut off while it waited to try again has not failed.
                    failure = failure or (RunPaused("The run is paused.") if stop.is_set() else error)
            ports.pulse()
    finally:
        stop.set()
        pool.close()
        if not running:
            ports.seats.release()
    if failure is not None:
        raise failure


def _start_calls(
    pool: CallPool[T | Again[T]],
    waiting: Waiting[T],
    running: set[Future[T | Again[T]]],
    ports: LanePorts,
    limit: int,
) -> None:
    in_flight = len(running)
    allowed = min(limit, ports.seats.resize(in_flight=in_flight, wanted=min(limit, in_flight + len(waiting))))
    for _ in range(min(allowed - in_flight, len(waiting))):
        running.add(pool.submit(waiting.popleft()))


def _ended(running: set[Future[T]]) -> set[Future[T]]:
    if not running:
        time.sleep(TICK_S)
        return set()
    return wait(running, timeout=TICK_S, return_when=FIRST_COMPLETED).done
