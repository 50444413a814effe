"""One's own tokens over HTTP: shown once, never more than their holder, gone when revoked."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from campaigns.models import ApiToken, Campaign
from tests import factories
from tests.campaigns.api.conftest import bearer

TOKENS = "/api/v1/tokens"


def make(client: Client, **wanted: object) -> Any:  # Any: a response of the test client
    body = {"name": "bot", "scope": "read", **wanted}
    return client.post(TOKENS, body, content_type="application/json")


def test_token_is_shown_once_and_works(gm: User, campaign: Campaign) -> None:
    client = bearer(gm, "admin")
    made = make(client, campaign="salt-ferry")
    raw = made.json()["token"]
    used = Client(headers={"authorization": f"Bearer {raw}"})
    listed = client.get(TOKENS)

    assert (made.status_code, made["Cache-Control"]) == (201, "no-store")
    assert used.get("/api/v1/campaigns/salt-ferry").status_code == 200
    assert used.get(f"{TOKENS}/current").json()["prefix"] == raw[:12]
    assert raw not in listed.content.decode()
    assert [token["name"] for token in listed.json()["items"]] == ["test", "bot"]


def test_list_holds_ones_own_tokens_alone(gm: User, reader: User, campaign: Campaign) -> None:
    bearer(gm, "read")

    assert [token["scope"] for token in bearer(reader, "admin").get(TOKENS).json()["items"]] == ["admin"]


def test_list_pages_through_all(gm: User, campaign: Campaign) -> None:
    client = bearer(gm, "admin")
    for number in range(4):
        make(client, name=f"bot {number}")
    got, cursor = [], ""
    while cursor is not None:
        page = client.get(f"{TOKENS}?limit=2&cursor={cursor}").json()
        got += [token["name"] for token in page["items"]]
        cursor = page["next_cursor"]

    assert got == ["test", "bot 0", "bot 1", "bot 2", "bot 3"]


@pytest.mark.parametrize("scope", ["read", "write"])
def test_making_a_token_needs_the_scope_admin(scope: str, gm: User, campaign: Campaign) -> None:
    got = make(bearer(gm, scope))

    assert (got.status_code, got.json()["code"]) == (403, "auth.scope")
    assert ApiToken.objects.count() == 1


def test_bound_token_makes_and_lists_tokens_of_its_campaign_alone(gm: User, campaign: Campaign) -> None:
    other = factories.make_campaign("elsewhere")
    factories.make_membership(other, gm, "gm")
    bearer(gm, "read", other)
    client = bearer(gm, "admin", campaign)
    refused, unsaid = make(client, campaign="elsewhere"), make(client)

    assert refused.status_code == 404
    assert unsaid.json()["campaign"] == "salt-ferry"
    assert {token["campaign"] for token in client.get(TOKENS).json()["items"]} == {"salt-ferry"}


def test_revoked_token_is_nobody_at_once_and_stays_listed(gm: User, campaign: Campaign) -> None:
    client = bearer(gm, "admin")
    made = make(client).json()
    used = Client(headers={"authorization": f"Bearer {made['token']}"})
    revoked = client.post(f"{TOKENS}/{made['id']}/revoke")

    assert revoked.status_code == 200
    assert revoked.json()["revoked_at"] is not None
    assert used.get("/api/v1/campaigns").status_code == 401
    assert len(client.get(TOKENS).json()["items"]) == 2


@pytest.mark.parametrize("scope", ["read", "write", "admin"])
def test_every_token_may_end_itself_and_only_admin_another(scope: str, gm: User, campaign: Campaign) -> None:
    client = bearer(gm, scope)
    own = client.get(f"{TOKENS}/current").json()["id"]
    bearer(gm, "read")
    other = ApiToken.objects.exclude(pk=own).get().pk
    statuses = [client.post(f"{TOKENS}/{each}/revoke").status_code for each in (other, own)]

    assert statuses == [200 if scope == "admin" else 403, 200]
    assert client.get(f"{TOKENS}/current").status_code == 401


def test_token_of_somebody_else_is_unknown(gm: User, reader: User, campaign: Campaign) -> None:
    bearer(gm, "read")
    got = bearer(reader, "admin").post(f"{TOKENS}/{ApiToken.objects.get(user=gm).pk}/revoke")

    assert (got.status_code, got.json()["code"]) == (404, "token.unknown")
    assert ApiToken.objects.get(user=gm).revoked_at is None


def test_person_makes_a_token_with_the_csrf_token_alone(gm: User, campaign: Campaign) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(gm)
    refused = make(client)
    client.get("/api/v1/docs")
    token = client.cookies["csrftoken"].value
    made = client.post(
        TOKENS, {"name": "bot", "scope": "read"}, content_type="application/json", headers={"x-csrftoken": token}
    )

    assert (refused.status_code, refused["Content-Type"]) == (403, "application/problem+json")
    assert made.status_code == 201


@pytest.mark.parametrize(
    "wanted",
    [
        {"name": ""},
        {"name": "  "},
        {"scope": "everything"},
        {"expires_at": "2001-01-01T00:00:00Z"},
        {"expires_at": "2131-01-01T00:00:00"},
        {"campaign": "no-such"},
        {"more": 1},
    ],
    ids=str,
)
def test_token_that_makes_no_sense_is_refused(wanted: dict[str, object], gm: User, campaign: Campaign) -> None:
    assert make(bearer(gm, "admin"), **wanted).status_code in (400, 404, 422)
    assert ApiToken.objects.count() == 1


def test_token_in_an_address_is_nobody_and_is_not_logged(
    gm: User, campaign: Campaign, caplog: pytest.LogCaptureFixture
) -> None:
    raw = make(bearer(gm, "admin")).json()["token"]
    with caplog.at_level(logging.DEBUG):
        got = Client().get(f"/api/v1/campaigns/salt-ferry?token={raw}&access_token={raw}")
        Client(headers={"authorization": f"Token {raw}"}).get("/api/v1/campaigns/salt-ferry")
        Client(headers={"authorization": f"Bearer {raw}"}).get("/api/v1/campaigns/none")

    assert got.status_code == 404
    assert raw not in caplog.text
