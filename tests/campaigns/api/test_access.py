"""Who gets what from every endpoint: the table of contracts, Who may do what, over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from campaigns.models import ApiToken, ArtifactVersion, Campaign, Run
from tests import factories
from tests.campaigns.api.conftest import Ask, bearer

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Response

ROOT = "/api/v1"
CAST = ("nobody", "outsider", "reader", "player", "gm", "admin")


@pytest.fixture
def cast(gm: User, player: User, reader: User, outsider: User, admin: User) -> dict[str, User | None]:
    return {"nobody": None, "outsider": outsider, "reader": reader, "player": player, "gm": gm, "admin": admin}


def statuses(*each: int) -> dict[str, int]:
    return dict(zip(CAST, each, strict=True))


PRIVATE = {
    "/campaigns/salt-ferry": statuses(404, 404, 200, 200, 200, 200),
    "/campaigns/salt-ferry/npcs": statuses(404, 404, 200, 200, 200, 200),
    "/campaigns/salt-ferry/npcs?status=latest": statuses(404, 404, 404, 404, 200, 200),
    "/campaigns/salt-ferry/items": statuses(404, 404, 200, 200, 200, 200),
    "/campaigns/salt-ferry/items?status=latest": statuses(404, 404, 404, 404, 200, 200),
    "/campaigns/salt-ferry/locations": statuses(404, 404, 200, 200, 200, 200),
    "/campaigns/salt-ferry/locations?status=latest": statuses(404, 404, 404, 404, 200, 200),
    "/campaigns/salt-ferry/sessions": statuses(404, 404, 200, 200, 200, 200),
    "/campaigns/salt-ferry/sessions/1": statuses(404, 404, 200, 200, 200, 200),
    "/campaigns/salt-ferry/sessions/1/transcript": statuses(404, 404, 200, 200, 200, 200),
    "/campaigns/salt-ferry/sessions/1/artifacts": statuses(404, 404, 200, 200, 200, 200),
    "/campaigns/salt-ferry/sessions/1/artifacts/npcs": statuses(404, 404, 200, 200, 200, 200),
    "/campaigns/salt-ferry/sessions/1/artifacts/npcs?status=latest": statuses(404, 404, 404, 404, 200, 200),
}
PUBLIC = {
    "/campaigns/salt-ferry": 200,
    "/campaigns/salt-ferry/npcs": 200,
    "/campaigns/salt-ferry/npcs?status=latest": 404,
    "/campaigns/salt-ferry/items": 200,
    "/campaigns/salt-ferry/items?status=latest": 404,
    "/campaigns/salt-ferry/locations": 200,
    "/campaigns/salt-ferry/locations?status=latest": 404,
    "/campaigns/salt-ferry/sessions": 200,
    "/campaigns/salt-ferry/sessions/1": 200,
    "/campaigns/salt-ferry/sessions/1/transcript": 404,
    "/campaigns/salt-ferry/sessions/1/artifacts": 200,
    "/campaigns/salt-ferry/sessions/1/artifacts/npcs": 200,
    "/campaigns/salt-ferry/sessions/1/artifacts/npcs?status=latest": 404,
}


@pytest.mark.parametrize("path", PRIVATE)
def test_read_of_a_private_campaign_follows_the_role(
    path: str, ask: Ask, cast: dict[str, User | None], approved: ArtifactVersion
) -> None:
    got = {name: ask(user).get(ROOT + path).status_code for name, user in cast.items()}

    assert got == PRIVATE[path]


@pytest.mark.parametrize("path", PUBLIC)
def test_read_of_a_public_campaign_by_nobody_ends_at_what_is_approved(
    path: str, public: Campaign, approved: ArtifactVersion
) -> None:
    got = Client().get(ROOT + path)

    assert got.status_code == PUBLIC[path]


@pytest.mark.parametrize("verdict", ["approve", "reject"])
def test_verdict_is_for_game_masters(
    verdict: str, ask: Ask, cast: dict[str, User | None], pending: ArtifactVersion
) -> None:
    path = f"{ROOT}/artifact-versions/{pending.pk}/{verdict}"
    got = {
        name: ask(user).post(path, {"note": "seen"}, content_type="application/json").status_code
        for name, user in cast.items()
    }

    # The admin comes after the game master, who has decided already.
    assert got == statuses(401, 404, 404, 404, 200, 409)


@pytest.mark.parametrize("act", ["runs", "transcripts"])
def test_write_to_a_session_is_refused_by_role(
    act: str, ask: Ask, cast: dict[str, User | None], campaign: Campaign
) -> None:
    path = f"{ROOT}/campaigns/salt-ferry/sessions/1/{act}"
    got = {name: _write(ask(cast[name]), path).status_code for name in CAST[:4]}

    assert got == {"nobody": 401, "outsider": 404, "reader": 403, "player": 403}


def test_run_is_seen_by_game_masters_alone(ask: Ask, cast: dict[str, User | None], campaign: Campaign) -> None:
    run = factories.make_run(factories.make_transcript(factories.make_session(campaign)))
    got = {name: ask(user).get(f"{ROOT}/runs/{run.pk}").status_code for name, user in cast.items()}

    assert got == statuses(404, 404, 404, 404, 200, 200)


def test_cancel_of_a_run_is_for_game_masters(ask: Ask, cast: dict[str, User | None], campaign: Campaign) -> None:
    run = factories.make_run(factories.make_transcript(factories.make_session(campaign)))
    got = {name: ask(user).post(f"{ROOT}/runs/{run.pk}/cancel").status_code for name, user in cast.items()}

    assert got == statuses(401, 404, 404, 404, 200, 409)
    assert Run.objects.get().state == Run.State.CANCELLED


def test_list_campaigns_shows_what_one_may_see(ask: Ask, cast: dict[str, User | None]) -> None:
    got = {
        name: sorted(item["slug"] for item in ask(user).get(f"{ROOT}/campaigns").json()["items"])
        for name, user in cast.items()
    }

    assert got == {
        "nobody": [],
        "outsider": ["far-away"],
        "reader": ["salt-ferry"],
        "player": ["salt-ferry"],
        "gm": ["salt-ferry"],
        "admin": ["far-away", "salt-ferry"],
    }


def test_sessions_without_anything_approved_are_hidden_from_nobody_and_shown_to_members(
    public: Campaign, pending: ArtifactVersion, reader: User
) -> None:
    path = f"{ROOT}/campaigns/salt-ferry/sessions"

    assert Client().get(path).json()["items"] == []
    assert Client().get(f"{path}/1").status_code == 404
    assert [item["number"] for item in bearer(reader, "read").get(path).json()["items"]] == [1]


def test_read_token_may_not_write(gm: User, pending: ArtifactVersion) -> None:
    got = bearer(gm, "read").post(
        f"{ROOT}/artifact-versions/{pending.pk}/approve", {"note": ""}, content_type="application/json"
    )

    assert (got.status_code, got.json()["code"]) == (403, "auth.forbidden")


def test_token_of_another_campaign_sees_nothing_here(gm: User, approved: ArtifactVersion) -> None:
    token = bearer(gm, "write", factories.make_campaign("elsewhere"))

    assert token.get(f"{ROOT}/campaigns/salt-ferry/npcs").status_code == 404


def test_token_that_is_not_valid_is_refused_and_never_nobody(public: Campaign, approved: ArtifactVersion) -> None:
    client = Client(headers={"authorization": "Bearer ntr_" + "x" * 43})
    got = client.get(f"{ROOT}/campaigns/salt-ferry/npcs")

    assert (got.status_code, got.json()["code"]) == (401, "auth.required")
    assert got["WWW-Authenticate"] == "Bearer"


def test_revoked_token_is_refused(gm: User, approved: ArtifactVersion) -> None:
    client = bearer(gm, "read")
    ApiToken.objects.update(revoked_at=approved.created_at)

    assert client.get(f"{ROOT}/campaigns/salt-ferry/npcs").status_code == 401


def test_session_cookie_needs_the_csrf_token_to_write(gm: User, pending: ArtifactVersion) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(gm)
    path = f"{ROOT}/artifact-versions/{pending.pk}/approve"
    refused = client.post(path, {"note": ""}, content_type="application/json")
    client.get("/login/")
    client.get(f"/review/versions/{pending.pk}/")
    token = client.cookies["csrftoken"].value
    accepted = client.post(path, {"note": ""}, content_type="application/json", headers={"x-csrftoken": token})

    assert (refused.status_code, refused["Content-Type"]) == (403, "application/problem+json")
    assert accepted.status_code == 200


def _write(client: Client, path: str) -> Response:
    if path.endswith("/runs"):
        return client.post(path, {"pipeline": "npcs-only"}, content_type="application/json")
    return client.post(path, {"file": SimpleUploadedFile("a.txt", b"Ottilie: The tide turns.\nYun: Already?\n")})
