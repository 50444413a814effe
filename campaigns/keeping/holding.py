"""What a restored backup would go on with as soon as a worker starts, and how it is kept from that."""

from __future__ import annotations

from typing import NamedTuple

from django.db import transaction
from django.utils import timezone

from campaigns.actions import pausing, webhooks
from campaigns.models import Delivery, Run, Webhook
from extraction.codes import Code

UNSENT = (Delivery.State.WAITING, Delivery.State.SENDING)


class Open(NamedTuple):
    """Ids of the runs that had not ended and were not paused, and how many webhook messages had not been sent."""

    runs: list[int]
    messages: int


def still_open() -> Open:
    """Return what goes on with the first worker."""
    runs = Run.objects.filter(state__in=Run.ACTIVE).order_by("pk").values_list("pk", flat=True)
    messages = Delivery.objects.filter(state__in=UNSENT, webhook__disabled_at=None)
    return Open(list(runs), messages.count())


@transaction.atomic
def hold() -> None:
    """Pause those runs and switch every webhook off; what had not been sent never will be.

    No worker may be alive: a message that one is sending is given up as well.
    """
    at = timezone.now()
    for run in Run.objects.filter(state__in=Run.ACTIVE):
        pausing.pause(run=run, by=None)
    for webhook in Webhook.objects.filter(disabled_at=None).select_related("campaign"):
        webhooks.disable(webhook, Code.WEBHOOK_DISABLED, at)
    Delivery.objects.filter(state__in=UNSENT).update(
        state=Delivery.State.FAILED,
        code=Code.WEBHOOK_DISABLED.value,
        finished_at=at,
        token="",
        holder="",
        lease_until=None,
    )
