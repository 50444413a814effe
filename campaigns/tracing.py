"""Which request, run and lane the present work belongs to: what every log line of it says.

A run keeps the id of the request that started it, so that the lines of a worker lead back to the click.
"""

from __future__ import annotations

import logging
import re
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

# A proxy's id is taken over where it can forge nothing in a log or a header.
GIVEN_ID = re.compile(r"[A-Za-z0-9-]{8,40}")
META_KEY = "notarius.request_id"
_current: ContextVar[Mapping[str, str | int] | None] = ContextVar("notarius_trace", default=None)


def current() -> Mapping[str, str | int]:
    """Return the ids of the present work: `request`, `run` and `lane`, as far as there are any."""
    return _current.get() or {}


@contextmanager
def tracing(**ids: str | int) -> Iterator[None]:
    """Add the ids to all that is logged inside; empty ones are left out."""
    token = _current.set({**current(), **{name: value for name, value in ids.items() if value}})
    try:
        yield
    finally:
        _current.reset(token)


def ids_of(record: logging.LogRecord) -> Mapping[str, str | int]:
    """Return the ids that a line of the log belongs to.

    Django logs what was refused once the middleware is done: the id is on the request then, and no longer current.
    """
    own = getattr(getattr(record, "request", None), "META", {}).get(META_KEY)
    return {"request": own, **current()} if own else current()


def request_id(given: str | None) -> str:
    """Return the id that came with a request, or a new one where none came or it is not a plain word."""
    return given if given and GIVEN_ID.fullmatch(given) else uuid.uuid4().hex
