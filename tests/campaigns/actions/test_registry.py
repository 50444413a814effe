from __future__ import annotations

from functools import partial

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, connection

from campaigns.actions import registry, versions
from campaigns.library.sources import kind_of
from campaigns.models import ArtifactVersion, Campaign, EntryAlias, EntryEvidence, RegistryEntry, RegistryState
from extraction.identity import comparison_key, npc_id
from tests import factories, standard
from tests.at_once import at_once
from tests.campaigns.review import families

Kind = RegistryEntry.Kind
NPC = Kind.NPC


def approved(campaign: Campaign, number: int, npcs: factories.Ranges) -> ArtifactVersion:
    session = factories.make_session(campaign, number)
    return factories.make_version(factories.make_transcript(session), npcs, state=ArtifactVersion.State.APPROVED)


def evidence_of(name: str) -> list[tuple[int, int, int]]:
    entry = RegistryEntry.objects.get(entity_id=npc_id(comparison_key(name)))
    return list(entry.evidence.values_list("session__number", "start_unit_id", "end_unit_id"))


def test_rebuild_joins_sessions_by_id_in_session_order(campaign: Campaign) -> None:
    approved(campaign, 10, {"Wick": [(50, 52), (206, 205)]})
    approved(campaign, 2, {"WICK": [(206, 205)], "Mother Quillon": [(11, 14)]})

    registry.rebuild(campaign=campaign, kind=NPC)

    rows = RegistryEntry.objects.filter(campaign=campaign).values_list("name", "key", "sessions", "evidence_count")
    assert list(rows) == [("Mother Quillon", "mother quillon", [2], 1), ("WICK", "wick", [2, 10], 3)]
    assert evidence_of("Wick") == [(2, 206, 205), (10, 50, 52), (10, 206, 205)]


def test_rebuild_takes_approved_versions_of_this_campaign_alone(campaign: Campaign) -> None:
    approved(campaign, 1, {"Wick": [(50, 52)]})
    approved(factories.make_campaign(), 1, {"Mother Quillon": [(11, 14)]})
    factories.make_version(factories.make_transcript(factories.make_session(campaign, 2)), {"Dell": [(44, 46)]})

    registry.rebuild(campaign=campaign, kind=NPC)

    assert list(RegistryEntry.objects.values_list("campaign", "name")) == [(campaign.pk, "Wick")]


def test_rebuild_again_gives_the_same_digest_and_no_more_rows(campaign: Campaign) -> None:
    approved(campaign, 1, standard.NPCS)

    first = registry.rebuild(campaign=campaign, kind=NPC).digest
    rows = (RegistryEntry.objects.count(), EntryEvidence.objects.count())
    second = registry.rebuild(campaign=campaign, kind=NPC).digest

    assert first == second
    assert rows == (RegistryEntry.objects.count(), EntryEvidence.objects.count()) == (4, 10)
    assert RegistryState.objects.count() == 1


@pytest.mark.parametrize(
    "changed",
    [{"Wick": [(50, 51)]}, {"WICK": [(50, 52)]}, {"Wick": [(50, 52), (206, 205)]}, {}],
    ids=["range", "spelling", "more-evidence", "gone"],
)
def test_digest_follows_what_a_reader_sees(campaign: Campaign, changed: factories.Ranges) -> None:
    version = approved(campaign, 1, {"Wick": [(50, 52)]})
    before = registry.rebuild(campaign=campaign, kind=NPC).digest
    ArtifactVersion.objects.filter(pk=version.pk).update(state="superseded")
    factories.make_version(version.transcript, changed, state="approved")

    assert registry.rebuild(campaign=campaign, kind=NPC).digest != before


