"""Webhooks of a campaign, for its game masters: made, tried, removed, and what became of each message."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router, Schema
from pydantic import ConfigDict, Field

from campaigns.access import Need, campaign_for
from campaigns.actions import webhooks
from campaigns.api.answers import Keyset, json_answer, listing
from campaigns.api.auth import actor_of, person_of
from campaigns.api.once import once
from campaigns.api.schemas import PLAIN, Closed, ListQuery, RowId, Slug
from campaigns.api.shown import example
from campaigns.errors import NotFound
from campaigns.models import Campaign, Delivery, Webhook
from extraction.codes import Code

router = Router(tags=["webhooks"])
WEBHOOKS = Keyset({"id": int})
DELIVERIES = Keyset({"before": int})
AnEvent = Literal["run.finished", "version.approved", "entity.changed"]


class WebhookIn(Closed):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"url": "https://hooks.example.org/notarius", "events": ["version.approved"]}]},
    )

    url: str = Field(min_length=1, max_length=500, pattern=PLAIN)
    events: list[AnEvent] = Field(min_length=1, max_length=3)


class WebhookOut(Schema):
    model_config = example(
        id=3,
        url="https://hooks.example.org/notarius",
        events=["version.approved"],
        created_at="2031-05-04T20:15:00Z",
        disabled_at=None,
        disabled_code=None,
    )

    id: int
    url: str
    events: list[AnEvent]
    created_at: datetime
    disabled_at: datetime | None
    disabled_code: str | None = Field(description="Why it was switched off.")


class WebhookMade(WebhookOut):
    model_config = example(
        id=3,
        url="https://hooks.example.org/notarius",
        events=["version.approved"],
        created_at="2031-05-04T20:15:00Z",
        disabled_at=None,
        disabled_code=None,
        secret="whsec_…",  # noqa: S106 - an example
    )

    secret: str = Field(description="What signatures are checked with; shown this once.")


class WebhookList(Schema):
    items: list[WebhookOut]
    next_cursor: str | None


class DeliveryOut(Schema):
    model_config = example(
        event_id="msg_5f1d7a84c0b94b6e9a52e8f0a3c1d2b4",
        event="version.approved",
        state="delivered",
        attempts=1,
        status=200,
        code=None,
        created_at="2031-05-04T20:15:00Z",
        due_at="2031-05-04T20:15:00Z",
        finished_at="2031-05-04T20:15:01Z",
    )

    event_id: str = Field(description="The `webhook-id` of the message, the same at every attempt.")
    event: Literal["run.finished", "version.approved", "entity.changed", "ping"]
    state: Literal["waiting", "sending", "delivered", "failed"]
    attempts: int
    status: int | None = Field(description="What the receiver answered last.")
    code: str | None = Field(description="Why the last attempt failed.")
    created_at: datetime
    due_at: datetime
    finished_at: datetime | None


class DeliveryList(Schema):
    items: list[DeliveryOut]
    next_cursor: str | None


@router.post("/{slug}/webhooks", response={201: WebhookMade})
def create_webhook(request: HttpRequest, slug: Slug, wanted: WebhookIn) -> HttpResponse:
    """Have an address told of events; the answer shows the signing secret, once."""
    campaign = campaign_for(actor_of(request), slug, Need.EDIT)
    site = request.build_absolute_uri("/")
    webhook, secret = webhooks.create(
        campaign=campaign, url=wanted.url, events=wanted.events, site=site, by=person_of(request)
    )
    answer = json_answer({**_shown(webhook), "secret": secret}, status=201)
    answer["Cache-Control"] = "no-store"
    return answer


@router.get("/{slug}/webhooks", response=WebhookList)
def list_webhooks(request: HttpRequest, slug: Slug, query: Query[ListQuery]) -> HttpResponse:
    """The campaign's webhooks, whoever made them."""
    campaign = campaign_for(actor_of(request), slug, Need.SEE_PENDING)
    after = WEBHOOKS.after(query.cursor)
    rows = campaign.webhooks.all() if after is None else campaign.webhooks.filter(pk__gt=after[0])
    found = [_shown(row) for row in rows.order_by("pk")[: query.limit + 1]]
    return json_answer(listing(*WEBHOOKS.page(found, query.limit)))


@router.delete("/{slug}/webhooks/{webhook_id}", response={204: None})
def delete_webhook(request: HttpRequest, slug: Slug, webhook_id: RowId) -> HttpResponse:
    """Remove the webhook and its delivery log."""
    campaign = campaign_for(actor_of(request), slug, Need.EDIT)
    webhooks.remove(campaign=campaign, webhook_id=webhook_id, by=person_of(request))
    return HttpResponse(status=204)


@router.post("/{slug}/webhooks/{webhook_id}/ping", response={202: DeliveryOut})
@once
def ping_webhook(request: HttpRequest, slug: Slug, webhook_id: RowId) -> HttpResponse:
    """Send the webhook a message of type `ping`."""
    campaign = campaign_for(actor_of(request), slug, Need.EDIT)
    delivery = webhooks.ping(campaign=campaign, webhook_id=webhook_id, by=person_of(request))
    return json_answer(_sent(delivery), status=202)


@router.get("/{slug}/webhooks/{webhook_id}/deliveries", response=DeliveryList)
def list_deliveries(request: HttpRequest, slug: Slug, webhook_id: RowId, query: Query[ListQuery]) -> HttpResponse:
    """What was sent to the webhook, the newest first."""
    campaign = campaign_for(actor_of(request), slug, Need.SEE_PENDING)
    webhook = _webhook(campaign, webhook_id)
    rows = webhook.deliveries.order_by("-pk")
    after = DELIVERIES.after(query.cursor)
    if after is not None:
        rows = rows.filter(pk__lt=after[0])
    found = list(rows[: query.limit + 1])
    _, cursor = DELIVERIES.page([{"before": row.pk} for row in found], query.limit)
    return json_answer(listing([_sent(row) for row in found[: query.limit]], cursor))


def _webhook(campaign: Campaign, webhook_id: int) -> Webhook:
    webhook = campaign.webhooks.filter(pk=webhook_id).first()
    if webhook is None:
        raise NotFound("There is no such webhook.", code=Code.WEBHOOK_UNKNOWN)
    return webhook


def _shown(webhook: Webhook) -> dict[str, object]:
    return {
        "id": webhook.pk,
        "url": webhook.url,
        "events": webhook.events,
        "created_at": webhook.created_at,
        "disabled_at": webhook.disabled_at,
        "disabled_code": webhook.disabled_code or None,
    }


def _sent(delivery: Delivery) -> dict[str, object]:
    return {
        "event_id": delivery.event_id,
        "event": delivery.event,
        "state": delivery.state,
        "attempts": delivery.attempts,
        "status": delivery.status,
        "code": delivery.code or None,
        "created_at": delivery.created_at,
        "due_at": delivery.due_at,
        "finished_at": delivery.finished_at,
    }
