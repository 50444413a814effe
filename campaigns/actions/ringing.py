"""Rows whose task the queue lost, or never had, are rung for again: the row is the truth, the queue a doorbell."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import Q

from campaigns import queue
from campaigns.committing import after_commit

if TYPE_CHECKING:
    from django.db.models import QuerySet

AGAIN = timedelta(seconds=20)


def again(waiting: QuerySet[Any], ring: Callable[[int], None], *, at: datetime, most: int | None = None) -> int:
    """Ring for the waiting rows for which nobody has rung of late, `most` of them; return for how many.

    Any number of these at once: each is a compare-and-set on what was seen.
    """
    # Rung for in the future: the clock was set back, and the queue will not hand out that task until then.
    forgotten = Q(rung_at=None) | Q(rung_at__lt=at - AGAIN) | Q(rung_at__gt=at + AGAIN)
    rows = list(waiting.filter(forgotten).values_list("pk", "rung_at")[:most])
    # With tasks still undelivered everybody is busy, and ringing would only lengthen the line.
    if not rows or queue.undelivered():
        return 0
    return sum(_rung(waiting.filter(pk=pk, rung_at=rung_at), ring, pk, at) for pk, rung_at in rows)


@transaction.atomic
def _rung(seen: QuerySet[Any], ring: Callable[[int], None], pk: int, at: datetime) -> bool:
    if not seen.update(rung_at=at):
        return False
    # A queue that is down fails nobody, and holds up no other writer.
    after_commit(ring, pk)
    return True
