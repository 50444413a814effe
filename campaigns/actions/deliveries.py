"""Deliveries: claimed by one worker, sent, settled; tried again later, given up in the end, forgotten after a while.

The row is the truth and the queue only rings. A claim is one compare-and-set that gives a fresh token and a lease;
whoever has lost the lease settles nothing. A worker that dies leaves a lease that runs out, and the sweep rings again:
the receiver may get a message twice, under the same id, but never not at all.
"""

from __future__ import annotations

import logging
import secrets
import time
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django import db
from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from campaigns import processes, queue
from campaigns.actions import ringing, webhooks
from campaigns.actions.locking import lock_campaign
from campaigns.models import Campaign, Delivery, Webhook
from campaigns.tracing import tracing
from campaigns.webhooks import sending, signing
from campaigns.webhooks.sending import Outcome
from extraction.codes import Code

if TYPE_CHECKING:
    from django.db.models import QuerySet

logger = logging.getLogger(__name__)

# Longer than everything that one attempt may take: name server, connection, answer.
LEASE = timedelta(seconds=120)
WAITS = tuple(timedelta(minutes=minutes) for minutes in (0.5, 2, 10, 30, 120, 360, 720))
MOST_ATTEMPTS = len(WAITS) + 1
MOST_RUNG = 200
KEPT = timedelta(days=30)
NOT_CLAIMED = "not_claimed"
DELIVERED = "delivered"
DATABASE_LOST = "database_lost"
State = Delivery.State
FINAL = frozenset({Code.WEBHOOK_GONE, Code.WEBHOOK_OWNER})


def deliver(*, delivery_id: int) -> str:
    """Try the delivery if it is free and due, and return how it went: `delivered`, `not_claimed` or a code.

    No exception leaves this function: the queue would store its words.
    """
    began = time.monotonic()
    with tracing(delivery=delivery_id):
        outcome = _tried(delivery_id)
        if outcome != NOT_CLAIMED:
            level = logging.INFO if outcome == DELIVERED else logging.WARNING
            logger.log(level, "delivery ended: outcome=%s seconds=%.1f", outcome, time.monotonic() - began)
    return outcome


def _tried(delivery_id: int) -> str:
    try:
        token = claim(delivery_id=delivery_id, at=timezone.now())
        if token is None:
            return NOT_CLAIMED
        outcome = _attempt(delivery_id)
        settle(delivery_id=delivery_id, token=token, outcome=outcome, at=timezone.now())
    except db.Error as error:
        # Nothing can be written now: the lease runs out, and the sweep has it tried again.
        logger.error("delivery %s: the database failed with %s", delivery_id, type(error).__name__)
        db.connections.close_all()
        return DATABASE_LOST
    except Exception as error:  # noqa: BLE001 - the one boundary: whatever a bug raises may quote an address
        logger.error("delivery %s: an unexpected %s", delivery_id, type(error).__name__)
        return Code.INTERNAL.value
    return DELIVERED if outcome.code is None else outcome.code.value


def claim(*, delivery_id: int, at: datetime) -> str | None:
    """Take the delivery if it is due, or if the lease of the one who had it ran out, and return the token."""
    token = secrets.token_hex(16)
    taken = _due(at).filter(pk=delivery_id)
    changed = taken.update(
        state=State.SENDING,
        token=token,
        holder=processes.holder_name(),
        lease_until=at + LEASE,
        attempts=F("attempts") + 1,
        code="",
        status=None,
    )
    return token if changed else None


