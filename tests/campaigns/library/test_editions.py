"""What game masters and players see of one campaign that keeps one secret of every kind."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoDbBlocker

from campaigns.actions import secrets, sessions, versions
from campaigns.errors import NotFound
from campaigns.joining import Citation
from campaigns.library import artifacts, changes, fights, occurrences, outlines, registry, transcripts
from campaigns.library import sessions as evenings
from campaigns.library.sight import Edition, Sight
from campaigns.library.sources import KINDS
from campaigns.models import Campaign, Change, PlayerPayload, RegistryState, Secret
from extraction.identity import comparison_key, npc_id
from extraction.registry import LANES
from tests import factories
from tests.campaigns.library import story
from tests.campaigns.library.story import DUKE, MERGED, STRANGER, UNPROVEN, VOICE, Story
from tests.campaigns.review import families

FAMILIES = tuple(lane.rpartition("/")[2] for lane in LANES)


@pytest.fixture(scope="module")
def shared(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Story]:
    with story.for_a_module("salt-ferry", django_db_blocker) as made:
        yield made


@pytest.fixture
def told(shared: Story, db: None) -> Story:
    return shared


@pytest.fixture
def gm(told: Story) -> User:
    return told.gm


def sight(
    campaign: Campaign, edition: Edition = Edition.PLAYER, *, words: bool = True, as_of: int | None = None
) -> Sight:
    return Sight(campaign, edition, words, as_of)


def id_of(name: str) -> str:
    return npc_id(comparison_key(name))


def everything(seen: Sight) -> dict[str, Any]:
    """Return all that the library tells a sight, but for keys of rows and times."""
    numbers = [line.number for line in evenings.sessions(seen)]
    entries = [line for kind in KINDS for line in registry.entries(seen, kind, limit=100)]
    return {
        "counts": dict(registry.counts(seen)),
        "entries": [entry_of(seen, line) for line in entries],
        "met": [str(occurrences.occurrences_of(seen, line.kind, line.entity_id)) for line in entries],
        "companions": [str(occurrences.companions(seen, line.kind, line.entity_id)) for line in entries],
        "presence": {kind: {at: dict(n) for at, n in occurrences.presence(seen, kind).items()} for kind in KINDS},
        "sessions": [(line.number, line.title, line.unit_count, line.families) for line in evenings.sessions(seen)],
        "records": {f"{n} {family}": artifacts.records(seen, n, family) for n in numbers for family in FAMILIES},
        "fights": {n: str(fights.fights(seen, n)) for n in numbers},
        "lines": {n: [asdict(line) for line in transcripts.reading(seen, n).lines] for n in numbers if seen.words},
        "voices": {n: [asdict(voice) for voice in transcripts.voices(seen, n)] for n in numbers},
    }


def entry_of(seen: Sight, line: registry.Line) -> dict[str, Any]:
    found = registry.entry(seen, line.kind, line.entity_id)
    return {**asdict(found), "quotes": list(transcripts.quotes(seen, found.evidence).values())}


def feed(seen: Sight) -> list[tuple[str, str, list[str]]]:
    return [(row.change, row.name, row.superseded_by) for row in changes.changes(seen, limit=100)]


@pytest.mark.parametrize("as_of", [None, 1, 2])
@pytest.mark.parametrize("words", [True, False])
def test_players_find_no_trace_of_a_secret(told: Story, as_of: int | None, words: bool) -> None:
    seen = sight(told.campaign, words=words, as_of=as_of)
    found = json.dumps([everything(seen), [str(row) for row in changes.changes(seen, limit=100)]])

    assert [word for word in story.CANARIES if word in found] == []
    assert [name for name in (VOICE, UNPROVEN, MERGED) if id_of(name) in found] == []


def test_game_masters_find_everything(told: Story) -> None:
    found = json.dumps(everything(sight(told.campaign, Edition.GM)))

    assert [word for word in story.CANARIES if word not in found] == []


def test_a_kept_merge_shows_its_members_with_their_own_ids_and_evidence(told: Story) -> None:
    seen = sight(told.campaign)
    found = {line.name: registry.entry(seen, "npc", line.entity_id) for line in registry.entries(seen, "npc", limit=9)}

    assert set(found) == {DUKE, STRANGER}
    assert [(at.session, at.start_unit_id) for at in found[DUKE].evidence] == [(1, 4), (2, 1), (3, 1)]
    assert [(at.session, at.start_unit_id) for at in found[STRANGER].evidence] == [(1, 1), (2, 2), (3, 2)]
    assert [(one.other_ids, one.also_called) for one in found.values()] == [([], []), ([], [])]
    with pytest.raises(NotFound):
        registry.entry(seen, "npc", id_of(MERGED))


def test_what_the_merged_one_does_is_done_by_whom_the_cited_lines_name(told: Story) -> None:
    seen = sight(told.campaign)

    assert [one.refs[0].start_unit_id for one in occurrences.occurrences_of(seen, "npc", id_of(STRANGER))] == [1, 2]
    assert [one.refs[0].start_unit_id for one in occurrences.occurrences_of(seen, "npc", id_of(DUKE))] == [5, 1]
    assert [turn.actor for fight in fights.fights(seen, 1) for turn in fight.turns] == [STRANGER, DUKE]


def test_free_text_is_kept_where_it_tells_nothing(told: Story) -> None:
    turns = artifacts.records(sight(told.campaign), 1, "combat-turns")
    scenes = artifacts.records(sight(told.campaign), 1, "scenes")

    assert [turn["summary"] for turn in turns] == ["turn", "Duke Orlan is angry."]
    assert [scene["title"] for scene in scenes] == ["social", "exploration", "Rest at the Old Mill"]


def test_a_withheld_passage_is_neither_read_nor_quoted_nor_counted(told: Story) -> None:
    seen = sight(told.campaign)
    reading = transcripts.reading(seen, 1)
    lantern = registry.entry(seen, "item", artifacts.records(seen, 1, "items")[0]["id"])
    session = told.campaign.sessions.get(number=1)
    hidden = Citation(session.pk, 1, told.first.source_id, 9, 10)

    assert 30 not in [line.unit_id for line in reading.lines]
    assert reading.unit_count == len(reading.lines) == len(story.UNITS) - 2
    assert [at.start_unit_id for at in lantern.evidence] == [9, 10]
    assert transcripts.quotes(seen, [hidden]) == {hidden: None}
    with pytest.raises(NotFound):
        transcripts.reading(seen, 1, start_unit=30)


def test_pages_of_a_reading_are_those_of_a_transcript_without_the_passages(told: Story) -> None:
    seen = sight(told.campaign)
    pages = [transcripts.reading(seen, 1, after_position=at, limit=4) for at in (None, 3, 7, 8, 10)]

    assert [[line.position for line in page.lines] for page in pages] == [
        [0, 1, 2, 3],
        [4, 5, 6, 7],
        [8, 9, 10],
        [9, 10],
        [],
    ]
    assert [line.unit_id for line in pages[2].lines] == [9, 10, 11]


def test_revealing_everything_gives_players_what_game_masters_have(told: Story, gm: User) -> None:
    for secret in told.secrets.values():
        secrets.reveal(secret_id=secret.pk, by=gm)
    for as_of in (None, 1, 2):
        assert everything(sight(told.campaign, as_of=as_of)) == everything(
            sight(told.campaign, Edition.GM, as_of=as_of)
        )
    assert not PlayerPayload.objects.exists()
    states = RegistryState.objects.filter(campaign=told.campaign)
    assert set(states.filter(edition="gm").values_list("kind", "digest")) == set(
        states.filter(edition="player").values_list("kind", "digest")
    )


@pytest.mark.parametrize("edition", list(Edition))
@pytest.mark.parametrize("until", [1, 2])
def test_as_of_a_session_is_a_campaign_that_ends_there(told: Story, gm: User, edition: Edition, until: int) -> None:
    early = everything(sight(told.campaign, edition, as_of=until))
    for session in told.campaign.sessions.filter(number__gt=until):
        sessions.remove(session_id=session.pk, by=gm)

    assert everything(sight(told.campaign, edition)) == early


def test_players_are_told_of_changes_as_if_nothing_had_been_merged(told: Story) -> None:
    created = {name for change, name, _ in feed(sight(told.campaign)) if change == "created"}

    assert created == {DUKE, STRANGER, "Lantern", "Old Mill"}
    assert {change for change, *_ in feed(sight(told.campaign))} == {"created"}


def test_revealing_a_merge_tells_players_that_they_are_one(told: Story, gm: User) -> None:
    before = {row.number for row in changes.changes(sight(told.campaign), limit=100)}
    secrets.reveal(secret_id=told.secrets["merged again"].pk, by=gm)
    secrets.reveal(secret_id=told.secrets["merge"].pk, by=gm)
    new = [row for row in changes.changes(sight(told.campaign), limit=100) if row.number not in before]

    assert ("created", MERGED) in [(row.change, row.name) for row in new]


def test_a_rebuild_that_changes_nothing_tells_nothing(told: Story, gm: User) -> None:
    before = Change.objects.count()
    version = families.make_version(
        told.first,
        "npcs",
        artifacts.records(sight(told.campaign, Edition.GM), 1, "npcs"),
        consolidations=told.campaign.sessions.get(number=1)
        .artifacts.get(lane="dnd/npcs")
        .versions.first()
        .consolidations,  # type: ignore[union-attr]
    )
    versions.approve(version_id=version.pk, note="", by=gm)

    assert Change.objects.count() == before


def digests(seen: Sight) -> Iterator[str]:
    yield from (registry.registry_digest(seen, kind) for kind in KINDS)
    yield from (artifacts.artifact_digest(seen, 1, family) for family in FAMILIES)
    yield transcripts.reading_digest(seen, 1) if seen.words else ""


@pytest.mark.parametrize("words", [True, False])
@pytest.mark.parametrize("as_of", [None, 1])
def test_a_digest_is_that_of_what_is_shown(told: Story, words: bool, as_of: int | None) -> None:
    seen = sight(told.campaign, words=words, as_of=as_of)
    for family in FAMILIES:
        shown = artifacts.artifact(seen, 1, family)
        assert shown.digest == artifacts.artifact_digest(seen, 1, family)
        assert shown.digest != artifacts.artifact_digest(sight(told.campaign, Edition.GM, words=not words), 1, family)


def test_a_change_of_what_players_do_not_see_changes_none_of_their_digests(told: Story, gm: User) -> None:
    before, before_gm = list(digests(sight(told.campaign))), list(digests(sight(told.campaign, Edition.GM)))
    people = artifacts.records(sight(told.campaign, Edition.GM), 1, "npcs")
    voice = next(each for each in people if each["name"] == VOICE)
    voice["source_refs"] = voice["source_refs"][:1] and families.refs(told.first, ((7, 7), (8, 8)))
    artifact = told.campaign.sessions.get(number=1).artifacts.get(lane="dnd/npcs")
    kept = artifact.versions.get(state="approved").consolidations
    version = families.make_version(told.first, "npcs", people, consolidations=kept)
    versions.approve(version_id=version.pk, note="", by=gm)

    assert list(digests(sight(told.campaign))) == before
    assert list(digests(sight(told.campaign, Edition.GM))) != before_gm


def test_a_payload_that_no_secret_touches_is_kept_once(told: Story) -> None:
    kept = PlayerPayload.objects.values_list("version__artifact__lane", "version__artifact__session__number")

    assert ("dnd/scenes", 2) not in kept
    assert ("dnd/npc-occurrences", 2) not in kept
    assert ("dnd/npcs", 1) in kept


def test_a_campaign_without_secrets_keeps_no_rows_for_players(gm: User) -> None:
    campaign = factories.make_campaign("open-water")
    story.told(campaign, gm)

    assert not RegistryState.objects.filter(campaign=campaign, edition="player").exists()
    assert everything(sight(campaign)) == everything(sight(campaign, Edition.GM))
    assert feed(sight(campaign)) == feed(sight(campaign, Edition.GM)) != []


@pytest.mark.parametrize("edition", list(Edition))
def test_reads_take_a_constant_number_of_queries(told: Story, gm: User, edition: Edition) -> None:
    def queries() -> list[int]:
        outlines.forget()
        seen, found = sight(told.campaign, edition), []
        reads = (
            lambda: registry.entries(seen, "npc", limit=50),
            lambda: registry.entry(seen, "npc", id_of(DUKE)),
            lambda: occurrences.occurrences_of(seen, "npc", id_of(DUKE)),
            lambda: occurrences.companions(seen, "npc", id_of(DUKE)),
            lambda: occurrences.presence(seen, "npc"),
            lambda: evenings.sessions(seen),
            lambda: artifacts.artifact(seen, 1, "npcs"),
            lambda: fights.fights(seen, 1),
            lambda: changes.changes(seen, limit=50),
        )
        for read in reads:
            with CaptureQueriesContext(
                connection,
            ) as caught:
                read()
            found.append(len(caught))
        return found

    before = queries()
    for number in (4, 5):
        page = factories.make_transcript(factories.make_session(told.campaign, number), story.LATER)
        story.approve(page, "npcs", [story.npc(page, DUKE, (1, 1)), story.npc(page, f"Guest {number}", (2, 2))], gm)
        story.approve(page, "npc-occurrences", [story.occurrence(page, DUKE, "mention", (1, 1))], gm)
        story.approve(page, "scenes", [families.scene("On", 1, 3)], gm)

    assert queries() == before


def test_pending_versions_are_shown_to_game_masters_who_ask_for_them(told: Story) -> None:
    families.make_version(told.first, "npcs", [story.npc(told.first, "Somebody New", (9, 9))])
    latest = Sight(told.campaign, Edition.GM, True, latest=True)

    assert "Somebody New" in [line.name for line in registry.entries(latest, "npc", limit=50)]
    assert [each["name"] for each in artifacts.records(latest, 1, "npcs")] == ["Somebody New"]
    assert registry.registry_digest(latest, "npc") != registry.registry_digest(sight(told.campaign, Edition.GM), "npc")
    for seen in (sight(told.campaign), sight(told.campaign, Edition.GM)):
        assert "Somebody New" not in str(everything(seen))


def test_versions_by_number(told: Story) -> None:
    with pytest.raises(NotFound):
        artifacts.artifact(sight(told.campaign), 1, "npcs", version=2)
    families.make_version(told.first, "npcs", [story.npc(told.first, "Somebody New", (9, 9))])

    assert artifacts.artifact(sight(told.campaign, Edition.GM), 1, "npcs", version=2).version == 2
    assert artifacts.artifact(sight(told.campaign), 1, "npcs", version=1).version == 1
    with pytest.raises(NotFound):
        artifacts.artifact(sight(told.campaign), 1, "npcs", version=2)


def test_a_secret_of_another_campaign_keeps_nothing_here(told: Story, outsider: User) -> None:
    other = factories.make_campaign("other")
    story.told(other, outsider)

    assert everything(sight(other)) == everything(sight(other, Edition.GM))
    assert Secret.objects.filter(campaign=other).count() == 0
