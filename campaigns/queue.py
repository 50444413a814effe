"""The doorbell. Nothing else calls the task queue; what is rung carries a row's id and no content.

The queue delivers at least once, sometimes never, and not in order. None of that matters: a lane's own row says
whether there is work, and the sweep rings again where nobody came.
"""

from __future__ import annotations

from django.utils import timezone
from django_q.brokers import get_broker
from django_q.models import OrmQ
from django_q.tasks import async_task
from redis.exceptions import RedisError

# What a broker raises that is away and is not the database.
BrokerAway = RedisError
# A canary taken by another machine's cluster is passed on so often before it is given up.
CANARY_HOPS = 8


def enqueue(lane_id: int) -> None:
    """Ring for one lane."""
    async_task("campaigns.tasks.work_lane", lane_id)


def enqueue_delivery(delivery_id: int) -> None:
    """Ring for one message to a webhook."""
    async_task("campaigns.tasks.deliver_message", delivery_id)


def enqueue_export(export_id: int) -> None:
    """Ring for one export."""
    async_task("campaigns.tasks.work_export", export_id)


def enqueue_canary(supervisor: str, hops: int = CANARY_HOPS) -> None:
    """Ring for a canary: the named supervisor's cluster shows with it that it still takes tasks."""
    async_task("campaigns.tasks.canary", supervisor, hops)


def undelivered() -> int:
    """Return how many tasks no cluster has taken yet."""
    return int(get_broker().queue_size())


def free_undone_tasks() -> int:
    """Hand out again at once what clusters that are gone had taken; returns how many. Only without a live cluster."""
    now = timezone.now()
    freed: int = OrmQ.objects.filter(lock__gt=now).update(lock=now)
    return freed