def test_rebuild_changes_nothing_when_evidence_cannot_be_written(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = approved(campaign, 1, {"Wick": [(50, 52)]})
    digest = registry.rebuild(campaign=campaign, kind=NPC).digest
    ArtifactVersion.objects.filter(pk=version.pk).update(state="superseded")
    factories.make_version(version.transcript, {"Mother Quillon": [(11, 14)]}, state="approved")
    monkeypatch.setattr(EntryEvidence.objects, "bulk_create", _fails)

    with pytest.raises(IntegrityError):
        registry.rebuild(campaign=campaign, kind=NPC)

    assert evidence_of("Wick") == [(1, 50, 52)]
    assert RegistryState.objects.get().digest == digest


@pytest.mark.django_db(transaction=True)
def test_two_approvals_at_once_both_reach_the_registry() -> None:
    if connection.vendor != "postgresql":
        pytest.skip("needs a database that several connections share")
    campaign, by = factories.make_campaign(), factories.make_user()
    pending = [
        factories.make_version(
            factories.make_transcript(factories.make_session(campaign, number)), {f"Wick {number}": [(50, 52)]}
        )
        for number in range(1, 5)
    ]
    at_once(*(partial(versions.approve, version_id=version.pk, note="", by=by) for version in pending))

    names = RegistryEntry.objects.order_by("key").values_list("name", flat=True)
    assert list(names) == ["Wick 1", "Wick 2", "Wick 3", "Wick 4"]


def test_rebuild_joins_items_by_id(campaign: Campaign) -> None:
    for number, name in ((1, "The Clapper"), (2, "the clapper")):
        transcript = factories.make_transcript(factories.make_session(campaign, number))
        families.make_version(transcript, "items", [families.item(transcript, name)], state="approved")

    registry.rebuild(campaign=campaign, kind=Kind.ITEM)

    assert rows_of(campaign, Kind.ITEM) == [("The Clapper", [1, 2], 2, [])]


def test_rebuild_joins_places_by_name_and_keeps_every_id(campaign: Campaign) -> None:
    later = approved_places(campaign, 2, ("saltwick", 9))
    earlier = approved_places(campaign, 1, ("Saltwick", 41))

    registry.rebuild(campaign=campaign, kind=Kind.LOCATION)

    assert rows_of(campaign, Kind.LOCATION) == [("Saltwick", [1, 2], 2, later)]
    assert list(RegistryEntry.objects.values_list("entity_id", flat=True)) == earlier


def test_rebuild_keeps_places_apart_where_a_session_has_two_of_a_name(campaign: Campaign) -> None:
    approved_places(campaign, 1, ("The Gate", 41), ("The Gate", 9))
    approved_places(campaign, 2, ("the gate", 9), ("Saltwick", 41))

    registry.rebuild(campaign=campaign, kind=Kind.LOCATION)

    assert sorted((name, sessions) for name, sessions, _, _ in rows_of(campaign, Kind.LOCATION)) == [
        ("Saltwick", [2]),
        ("The Gate", [1]),
        ("The Gate", [1]),
        ("the gate", [2]),
    ]
    assert EntryAlias.objects.count() == 0


def test_rebuild_has_ids_of_members_and_of_earlier_approved_versions_lead_to_their_entry(
    campaign: Campaign, gm: User
) -> None:
    transcript = factories.make_transcript(factories.make_session(campaign))
    member = families.place(transcript, "The Lower Gate", ((9, 9),))
    first = families.place(transcript, "The Gate", ((41, 41), (9, 9)))
    moved = families.place(transcript, "The Gate", ((44, 44),))
    consolidated = {"applied": [{"id": first["id"], "canonical": "The Gate", "members": [first, member]}]}
    before = families.make_version(transcript, "locations", [first], consolidations=consolidated)
    versions.approve(version_id=before.pk, note="", by=gm)
    versions.approve(version_id=families.make_version(transcript, "locations", [moved]).pk, note="", by=gm)
    aliases = EntryAlias.objects.filter(entry__entity_id=moved["id"]).values_list("entity_id", flat=True)

    assert set(aliases) == {first["id"], member["id"]}


def test_digest_follows_ids_that_lead_to_an_entry(campaign: Campaign) -> None:
    version = approved(campaign, 1, {"Wick": [(50, 52)]})
    before = registry.rebuild(campaign=campaign, kind=NPC).digest
    wick = npc_id(comparison_key("Wick"))
    members = [{"id": wick, "name": "Wick"}, {"id": npc_id("the eel-catcher"), "name": "the eel-catcher"}]
    ArtifactVersion.objects.filter(pk=version.pk).update(consolidations={"applied": [{"id": wick, "members": members}]})

    assert registry.rebuild(campaign=campaign, kind=NPC).digest != before


@pytest.mark.parametrize(
    ("lane", "kind"),
    [("dnd/npcs", Kind.NPC), ("dnd/items", Kind.ITEM), ("dnd/locations", Kind.LOCATION), ("dnd/scenes", None)],
)
def test_kind_of_lane(lane: str, kind: str | None) -> None:
    assert kind_of(lane) == kind


def approved_places(campaign: Campaign, number: int, *places: tuple[str, int]) -> list[str]:
    """Store an approved registry of these names, each at its unit, and return the places' ids."""
    transcript = factories.make_transcript(factories.make_session(campaign, number))
    records = [families.place(transcript, name, ((unit, unit),)) for name, unit in places]
    families.make_version(transcript, "locations", records, state="approved")
    return [str(record["id"]) for record in records]


def rows_of(campaign: Campaign, kind: str) -> list[tuple[str, list[int], int, list[str]]]:
    rows = RegistryEntry.objects.filter(campaign=campaign, kind=kind)
    return [
        (row.name, row.sessions, row.evidence_count, list(row.aliases.values_list("entity_id", flat=True)))
        for row in rows
    ]


def _fails(*args: object, **kwargs: object) -> None:
    raise IntegrityError("the second write failed")
