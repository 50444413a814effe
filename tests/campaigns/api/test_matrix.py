"""Who gets what from every endpoint. The list of endpoints is the router's own: one that is not in the table fails."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client, override_settings

from campaigns.api.root import api
from campaigns.models import Campaign
from tests.campaigns.api.world import CAST, World, build, scoped

# The database is made for tests that say they use it; the world is stored around all of them.
pytestmark = pytest.mark.django_db
Statuses = tuple[int, ...]
# In the order of the cast: nobody, outsider, reader, player, gm, admin.
ANYBODY: Statuses = (200, 200, 200, 200, 200, 200)
MEMBERS: Statuses = (404, 404, 200, 200, 200, 200)
GAME_MASTERS: Statuses = (404, 404, 404, 404, 200, 200)
WRITES: Statuses = (401, 404, 403, 403, 200, 200)
HIDDEN_WRITES: Statuses = (401, 404, 404, 404, 200, 200)
OWN: Statuses = (401, 200, 200, 200, 200, 200)


def made(statuses: Statuses, status: int) -> Statuses:
    """Return the row with another status where the thing is done."""
    return tuple(status if each == 200 else each for each in statuses)


TABLE: Mapping[str, Statuses] = {
    "list_campaigns": ANYBODY,
    "get_campaign": MEMBERS,
    **{f"{act}_{kind}": MEMBERS for kind in ("npcs", "items", "locations") for act in ("list", "stream")},
    **{
        operation: MEMBERS
        for kind in ("npc", "item", "location")
        for operation in (f"get_{kind}", f"list_{kind}_occurrences", f"list_{kind}_companions")
    },
    "list_npc_combat": MEMBERS,
    "list_sessions": MEMBERS,
    "get_session": MEMBERS,
    "list_scenes": MEMBERS,
    "list_fights": MEMBERS,
    "get_transcript": MEMBERS,
    "upload_transcript": made(WRITES, 201),
    "correct_transcript": made(WRITES, 201),
    "get_carried_evidence": (404, 404, 403, 403, 200, 200),
    "list_artifacts": MEMBERS,
    "get_artifact": MEMBERS,
    "list_versions": GAME_MASTERS,
    "get_version": GAME_MASTERS,
    "list_decisions": GAME_MASTERS,
    "compare_versions": GAME_MASTERS,
    "approve_version": HIDDEN_WRITES,
    "reject_version": HIDDEN_WRITES,
    "review_version": made(HIDDEN_WRITES, 201),
    "withdraw_decision": HIDDEN_WRITES,
    "list_changes": MEMBERS,
    "search_campaign": MEMBERS,
    "list_secrets": GAME_MASTERS,
    "hide": made(WRITES, 201),
    "reveal_secret": HIDDEN_WRITES,
    "list_exports": MEMBERS,
    "order_export": made((401, 404, 200, 200, 200, 200), 202),
    "get_export": GAME_MASTERS,
    "download_export": (404, 404, 404, 404, 404, 404),
    "discard_export": made(HIDDEN_WRITES, 204),
    "start_run": made(WRITES, 202),
    "list_runs": (404, 404, 403, 403, 200, 200),
    "get_forecast": (404, 404, 403, 403, 200, 200),
    "get_run": GAME_MASTERS,
    "pause_run": HIDDEN_WRITES,
    # A run that is not paused.
    "resume_run": made(HIDDEN_WRITES, 409),
    "cancel_run": HIDDEN_WRITES,
    "list_tokens": OWN,
    "get_current_token": (404, 200, 200, 200, 200, 200),
    "create_token": made(OWN, 201),
    "revoke_token": (401, 404, 404, 404, 200, 404),
    # Making one asks a name server, which no test may: an address that is none is refused to those who may make one.
    "create_webhook": made(WRITES, 400),
    "list_webhooks": GAME_MASTERS,
    "delete_webhook": made(WRITES, 204),
    "ping_webhook": made(WRITES, 202),
    "list_deliveries": GAME_MASTERS,
}
BODIES: Mapping[str, dict[str, Any]] = {  # Any: JSON
    "correct_transcript": {"act": "rename_speaker", "old": "Yun", "new": "Yuna"},
    "approve_version": {"note": "seen"},
    "reject_version": {"note": "seen"},
    "review_version": {"act": "rename", "record": 0, "name": "Dell of the lantern"},
    "withdraw_decision": {"reason": "a mistake"},
    "hide": {"kind": "range", "session": 1, "start_unit_id": 9, "end_unit_id": 11},
    "order_export": {"format": "csv"},
    "start_run": {"pipeline": "npcs-only"},
    "create_token": {"name": "another", "scope": "read"},
    "create_webhook": {"url": "https://127.0.0.1/x", "events": ["run.finished"]},
}
PARTS = {"npcs": "npc", "items": "item", "locations": "location"}
QUERIES = {"search_campaign": "?q=Wick"}
# What a token of the scope write may not do, though its holder may.
ADMIN_SCOPE = {"list_secrets", "hide", "reveal_secret", "list_tokens", "create_token"}
OPERATIONS = {
    operation["operationId"]: (method, path)
    for path, methods in api.document["paths"].items()
    for method, operation in methods.items()
}
EVERY = pytest.mark.parametrize("operation", OPERATIONS)
WRITING = pytest.mark.parametrize("operation", [name for name, (method, _) in OPERATIONS.items() if method != "get"])


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: Any) -> Iterator[World]:  # Any: pytest-django has no name for it
    """The world, stored once: every request is rolled back."""
    many = override_settings(API_RATE=10**9, API_RATE_ANONYMOUS=10**9)
    with django_db_blocker.unblock(), many, transaction.atomic():
        yield build()
        transaction.set_rollback(True)


def status(world: World, operation: str, headers: Mapping[str, str]) -> int:
    """Ask once, undo what was done, and return the status."""
    method, path = OPERATIONS[operation]
    ids = {**world.ids, "entity_id": entity_of(world, path)}
    address = path.format(**ids) + QUERIES.get(operation, "")
    with transaction.atomic():
        if operation == "upload_transcript":
            got = Client().post(address, {"file": SimpleUploadedFile("a.txt", b"Yun: Hm.\n")}, headers=headers)
        else:
            body = json.dumps(BODIES.get(operation, {})) if method == "post" else ""
            got = Client().generic(method.upper(), address, body, content_type="application/json", headers=headers)
        transaction.set_rollback(True)
    return got.status_code


def entity_of(world: World, path: str) -> str:
    """Return the id of an entry of the registry that the path is about."""
    kind = next((kind for part, kind in PARTS.items() if f"/{part}/" in path), "npc")
    return world.entries[kind]


def test_table_has_every_operation_of_the_router() -> None:
    assert set(TABLE) == set(OPERATIONS)


@EVERY
def test_operation_answers_each_of_the_cast_as_the_table_says(operation: str, world: World) -> None:
    got = tuple(status(world, operation, world.headers(role)) for role in CAST)

    assert got == TABLE[operation]


@EVERY
def test_operation_is_for_no_token_of_another_campaign(operation: str, world: World) -> None:
    """A token that is bound elsewhere sees as little of a private campaign as nobody does."""
    elsewhere = world.users["outsider"].memberships.get().campaign
    seen = status(world, operation, scoped(world, "gm", "admin", elsewhere))

    assert seen in (403, 404) or operation in {"list_campaigns", "list_tokens", "get_current_token", "create_token"}


@WRITING
def test_token_that_only_reads_changes_nothing(operation: str, world: World) -> None:
    assert status(world, operation, scoped(world, "gm", "read")) in (403, 404)


@EVERY
def test_token_of_the_scope_write_does_all_but_what_needs_the_scope_admin(operation: str, world: World) -> None:
    got = status(world, operation, scoped(world, "gm", "write"))

    assert got == (403 if operation in ADMIN_SCOPE | {"revoke_token"} else TABLE[operation][4])


@EVERY
def test_invalid_token_is_never_nobody(operation: str, world: World) -> None:
    assert status(world, operation, {"Authorization": "Bearer ntr_" + "x" * 43}) == 401


def test_public_campaign_shows_nobody_what_is_approved_and_no_words(world: World) -> None:
    with transaction.atomic():
        Campaign.objects.filter(pk=world.campaign.pk).update(public=True)
        got = {
            operation: status(world, operation, {}) for operation, (method, _) in OPERATIONS.items() if method == "get"
        }
        transaction.set_rollback(True)
    hidden = {name for name, statuses in TABLE.items() if statuses == GAME_MASTERS}

    assert {name for name, each in got.items() if each != 200} == hidden | {
        "get_transcript",
        "get_carried_evidence",
        "list_exports",
        "download_export",
        "list_tokens",
        "get_current_token",
        "list_runs",
        "get_forecast",
    }
