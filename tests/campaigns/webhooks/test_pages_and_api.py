"""Webhooks over the website and over the API: who gets in, what is shown once, and the log."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from campaigns.actions import deliveries, tokens, webhooks
from campaigns.models import Campaign, Delivery, Webhook
from extraction.codes import Code
from tests.campaigns.webhooks.receiver import Receiver

API = "/api/v1/campaigns/salt-ferry/webhooks"
PAGE = "/campaigns/salt-ferry/webhooks/"


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def bearer(user: User, scope: str = "write") -> dict[str, str]:
    return {"Authorization": f"Bearer {tokens.create(user=user, name='bot', scope=scope)[1]}"}


def post(path: str, headers: dict[str, str], data: Any = None) -> Any:
    return Client().post(path, data, content_type="application/json", headers=headers)


def test_program_makes_a_webhook_gets_a_signed_ping_and_reads_the_log(campaign: Campaign, gm: User) -> None:
    headers = bearer(gm)
    with Receiver() as receiver:
        made = post(API, headers, {"url": receiver.url, "events": ["run.finished"]})
        pinged = post(f"{API}/{made.json()['id']}/ping", headers)
        deliveries.deliver(delivery_id=Delivery.objects.get().pk)
        log = Client().get(f"{API}/{made.json()['id']}/deliveries", headers=headers)

    (message,) = receiver.seen
    key = base64.b64decode(made.json()["secret"].removeprefix("whsec_"))
    signed = f"{message.headers['webhook-id']}.{message.headers['webhook-timestamp']}.".encode() + message.body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert (made.status_code, made["Cache-Control"], pinged.status_code) == (201, "no-store", 202)
    assert message.headers["webhook-signature"] == expected
    (entry,) = log.json()["items"]
    assert (entry["event_id"], entry["state"], entry["status"]) == (message.headers["webhook-id"], "delivered", 200)
    assert "secret" not in Client().get(API, headers=headers).content.decode()


def test_log_is_paged_from_the_newest(campaign: Campaign, gm: User, webhook: Webhook) -> None:
    made = [webhooks.ping(campaign=campaign, webhook_id=webhook.pk, by=gm).event_id for _ in range(3)]
    headers, path = bearer(gm, "read"), f"{API}/{webhook.pk}/deliveries"

    first = Client().get(f"{path}?limit=2", headers=headers).json()
    rest = Client().get(f"{path}?limit=2&cursor={first['next_cursor']}", headers=headers).json()

    seen = [entry["event_id"] for page in (first, rest) for entry in page["items"]]
    assert (seen, rest["next_cursor"]) == (made[::-1], None)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("get", API),
        ("post", API),
        ("delete", f"{API}/{{}}"),
        ("post", f"{API}/{{}}/ping"),
        ("get", f"{API}/{{}}/deliveries"),
    ],
)
def test_webhooks_are_for_game_masters(
    webhook: Webhook, player: User, outsider: User, gm: User, admin: User, method: str, path: str
) -> None:
    body = {"url": webhook.url, "events": ["run.finished"]}
    statuses = {}
    for user in (player, outsider, gm, admin):
        client = Client(headers=bearer(user))
        at = path.format(webhook.pk)
        data = body if path == API and method == "post" else None
        statuses[user.username] = getattr(client, method)(at, data, content_type="application/json").status_code
        webhook.save(force_insert=not Webhook.objects.filter(pk=webhook.pk).exists())

    assert statuses["outsider"] == 404
    assert statuses["player"] in (403, 404)
    assert {statuses["gm"], statuses["admin"]} <= {200, 201, 202, 204}


def test_token_that_only_reads_makes_nothing(campaign: Campaign, gm: User, webhook: Webhook) -> None:
    headers = bearer(gm, "read")

    answers = [
        post(API, headers, {"url": webhook.url, "events": ["run.finished"]}),
        post(f"{API}/{webhook.pk}/ping", headers),
        Client().delete(f"{API}/{webhook.pk}", headers=headers),
    ]

    assert [answer.status_code for answer in answers] == [403, 403, 403]
    assert Webhook.objects.count() == 1


def test_bad_webhook_is_a_problem_with_its_code(campaign: Campaign, gm: User) -> None:
    bad = post(API, bearer(gm), {"url": "ftp://127.0.0.1/", "events": ["run.finished"]})

    assert (bad.status_code, bad.json()["code"]) == (400, Code.WEBHOOK_INVALID)


def test_pages_are_for_game_masters(webhook: Webhook, player: User, outsider: User, gm: User) -> None:
    paths = (PAGE, f"{PAGE}{webhook.pk}/")

    assert [signed_in(user).get(path).status_code for user in (player, outsider) for path in paths] == [404] * 4
    assert [signed_in(gm).get(path).status_code for path in paths] == [200, 200]
    assert signed_in(player).post(f"{PAGE}{webhook.pk}/act", {"act": "remove"}).status_code in (403, 404)
    assert Webhook.objects.exists()
    assert Client().get(PAGE)["Location"] == f"/login/?next={PAGE}"


def test_secret_is_shown_once(campaign: Campaign, gm: User) -> None:
    client = signed_in(gm)

    made = client.post(PAGE, {"url": "http://127.0.0.1:9/", "events": ["run.finished", "version.approved"]})

    found = re.search(r"whsec_[\w+/=]+", made.content.decode())
    assert found is not None
    assert made["Cache-Control"] == "no-store"
    assert found[0] not in client.get(PAGE).content.decode()
    assert Webhook.objects.get().events == ["run.finished", "version.approved"]


def test_page_says_why_a_webhook_is_off_and_switches_it_on(gm: User, webhook: Webhook) -> None:
    webhooks.disable(webhook, Code.WEBHOOK_TIMEOUT, timezone.now())
    client = signed_in(gm)

    off = client.get(f"{PAGE}{webhook.pk}/").content.decode()
    client.post(f"{PAGE}{webhook.pk}/act", {"act": "enable"})
    client.post(f"{PAGE}{webhook.pk}/act", {"act": "ping"})
    on = client.get(f"{PAGE}{webhook.pk}/").content.decode()
    client.post(f"{PAGE}{webhook.pk}/act", {"act": "remove"})

    assert "the receiver took too long" in off
    assert "the receiver took too long" not in on
    assert Delivery.objects.count() == 0 == Webhook.objects.count()
    assert "msg_" in on


def test_refusal_is_said_and_keeps_what_was_typed(campaign: Campaign, gm: User) -> None:
    answer = signed_in(gm).post(PAGE, {"url": "ftp://x/<b>", "events": ["run.finished"]})

    assert answer.status_code == 400
    assert "ftp://x/&lt;b&gt;" in answer.content.decode()
