"""Webhooks: made, removed, switched on again, and what they are told of.

What happened is announced inside the transaction in which it happens, as one `Delivery` for each webhook whose owner
may see it; changes of the registry are collected from the change feed by the sweep. `actions.deliveries` sends them.
A message carries ids, codes and addresses of this site, nothing that was said and no name.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction
from django.db.models import Max
from django.urls import reverse
from django.utils import timezone

from campaigns import queue
from campaigns.access import Need, may, standing
from campaigns.actions import audit
from campaigns.actions.locking import lock_campaign
from campaigns.committing import after_commit
from campaigns.errors import ActionError, Conflict, NotFound
from campaigns.library.changes import ChangeRow, changes
from campaigns.library.sight import sight_of
from campaigns.models import ArtifactVersion, Campaign, Change, Delivery, Edition, Event, Run, Webhook
from campaigns.webhooks import signing
from campaigns.webhooks.addresses import Refused, parse, resolve
from extraction.canonical import JsonValue, canonical_json
from extraction.codes import Code

if TYPE_CHECKING:
    from django.contrib.auth.models import User

SUBSCRIBABLE = (Event.RUN_FINISHED, Event.VERSION_APPROVED, Event.ENTITY_CHANGED)
# What the owner must be able to see for an event to be told; runs are seen by those who see what is pending.
NEEDS: Mapping[str, Need] = {Event.RUN_FINISHED: Need.SEE_PENDING}
MOST_WEBHOOKS = 20
MOST_CHANGES = 100
REFUSALS = {
    Code.WEBHOOK_INVALID: "A webhook's address begins with http:// or https:// and holds no password.",
    Code.WEBHOOK_UNRESOLVED: "No name server knows the webhook's address.",
    Code.WEBHOOK_ADDRESS: "The webhook's address leads into a private network, which this site does not send to.",
}
KINDS = {"npc": "npcs", "item": "items", "location": "locations"}


def create(*, campaign: Campaign, url: str, events: Sequence[str], site: str, by: User) -> tuple[Webhook, str]:
    """Return the webhook and its signing secret, which nothing shows again. `site` is where this site's pages begin.

    Raises ActionError for an address that may not be sent to, for no or unknown events and for one webhook too many.
    """
    chosen = [event.value for event in SUBSCRIBABLE if event.value in events]
    if not chosen or set(events) - set(chosen):
        raise ActionError(f"Events are: {', '.join(SUBSCRIBABLE)}; choose at least one.", code=Code.WEBHOOK_INVALID)
    try:
        # Asking the name server may take seconds: not while rows are locked.
        resolve(parse(url), private=settings.WEBHOOK_PRIVATE_ADDRESSES)
    except Refused as refused:
        raise ActionError(REFUSALS[refused.code], code=refused.code) from refused
    return _create(campaign, url, chosen, site, by)


@transaction.atomic
def _create(campaign: Campaign, url: str, events: list[str], site: str, by: User) -> tuple[Webhook, str]:
    # Who adds to the change feed holds this lock: the webhook begins exactly here.
    lock_campaign(campaign.pk)
    if campaign.webhooks.count() >= MOST_WEBHOOKS:
        raise ActionError(f"A campaign has at most {MOST_WEBHOOKS} webhooks.", code=Code.WEBHOOK_TOO_MANY)
    last = Change.objects.filter(campaign=campaign).aggregate(last=Max("number"))["last"] or 0
    webhook = Webhook.objects.create(
        campaign=campaign,
        owner=by,
        url=url,
        site=site.rstrip("/"),
        events=events,
        salt=secrets.token_hex(16),
        seen_change=last,
    )
    audit.record(by=by, act="webhook.create", subject=webhook, campaign=campaign, events=len(events))
    return webhook, signing.secret(webhook.salt)


@transaction.atomic
def remove(*, campaign: Campaign, webhook_id: int, by: User) -> None:
    """Delete the webhook with its deliveries. Raises NotFound outside the campaign."""
    webhook = _locked(campaign, webhook_id)
    audit.record(by=by, act="webhook.remove", subject=webhook, campaign=campaign)
    webhook.delete()


@transaction.atomic
def enable(*, campaign: Campaign, webhook_id: int, by: User) -> Webhook:
    """Tell a webhook again that was switched off: of what happens from now on. Raises NotFound outside the campaign."""
    webhook = _locked(campaign, webhook_id)
    if webhook.disabled_at is not None:
        last = Change.objects.filter(campaign=campaign).aggregate(last=Max("number"))["last"] or 0
        webhook.disabled_at, webhook.disabled_code, webhook.seen_change = None, "", last
        webhook.save(update_fields=("disabled_at", "disabled_code", "seen_change"))
        audit.record(by=by, act="webhook.enable", subject=webhook, campaign=campaign)
    return webhook


@transaction.atomic
def ping(*, campaign: Campaign, webhook_id: int, by: User) -> Delivery:
    """Send the webhook a message that tells of nothing. Raises NotFound, and Conflict for one that is switched off."""
    webhook = _locked(campaign, webhook_id)
    if webhook.disabled_at is not None:
        raise Conflict("This webhook is switched off: switch it on first.", code=Code.WEBHOOK_DISABLED)
    audit.record(by=by, act="webhook.ping", subject=webhook, campaign=campaign)
    return _tell(webhook, Event.PING, {"campaign": campaign.slug}, timezone.now())


def disable(webhook: Webhook, code: Code, at: datetime) -> None:
    """Switch the webhook off with a reason, inside the caller's transaction; what still waits is given up."""
    webhook.disabled_at, webhook.disabled_code = at, code.value
    webhook.save(update_fields=("disabled_at", "disabled_code"))
    waiting = webhook.deliveries.filter(state=Delivery.State.WAITING)
    waiting.update(state=Delivery.State.FAILED, code=Code.WEBHOOK_DISABLED.value, finished_at=at)
    audit.record(by=None, act="webhook.disable", subject=webhook, campaign=webhook.campaign, code=code.value)


