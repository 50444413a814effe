"""What an archive of the release before has after `migrate`."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.core.management.sql import emit_post_migrate_signal
from django.db import DEFAULT_DB_ALIAS
from django.db.migrations.loader import MigrationLoader

from campaigns.actions import versions
from campaigns.models import Campaign, Change, RegistryEntry, RegistryState
from extraction.identity import comparison_key, npc_id
from tests import factories
from tests.campaigns.review import families

WICK, CATCHER = npc_id(comparison_key("Wick")), npc_id(comparison_key("the eel-catcher"))


@pytest.fixture
def of_before(campaign: Campaign, gm: User) -> Campaign:
    """A registry with a consolidation, as 0002 left it: other names were kept nowhere, and in no digest."""
    transcript = factories.make_transcript(factories.make_session(campaign, 1))
    proof = families.refs(transcript, ((50, 52),))
    members = [{"id": WICK, "name": "Wick", "source_refs": proof}]
    members.append({"id": CATCHER, "name": "the eel-catcher", "source_refs": proof})
    version = families.make_version(
        transcript,
        "npcs",
        [members[0]],
        consolidations={"applied": [{"id": WICK, "canonical": "Wick", "members": members}], "proposals": []},
    )
    versions.approve(version_id=version.pk, note="", by=gm)
    RegistryEntry.objects.update(also_called=[])
    RegistryState.objects.update(digest="0" * 64)
    return campaign


def migrated(*names: str, backwards: bool = False) -> None:
    """Tell the installed apps that these migrations have just been applied, as `migrate` does."""
    known = MigrationLoader(None).disk_migrations
    plan = [(known["campaigns", name], backwards) for name in names]
    emit_post_migrate_signal(0, False, DEFAULT_DB_ALIAS, plan=plan)


def test_upgrade_learns_the_other_names_of_what_was_approved_before(of_before: Campaign) -> None:
    told = Change.objects.count()

    migrated("0003_open_the_archive")

    assert RegistryEntry.objects.get(campaign=of_before).also_called == ["the eel-catcher"]
    # Nobody is told of a change: there is none.
    assert Change.objects.count() == told


@pytest.mark.parametrize(
    ("names", "backwards"),
    [((), False), (("0002_record_decisions",), False), (("0003_open_the_archive",), True)],
    ids=["nothing to do", "another migration", "backwards"],
)
def test_other_migrations_rebuild_nothing(of_before: Campaign, names: tuple[str, ...], backwards: bool) -> None:
    migrated(*names, backwards=backwards)

    assert RegistryEntry.objects.get(campaign=of_before).also_called == []
