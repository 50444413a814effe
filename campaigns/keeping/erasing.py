"""What was deleted leaves the database's files too, as far as the database can be told to.

SQLite keeps deleted words in two places: in the segments of the search index, and in the write-ahead log until it is
written over. PostgreSQL keeps deleted rows until their room is used again, which is its own affair.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import OperationalError, connection

from campaigns.committing import after_commit
from campaigns.search.backends import backend

logger = logging.getLogger(__name__)
# While the log is emptied nobody writes: who reads for longer than this, a backup say, or writes, is not waited for.
PATIENCE_MS = 2_000
# A request waits for the index to be merged, or a supervisor that has to show that it is alive.
WITHIN_S = 5.0


def erase_deleted(*, whole: bool = False) -> None:
    """Have nothing of what this transaction deletes stay in the files once it is committed.

    What cannot go at that moment goes with the next call, which is the supervisor's of every day at the latest. With
    `whole` the index is merged to its end, however long that takes: nobody may wait for the caller.
    """
    after_commit(_erase, whole=whole)


def _erase(*, whole: bool) -> None:
    with _little_patience():
        if not _merged(None if whole else WITHIN_S):
            logger.warning("erase: the search index is not merged to its end; the next purge goes on")
        if connection.vendor == "sqlite" and not _empty_log():
            logger.warning("erase: the write-ahead log is in use; it is emptied at the next purge")


def _merged(within_s: float | None) -> bool:
    try:
        return backend().compact(within_s=within_s)
    except OperationalError:  # somebody writes for longer than we wait
        return False


def _empty_log() -> bool:
    with connection.cursor() as cursor:
        try:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            (busy, *_) = cursor.fetchone()
        except OperationalError:  # locked by a statement of this very connection
            return False
    return not busy


@contextmanager
def _little_patience() -> Iterator[None]:
    """Wait for other connections to SQLite no longer than `PATIENCE_MS`, where a request would wait longer."""
    if connection.vendor != "sqlite":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout")
        (patience,) = cursor.fetchone()
        cursor.execute(f"PRAGMA busy_timeout={PATIENCE_MS}")
        try:
            yield
        finally:
            cursor.execute(f"PRAGMA busy_timeout={patience}")