@transaction.atomic
def settle(*, delivery_id: int, token: str, outcome: Outcome, at: datetime) -> bool:
    """Write down how the attempt ended. False, with nothing written, if the delivery is another worker's by now.

    A failed one waits for its next attempt; after the last, or where the receiver said that it is gone for good, it
    is given up. A webhook that has given up without one success in between is switched off.
    """
    campaign = Campaign.objects.filter(webhooks__deliveries=delivery_id).first()
    if campaign is None:
        return False
    lock_campaign(campaign.pk)
    rows = Webhook.objects.select_for_update(of=("self",)).select_related("campaign")
    webhook = rows.filter(deliveries=delivery_id).first()
    delivery = Delivery.objects.filter(pk=delivery_id, state=State.SENDING, token=token).first()
    if webhook is None or delivery is None:
        return False
    delivery.status, delivery.code = outcome.status, outcome.code.value if outcome.code else ""
    delivery.token, delivery.holder, delivery.lease_until = "", "", None
    if outcome.code is None:
        delivery.state, delivery.finished_at = State.DELIVERED, at
    elif outcome.code in FINAL or delivery.attempts >= MOST_ATTEMPTS or webhook.disabled_at is not None:
        delivery.state, delivery.finished_at = State.FAILED, at
    else:
        delivery.state, delivery.due_at, delivery.rung_at = State.WAITING, at + WAITS[delivery.attempts - 1], None
    delivery.save()
    if delivery.state == State.FAILED and webhook.disabled_at is None and _is_hopeless(webhook, delivery):
        webhooks.disable(webhook, Code(delivery.code), at)
    return True


def sweep(*, at: datetime) -> int:
    """Collect changes, give up what killed its worker too often, and ring for what is due.

    Returns how many deliveries were rung for. Any number of sweeps may run at once.
    """
    webhooks.announce_changes(at)
    _end_leases_of_the_dead(at)
    for pk, token in _interrupted(at).values_list("pk", "token")[:MOST_RUNG]:
        settle(delivery_id=pk, token=token, outcome=Outcome(Code.WEBHOOK_INTERRUPTED), at=at)
    return ringing.again(_due(at), queue.enqueue_delivery, at=at, most=MOST_RUNG)


def over(*, at: datetime) -> QuerySet[Delivery]:
    """Return the deliveries that ended long ago: the daily purge forgets them."""
    return Delivery.objects.filter(finished_at__lt=at - KEPT)


def _due(at: datetime) -> QuerySet[Delivery]:
    """Deliveries that a worker may take now."""
    free = Q(state=State.WAITING, due_at__lte=at) | Q(
        state=State.SENDING, lease_until__lt=at, attempts__lt=MOST_ATTEMPTS
    )
    return Delivery.objects.filter(free, webhook__in=Webhook.objects.filter(disabled_at=None))


def _interrupted(at: datetime) -> QuerySet[Delivery]:
    """Deliveries whose last attempt, or whose webhook, ended while they were being sent by a worker that is gone."""
    over = Q(attempts__gte=MOST_ATTEMPTS) | Q(webhook__disabled_at__isnull=False)
    return Delivery.objects.filter(over, state=State.SENDING, lease_until__lt=at)


def _end_leases_of_the_dead(at: datetime) -> None:
    """End the leases of workers of this machine that are gone; those of other machines have to run out."""
    sending = Delivery.objects.filter(state=State.SENDING, lease_until__gte=at)
    for pk, token, holder in sending.values_list("pk", "token", "holder"):
        if processes.is_dead(holder):
            sending.filter(pk=pk, token=token).update(lease_until=at - timedelta(seconds=1), rung_at=None)


def _attempt(delivery_id: int) -> Outcome:
    delivery = Delivery.objects.select_related("webhook__campaign", "webhook__owner").get(pk=delivery_id)
    webhook = delivery.webhook
    if not webhooks.may_get(delivery):
        return Outcome(Code.WEBHOOK_OWNER)
    body = delivery.body.encode()
    now = int(timezone.now().timestamp())
    headers = signing.headers(salt=webhook.salt, event_id=delivery.event_id, timestamp=now, body=body)
    return sending.send(webhook.url, body, headers, private=settings.WEBHOOK_PRIVATE_ADDRESSES)


def _is_hopeless(webhook: Webhook, delivery: Delivery) -> bool:
    """Say whether the webhook is to be switched off: gone, orphaned, or nothing got through since this was due."""
    if delivery.code == Code.WEBHOOK_GONE:
        return True
    if delivery.code == Code.WEBHOOK_OWNER:
        return webhooks.is_orphaned(webhook)
    return not webhook.deliveries.filter(state=State.DELIVERED, finished_at__gt=delivery.created_at).exists()
