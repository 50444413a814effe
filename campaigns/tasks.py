"""What the task queue calls: ids in, codes out. What a task raised would be stored and logged, so nothing gets out."""

from __future__ import annotations

import logging
import os

from django import db
from django.utils import timezone

from campaigns import queue
from campaigns.actions import pulses
from campaigns.actions.work import work

logger = logging.getLogger(__name__)
SUPERVISOR_VARIABLE = "NOTARIUS_SUPERVISOR"


def work_lane(lane_id: int) -> dict[str, int | str]:
    """Do one lane and say how it ended."""
    _stamp()
    outcome = work(lane_id=lane_id)
    _stamp()
    return {"lane": lane_id, "outcome": outcome}


def canary(supervisor: str, hops: int) -> None:
    """Show that this cluster takes tasks; one meant for another supervisor's cluster goes back into the queue."""
    _stamp()
    if supervisor != os.environ.get(SUPERVISOR_VARIABLE) and hops > 0:
        queue.enqueue_canary(supervisor, hops - 1)


def _stamp() -> None:
    name = os.environ.get(SUPERVISOR_VARIABLE)
    if not name:
        return
    try:
        pulses.stamp(kind=pulses.CLUSTER, name=name, at=timezone.now())
    except db.Error as error:
        logger.error("the cluster's pulse was not written: %s", type(error).__name__)
