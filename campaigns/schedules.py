"""What has to happen again and again. The supervisor's loop calls it, so that it goes on while the task queue hangs."""

from __future__ import annotations

import logging
from datetime import datetime

from campaigns.actions import pulses, runs

logger = logging.getLogger(__name__)
SWEEP_S = 5.0


def sweep(*, supervisor: str, at: datetime) -> None:
    """Show that the supervisor is alive, and put right what dead workers and lost doorbells left behind."""
    pulses.stamp(kind=pulses.SUPERVISOR, name=supervisor, at=at)
    swept = runs.sweep(at=at)
    pulses.forget_old(at=at)
    if swept.taken_back or swept.rung:
        logger.info("sweep: %s lanes taken back, %s rung for again", swept.taken_back, swept.rung)
