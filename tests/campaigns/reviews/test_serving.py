"""Approval, and only approval, changes what readers are served: site, API and exports."""

from __future__ import annotations

from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from campaigns.actions import editing, history, reviews, versions
from campaigns.models import ArtifactVersion, RegistryState
from tests.campaigns.reviews.acting import DELL, PEOPLE, QUILLON, VOSS, WICK, on, records


def served(client: Client) -> tuple[object, ...]:
    """Return what a reader gets: the campaign registry, the session's artifact, the export, the state's digest."""
    exported = StringIO()
    where = ("--campaign", "salt-ferry", "--session", "3", "--lane", "dnd/npcs", "--status", "approved")
    call_command("export_artifact", *where, stdout=exported)
    return (
        client.get("/api/v1/campaigns/salt-ferry/npcs").json(),
        client.get("/api/v1/campaigns/salt-ferry/sessions/3/artifacts/npcs").content,
        exported.getvalue(),
        RegistryState.objects.get().digest,
    )


@pytest.fixture
def approved(registry: ArtifactVersion, gm: User) -> ArtifactVersion:
    return versions.approve(version_id=registry.pk, note="", by=gm)


def test_nothing_but_approval_changes_what_readers_are_served(
    approved: ArtifactVersion, client: Client, reader: User, gm: User
) -> None:
    client.force_login(reader)
    before = served(client)
    version = reviews.rename(**on(approved), record=WICK, name="Old Wick", by=gm).version
    version = reviews.remove(**on(version), record=QUILLON, by=gm).version
    version = editing.set_evidence(**on(version), record=DELL, ranges=[(44, 46)], by=gm).version
    version = history.undo(**on(version), by=gm).version

    assert served(client) == before

    versions.approve(version_id=version.pk, note="", by=gm)
    after = served(client)

    assert all(one != other for one, other in zip(before, after, strict=True))


def test_rejection_changes_nothing_that_readers_are_served(
    approved: ArtifactVersion, client: Client, reader: User, gm: User
) -> None:
    client.force_login(reader)
    before = served(client)
    version = reviews.remove(**on(approved), record=WICK, by=gm).version
    versions.reject(version_id=version.pk, note="", by=gm)

    assert served(client) == before


@pytest.mark.parametrize("back", ["undo", "roll-back"])
def test_old_ids_resolve_forwards_and_back(
    approved: ArtifactVersion, client: Client, reader: User, gm: User, back: str
) -> None:
    client.force_login(reader)
    old = records(approved)[VOSS]["id"]
    renamed = reviews.rename(**on(approved), record=VOSS, name="The Captain", by=gm).version
    versions.approve(version_id=renamed.pk, note="", by=gm)
    new = client.get(f"/api/v1/campaigns/salt-ferry/npcs/{old}").json()

    assert (new["name"], new["id"]) == ("The Captain", records(renamed)[VOSS]["id"])

    undone = (
        history.undo(**on(renamed), by=gm)
        if back == "undo"
        else history.roll_back(version_id=approved.pk, expected_version=renamed.number, by=gm)
    )
    versions.approve(version_id=undone.version.pk, note="", by=gm)

    assert client.get(f"/api/v1/campaigns/salt-ferry/npcs/{old}").json()["id"] == old
    assert len(client.get("/api/v1/campaigns/salt-ferry/npcs").json()["items"]) == len(PEOPLE)
