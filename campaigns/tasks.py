"""What the task queue calls: ids in, codes out. What a task raised would be stored and logged, so nothing gets out."""

from __future__ import annotations

import logging
import os

from django import db
from django.utils import timezone

from campaigns import queue
from campaigns.actions import exports, pulses
from campaigns.actions.deliveries import deliver
from campaigns.actions.work import work

logger = logging.getLogger(__name__)
SUPERVISOR_VARIABLE = "NOTARIUS_SUPERVISOR"


def work_lane(lane_id: int) -> dict[str, int | str]:
    """Do one lane and say how it ended."""
    return {"lane": lane_id, "outcome": work(lane_id=lane_id)}


def deliver_message(delivery_id: int) -> dict[str, int | str]:
    """Try one message to a webhook and say how it went."""
    return {"delivery": delivery_id, "outcome": deliver(delivery_id=delivery_id)}


def work_export(export_id: int) -> dict[str, int | str]:
    """Make one export and say how it ended."""
    return {"export": export_id, "outcome": exports.work(export_id=export_id)}


def canary(supervisor: str, hops: int) -> None:
    """Show by being done that the cluster works; one for another supervisor's cluster goes back into the queue."""
    if supervisor != os.environ.get(SUPERVISOR_VARIABLE) and hops > 0:
        queue.enqueue_canary(supervisor, hops - 1)


def stamp_cluster(**_: object) -> None:
    """Note that this cluster took a task, did it and acknowledged it: called where the last of these happens."""
    name = os.environ.get(SUPERVISOR_VARIABLE)
    if not name:
        return
    try:
        pulses.stamp(kind=pulses.CLUSTER, name=name, at=timezone.now())
    except db.Error as error:
        logger.error("the cluster's pulse was not written: %s", type(error).__name__)
