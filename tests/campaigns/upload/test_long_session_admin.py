"""A session of 6,000 units in the admin: edited and removed without a form or a list of them."""

from __future__ import annotations

import re

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from campaigns.actions import sessions, versions
from campaigns.errors import Conflict, NotFound
from campaigns.models import (
    AuditEntry,
    Campaign,
    Checkpoint,
    Decision,
    EntryEvidence,
    GameSession,
    RegistryEntry,
    Transcript,
    Unit,
)
from extraction.source.documents import SourceUnit
from tests import factories, standard

LONG = (
    *standard.UNITS,
    *(SourceUnit(10_000 + at, "Yun", f"That is turn number {at}.") for at in range(6_000 - len(standard.UNITS))),
)


@pytest.fixture
def long(campaign: Campaign) -> Transcript:
    return factories.make_transcript(factories.make_session(campaign), LONG)


@pytest.fixture
def staff(gm: User) -> Client:
    gm.is_staff = True
    gm.save(update_fields=["is_staff"])
    client = Client()
    client.force_login(gm)
    return client


def fields_of(page: str) -> dict[str, str]:
    """Return what a browser would post of the page's forms."""
    tags = re.findall(r"<input[^>]*>", page)
    named = [(re.search(r'name="([^"]+)"', tag), re.search(r'value="([^"]*)"', tag)) for tag in tags]
    return {name.group(1): value.group(1) if value else "" for name, value in named if name is not None}


def rows() -> dict[str, int]:
    kept = ("AuditEntry", "Campaign", "Change", "Membership", "RegistryState", "RosterEntry", "GlossaryTerm")
    models = apps.get_app_config("campaigns").get_models()
    return {model.__name__: model._default_manager.count() for model in models if model.__name__ not in kept}


def test_edit_page_of_a_long_session_has_a_small_form(staff: Client, gm: User, long: Transcript) -> None:
    path = f"/admin/campaigns/gamesession/{long.session_id}/change/"
    page = staff.get(path).content.decode()
    fields = fields_of(page)
    got = staff.post(path, fields | {"title": "The Long Night", "number": "9", "_save": "Save"})

    assert len(fields) < 20
    assert len(page) < 60_000
    assert got.status_code == 302
    kept = GameSession.objects.get()
    assert (kept.title, kept.number) == ("The Long Night", 1)
    assert (Unit.objects.count(), AuditEntry.objects.get().act) == (6_000, "gamesession.edit")


def test_delete_page_of_a_long_session_counts_and_lists_nothing(staff: Client, gm: User, long: Transcript) -> None:
    short = factories.make_transcript(factories.make_session(long.session.campaign, 2), LONG[:1])
    counts = []
    for transcript in (short, long):
        with CaptureQueriesContext(connection) as seen:
            page = staff.get(f"/admin/campaigns/gamesession/{transcript.session_id}/delete/").content.decode()
        counts.append(len(seen))

    assert "Units: 6000" in page
    assert "turn number" not in page
    assert len(page) < 30_000
    assert counts[0] == counts[1]
    assert Unit.objects.count() == 6_001


def test_delete_of_a_long_session_removes_everything_of_it(
    staff: Client, gm: User, campaign: Campaign, long: Transcript
) -> None:
    factories.make_run(long, state="succeeded")
    Checkpoint.objects.create(session=long.session, key="k" * 64, value=b"{}")
    versions.approve(version_id=factories.make_version(long).pk, note="", by=gm)
    second = factories.make_version(long)
    Decision.objects.create(session=long.session, lane="dnd/npcs", kind="accept", made=second, by=gm)
    factories.make_transcript(long.session, LONG[:2])
    assert RegistryEntry.objects.exists()
    path = f"/admin/campaigns/gamesession/{long.session_id}/delete/"
    got = staff.post(path, fields_of(staff.get(path).content.decode()))

    assert got.status_code == 302
    assert set(rows().values()) == {0}
    entry = AuditEntry.objects.first()
    assert entry is not None
    assert (entry.act, entry.by, entry.facts["units"], entry.facts["revisions"]) == ("session.remove", gm, 6_002, 2)


def test_delete_of_one_session_keeps_what_another_one_proves(gm: User, campaign: Campaign) -> None:
    kept, gone = (factories.make_transcript(factories.make_session(campaign, number)) for number in (1, 2))
    for transcript in (kept, gone):
        versions.approve(version_id=factories.make_version(transcript).pk, note="", by=gm)
    sessions.remove(session_id=gone.session_id, by=gm)

    assert RegistryEntry.objects.exists()
    assert all(entry.sessions == [1] for entry in RegistryEntry.objects.all())
    assert set(EntryEvidence.objects.values_list("session", flat=True)) == {kept.session_id}
    assert Unit.objects.count() == len(standard.UNITS)


def test_delete_of_selected_sessions_counts_too(staff: Client, campaign: Campaign, long: Transcript) -> None:
    other = factories.make_transcript(factories.make_session(campaign, 2))
    chosen = {"action": "delete_selected", "_selected_action": [long.session_id, other.session_id]}
    path = "/admin/campaigns/gamesession/"
    page = staff.post(path, chosen).content.decode()
    got = staff.post(path, chosen | {"post": "yes"})

    assert f"Units: {6_000 + len(standard.UNITS)}" in page
    assert got.status_code == 302
    assert (GameSession.objects.count(), Unit.objects.count()) == (0, 0)
    assert AuditEntry.objects.filter(act="session.remove").count() == 2


def test_delete_waits_for_a_run_that_is_at_work(staff: Client, long: Transcript) -> None:
    run = factories.make_run(long)
    path = f"/admin/campaigns/gamesession/{long.session_id}/delete/"
    page = staff.post(path, {"post": "yes"}).content.decode()

    assert f"Run {run.pk} of" in page
    assert GameSession.objects.exists()
    with pytest.raises(Conflict, match="cancel it first"):
        sessions.remove(session_id=long.session_id, by=None)


def test_delete_is_for_who_manages_the_campaign(staff: Client, long: Transcript) -> None:
    far = factories.make_session(factories.make_campaign("far-shore"))

    assert staff.post(f"/admin/campaigns/gamesession/{far.pk}/delete/", {"post": "yes"}).status_code == 302
    assert GameSession.objects.filter(pk=far.pk).exists()
    with pytest.raises(NotFound):
        sessions.remove(session_id=far.pk + 1_000, by=None)