def announce_run(run: Run) -> None:
    """Tell of a run that has ended, inside the transaction that ends it."""
    session = run.session
    data: dict[str, JsonValue] = {
        "session": session.number,
        "run": run.pk,
        "pipeline": run.pipeline,
        "state": str(run.state),
        "url": reverse("notarius-api:get_run", args=(run.pk,)),
    }
    _announce(session.campaign, Event.RUN_FINISHED, data)


def announce_approval(version: ArtifactVersion) -> None:
    """Tell of a version that was approved, inside the transaction of the approval."""
    session = version.artifact.session
    family = version.artifact.lane.partition("/")[2]
    slug = session.campaign.slug
    data: dict[str, JsonValue] = {
        "session": session.number,
        "family": family,
        "version": version.number,
        "version_id": version.pk,
        "url": reverse("notarius-api:get_artifact", args=(slug, session.number, family)),
    }
    _announce(session.campaign, Event.VERSION_APPROVED, data)


def announce_changes(at: datetime) -> int:
    """Tell each webhook what was added to the change feed since the last time; returns how many messages that makes."""
    rows = Webhook.objects.filter(disabled_at=None).select_related("campaign", "owner")
    return sum(_tell_changes(webhook, at) for webhook in rows if Event.ENTITY_CHANGED in webhook.events)


def sees(webhook: Webhook, event: str) -> bool:
    """Say whether the webhook's owner may see what the event tells of; a ping tells of nothing."""
    return may(webhook.owner, webhook.campaign, NEEDS.get(event, Need.READ))


def may_get(delivery: Delivery) -> bool:
    """Say whether the webhook's owner may see now what the stored message tells, whatever they were when it was made.

    Told of changes as a game master sees them, somebody who is a player by now does not get them.
    """
    webhook = delivery.webhook
    needed = Need.SEE_PENDING if delivery.edition == Edition.GM else Need.READ
    return sees(webhook, delivery.event) and may(webhook.owner, webhook.campaign, needed)


def is_orphaned(webhook: Webhook) -> bool:
    """Say whether its owner has lost the campaign."""
    return (standing(webhook.owner, webhook.campaign) or Need.SEE_APPROVED) < Need.READ


@transaction.atomic
def _tell_changes(webhook: Webhook, at: datetime) -> bool:
    if not sees(webhook, Event.ENTITY_CHANGED):
        return False
    sight = sight_of(webhook.owner, webhook.campaign.slug)
    found = changes(sight, after=webhook.seen_change, limit=MOST_CHANGES)
    # Two supervisors may look at once: whoever moves the mark tells.
    mine = Webhook.objects.filter(pk=webhook.pk, seen_change=webhook.seen_change)
    if not found or not mine.update(seen_change=found[-1].number):
        return False
    slug = webhook.campaign.slug
    told: list[JsonValue] = [_change(row, slug, webhook.site) for row in found]
    _tell(webhook, Event.ENTITY_CHANGED, {"campaign": slug, "changes": told}, at, sight.edition)
    return True


def _change(row: ChangeRow, slug: str, site: str) -> dict[str, JsonValue]:
    return {
        "change": row.change,
        "kind": row.kind,
        "id": row.entity_id,
        "superseded_by": list(row.superseded_by),
        "session": row.session,
        "url": site + reverse(f"notarius-api:get_{row.kind}", args=(slug, row.entity_id)),
    }


def _announce(campaign: Campaign, event: Event, data: Mapping[str, JsonValue]) -> None:
    rows = campaign.webhooks.filter(disabled_at=None).select_related("owner", "campaign")
    now = timezone.now()
    for webhook in rows:
        if event in webhook.events and sees(webhook, event):
            _tell(webhook, event, {"campaign": campaign.slug, **data, "url": f"{webhook.site}{data['url']}"}, now)


def _tell(
    webhook: Webhook, event: Event, data: Mapping[str, JsonValue], at: datetime, edition: Edition = Edition.PLAYER
) -> Delivery:
    """Store the message, byte for byte as every attempt will send it, and ring for it."""
    body: JsonValue = {"type": event.value, "timestamp": at.isoformat(timespec="seconds"), "data": dict(data)}
    delivery = Delivery.objects.create(
        webhook=webhook,
        event_id=f"msg_{secrets.token_hex(16)}",
        event=event,
        body=canonical_json(body).decode(),
        edition=edition,
        due_at=at,
        rung_at=at,
    )
    # A queue that is down fails nobody; the sweep rings later.
    after_commit(queue.enqueue_delivery, delivery.pk)
    return delivery


def _locked(campaign: Campaign, webhook_id: int) -> Webhook:
    lock_campaign(campaign.pk)
    rows = Webhook.objects.select_for_update(of=("self",)).select_related("campaign")
    webhook = rows.filter(pk=webhook_id, campaign=campaign).first()
    if webhook is None:
        raise NotFound("There is no such webhook.", code=Code.WEBHOOK_UNKNOWN)
    return webhook
