"""Acts at the same time, each on a database connection of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

from django import db

PATIENCE_S = 120.0
T = TypeVar("T")


def at_once(*acts: Callable[[], T]) -> list[T]:
    """Do the acts in threads that start together; return what each returned, or raise what one raised.

    AssertionError says when some still wait for each other after all patience.
    """
    gate = threading.Barrier(len(acts))

    def alone(act: Callable[[], T]) -> T:
        try:
            gate.wait(timeout=PATIENCE_S)
            return act()
        finally:
            db.connections.close_all()

    pool = ThreadPoolExecutor(len(acts))
    doing = [pool.submit(alone, act) for act in acts]
    hanging = wait(doing, timeout=PATIENCE_S).not_done
    pool.shutdown(wait=not hanging)
    assert not hanging, f"{len(hanging)} of {len(acts)} acts did not end"
    return [each.result() for each in doing]
