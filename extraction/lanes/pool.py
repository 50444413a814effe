"""Model calls side by side.

Threads, because the client is a blocking one and a call is almost all waiting; daemons without a join at exit,
because a cancelled lane abandons its calls and must not wait for them (docs/adr).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Generic, TypeAlias, TypeVar

T = TypeVar("T")
Work: TypeAlias = "tuple[Future[T], Callable[[], T]] | None"


class CallPool(Generic[T]):
    """Runs calls in up to `limit` threads, made as they are needed. `close` lets them end and waits for none."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._work: SimpleQueue[Work[T]] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._in_flight = 0
        self._lock = threading.Lock()

    def submit(self, call: Callable[[], T]) -> Future[T]:
        future: Future[T] = Future()
        with self._lock:
            self._in_flight += 1
            if self._in_flight > len(self._threads) < self._limit:
                thread = threading.Thread(target=self._serve, name="notarius-call", daemon=True)
                self._threads.append(thread)
                thread.start()
        self._work.put((future, call))
        return future

    def close(self) -> None:
        for _ in self._threads:
            self._work.put(None)

    def _serve(self) -> None:
        while (item := self._work.get()) is not None:
            future, call = item
            try:
                result = call()
            except BaseException as error:  # noqa: BLE001 - carried to the thread that asked, which raises it
                self._ended()
                future.set_exception(error)
            else:
                self._ended()
                future.set_result(result)

    def _ended(self) -> None:
        with self._lock:
            self._in_flight -= 1
