"""What has to happen again and again. The supervisor's loop calls it, so that it goes on while the task queue hangs."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from campaigns.actions import deliveries, exports, idempotency, pulses, retention, runs

logger = logging.getLogger(__name__)
SWEEP_S = 5.0
DAY = timedelta(days=1)


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
    """Remove what is past its time, once a day whichever supervisor comes first; a clock set back counts as a day."""
    last = pulses.last(kind=pulses.PURGE, name="daily")
    if last is not None and abs(at - last) < DAY:
        return
    pulses.stamp(kind=pulses.PURGE, name="daily", at=at)
    try:
        removed = {kind: count for kind, count in retention.purge_due(at=at).items() if count}
    except OSError as error:
        logger.error("purge: the disk failed with %s", type(error).__name__)
        return
    if removed:
        logger.info("purge: %s", ", ".join(f"{count} {kind}" for kind, count in removed.items()))
