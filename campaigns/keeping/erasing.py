"""What was deleted leaves the database's files too, as far as the database can be told to.

SQLite keeps deleted words in two places: in the segments of the search index, and in the write-ahead log until it is
written over. PostgreSQL keeps deleted rows until their room is used again, which is its own affair.
"""

from __future__ import annotations

import logging
from functools import partial

from django.db import OperationalError, connection, transaction

from campaigns.search.backends import backend

logger = logging.getLogger(__name__)
# While the log is emptied nobody writes: who reads for longer than this, a backup say, is not waited for.
PATIENCE_MS = 2_000
# A request waits for the index to be merged, or a supervisor that has to show that it is alive.
WITHIN_S = 5.0


def erase_deleted(*, whole: bool = False) -> None:
    """Have nothing of what this transaction deletes stay in the files once it is committed.

    What cannot go at that moment goes with the next call, which is the supervisor's of every day at the latest. With
    `whole` the index is merged to its end, however long that takes: nobody may wait for the caller.
    """
    transaction.on_commit(partial(_erase, whole=whole), robust=True)


def _erase(*, whole: bool) -> None:
    if not backend().compact(within_s=None if whole else WITHIN_S):
        logger.warning("erase: the search index is not merged to its end; the next purge goes on")
    if connection.vendor == "sqlite" and not _empty_log():
        logger.warning("erase: the write-ahead log is in use; it is emptied at the next purge")


def _empty_log() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout")
        (patience,) = cursor.fetchone()
        cursor.execute(f"PRAGMA busy_timeout={PATIENCE_MS}")
        try:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            (busy, *_) = cursor.fetchone()
        except OperationalError:  # locked by a statement of this very connection
            return False
        finally:
            cursor.execute(f"PRAGMA busy_timeout={patience}")
    return not busy
