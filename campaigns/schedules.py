"""What has to happen again and again. The supervisor's loop calls it, so that it goes on while the task queue hangs."""

from __future__ import annotations

import logging
from contextlib import suppress
from datetime import datetime, timedelta

from django import db

from campaigns.actions import deliveries, exports, idempotency, pulses, retention, runs

logger = logging.getLogger(__name__)
SWEEP_S = 5.0
DAY = timedelta(days=1)
PURGE_LEASE = timedelta(minutes=10)


def sweep(*, supervisor: str, at: datetime) -> None:
    """Show that the supervisor is alive, and put right what dead workers and lost doorbells left behind."""
    pulses.stamp(kind=pulses.SUPERVISOR, name=supervisor, at=at)
    swept = runs.sweep(at=at)
    deliveries.sweep(at=at)
    exports.sweep(at=at)
    idempotency.purge(at=at)
    pulses.forget_old(at=at)
    purge_daily(at=at)
    if swept.taken_back or swept.rung:
        logger.info("sweep: %s lanes taken back, %s rung for again", swept.taken_back, swept.rung)


def purge_daily(*, at: datetime) -> None:
    """Remove what is past its time, once a day whichever supervisor comes first; a clock set back counts as a day.

    Raises db.Error where the database refused; the next sweep tries again then. What a killed supervisor was at is
    tried again after a while.
    """
    last = pulses.last(kind=pulses.PURGE, name="daily")
    if last is not None and abs(at - last) < DAY:
        return
    # The day is stamped once it is done: until then it is only kept from other supervisors for a while.
    _stamp_purge(at - DAY + PURGE_LEASE)
    try:
        removed = {kind: count for kind, count in retention.purge_due(at=at).items() if count}
    except OSError as error:
        logger.error("purge: the disk failed with %s", type(error).__name__)
        removed = {}
    except db.Error:
        # Where that fails too, the while runs out.
        with suppress(db.Error):
            _stamp_purge(at - DAY)
        raise
    _stamp_purge(at)
    if removed:
        logger.info("purge: %s", ", ".join(f"{count} {kind}" for kind, count in removed.items()))


def _stamp_purge(at: datetime) -> None:
    pulses.stamp(kind=pulses.PURGE, name="daily", at=at)
