from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from django.db import IntegrityError
from pytest_django import DjangoDbBlocker

from campaigns.actions import audit, corrections, players, secrets, versions
from campaigns.actions.transcripts import add_revision
from campaigns.errors import ActionError, Conflict, NotFound
from campaigns.library import artifacts, registry, transcripts
from campaigns.library.sight import Edition, Sight
from campaigns.models import ArtifactVersion, AuditEntry, PlayerPayload, RegistryEntry, Secret
from extraction.canonical import canonical_json
from extraction.codes import Code
from extraction.identity import comparison_key, npc_id
from extraction.source.documents import SourceUnit
from tests.campaigns.library import story
from tests.campaigns.library.story import DUKE, MERGED, STRANGER, VOICE, Story
from tests.campaigns.review import families


@pytest.fixture(scope="module")
def shared(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Story]:
    with story.for_a_module("salt-secrets", django_db_blocker) as made:
        yield made


@pytest.fixture
def told(shared: Story, db: None) -> Story:
    return shared


def id_of(name: str) -> str:
    return npc_id(comparison_key(name))


def names(told: Story, edition: Edition = Edition.PLAYER) -> list[str]:
    return [line.name for line in registry.entries(Sight(told.campaign, edition, True), "npc", limit=50)]


def people(told: Story, number: int = 1) -> ArtifactVersion:
    return ArtifactVersion.objects.approved().get(
        artifact__session__campaign=told.campaign, artifact__session__number=number, artifact__lane="dnd/npcs"
    )


def again(told: Story, family: str, records: list[families.Record], groups: list[object] | None = None) -> None:
    """Approve the next version of the first session's artifact."""
    consolidations = {"applied": groups or []}
    story.approve(told.first, family, records, told.gm, consolidations=consolidations)


@pytest.mark.parametrize("kind", ["entry", "merge"])
def test_what_is_kept_cannot_be_hidden_once_more(told: Story, kind: str) -> None:
    act = secrets.hide_entry if kind == "entry" else secrets.hide_merge
    with pytest.raises(Conflict) as caught:
        act(campaign=told.campaign, kind="npc", entity_id=id_of(VOICE if kind == "entry" else DUKE), by=told.gm)

    assert caught.value.code == Code.SECRET_KEPT


def test_what_was_revealed_may_be_kept_again(told: Story) -> None:
    secrets.reveal(secret_id=told.secrets["entry"].pk, by=told.gm)
    assert VOICE in names(told)
    again_kept = secrets.hide_entry(campaign=told.campaign, kind="npc", entity_id=id_of(VOICE), by=told.gm)

    assert VOICE not in names(told)
    assert Secret.objects.filter(campaign=told.campaign, kind="entry").count() == 2
    assert again_kept.revealed_at is None


def test_a_secret_is_revealed_once(told: Story) -> None:
    revealed = secrets.reveal(secret_id=told.secrets["entry"].pk, by=told.gm)
    with pytest.raises(Conflict) as caught:
        secrets.reveal(secret_id=revealed.pk, by=told.gm)

    assert caught.value.code == Code.SECRET_REVEALED
    assert revealed.revealed_by == told.gm
    with pytest.raises(NotFound):
        secrets.reveal(secret_id=0, by=told.gm)


@pytest.mark.parametrize(
    ("act", "refusal"),
    [
        pytest.param(
            lambda told: secrets.hide_entry(campaign=told.campaign, kind="npc", entity_id="npc:x", by=told.gm),
            NotFound,
            id="unknown-entry",
        ),
        pytest.param(
            lambda told: secrets.hide_entry(campaign=told.campaign, kind="x", entity_id="npc:x", by=told.gm),
            NotFound,
            id="unknown-kind",
        ),
        pytest.param(
            lambda told: secrets.hide_merge(campaign=told.campaign, kind="npc", entity_id=id_of(VOICE), by=told.gm),
            NotFound,
            id="nothing-merged",
        ),
        pytest.param(
            lambda told: secrets.hide_occurrence(version=people(told), record=0, by=told.gm),
            ActionError,
            id="no-occurrence",
        ),
        pytest.param(
            lambda told: secrets.hide_range(session=told.first.session, start_unit=5, end_unit=999, by=told.gm),
            NotFound,
            id="unknown-unit",
        ),
        pytest.param(
            lambda told: secrets.hide_range(session=told.first.session, start_unit=10, end_unit=30, by=told.gm),
            ActionError,
            id="reversed-by-position",
        ),
        pytest.param(
            lambda told: secrets.hide_entry(
                campaign=told.campaign, kind="npc", entity_id=id_of(DUKE), note="x" * 2_001, by=told.gm
            ),
            ActionError,
            id="long-note",
        ),
    ],
)
def test_what_cannot_be_kept_changes_nothing(
    told: Story, act: Callable[[Story], Secret], refusal: type[ActionError]
) -> None:
    before = (Secret.objects.count(), AuditEntry.objects.count())
    with pytest.raises(refusal):
        act(told)

    assert (Secret.objects.count(), AuditEntry.objects.count()) == before


def test_the_audit_says_what_kind_of_thing_and_never_what(told: Story) -> None:
    rows = AuditEntry.objects.filter(campaign=told.campaign, act="secret.hide")
    facts = [row.facts for row in rows.order_by("pk")]

    assert [fact["kind"] for fact in facts] == ["merge", "merge", "entry", "occurrence", "range"]
    assert not [word for word in story.CANARIES if word in str(facts)]


@pytest.mark.parametrize("broken", ["audit", "players"])
def test_hiding_and_revealing_change_nothing_when_a_later_write_fails(
    told: Story, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    before, shown = list(Secret.objects.order_by("pk").values()), names(told)
    rows = list(RegistryEntry.objects.filter(campaign=told.campaign).order_by("pk").values_list("pk", "name"))
    if broken == "audit":
        monkeypatch.setattr(audit, "record", _fails)
    else:
        monkeypatch.setattr(PlayerPayload.objects, "bulk_create", _fails)
    with pytest.raises(IntegrityError):
        secrets.hide_entry(campaign=told.campaign, kind="npc", entity_id=id_of(DUKE), by=told.gm)
    with pytest.raises(IntegrityError):
        secrets.reveal(secret_id=told.secrets["entry"].pk, by=told.gm)

    assert list(Secret.objects.order_by("pk").values()) == before
    assert list(RegistryEntry.objects.filter(campaign=told.campaign).order_by("pk").values_list("pk", "name")) == rows
    assert names(told) == shown


def test_a_kept_entry_stays_kept_when_it_is_renamed(told: Story) -> None:
    voice = story.npc(told.first, VOICE, (7, 8))
    renamed = story.npc(told.first, "Morwen of the Well", (7, 8))
    again(told, "npcs", [story.npc(told.first, STRANGER, (1, 3)), renamed], [story.group(renamed, voice)])

    assert "Morwen of the Well" in names(told, Edition.GM)
    assert names(told) == [DUKE, STRANGER]


def test_who_is_merged_with_a_kept_entry_is_kept_too_and_one_merged_into_another_is_taken_out(told: Story) -> None:
    voice, nun = story.npc(told.first, VOICE, (7, 8)), story.npc(told.first, "Sister Amaranth", (9, 9))
    both = story.npc(told.first, VOICE, (7, 8), (9, 9))
    again(told, "npcs", [both], [story.group(both, voice, nun)])
    kept = Secret.objects.get(pk=told.secrets["entry"].pk)
    assert "Sister Amaranth" not in names(told)
    assert id_of("Sister Amaranth") in kept.binding["ids"]

    secrets.reveal(secret_id=kept.pk, by=told.gm)
    secrets.hide_entry(campaign=told.campaign, kind="npc", entity_id=id_of(VOICE), by=told.gm)
    miller = story.npc(told.first, "Tobin Miller", (10, 10))
    other = story.npc(told.first, "Tobin Miller", (7, 8), (10, 10))
    again(told, "npcs", [other], [story.group(other, voice, miller)])

    assert "Tobin Miller" in names(told)
    found = registry.entry(Sight(told.campaign, Edition.PLAYER, True), "npc", id_of("Tobin Miller"))
    assert [at.start_unit_id for at in found.evidence] == [10]


def test_a_kept_merge_stays_apart_in_a_later_extraction_with_one_more_member(told: Story) -> None:
    members = [story.npc(told.first, name, (at, at)) for name, at in ((DUKE, 4), (STRANGER, 1), ("The Fiddler", 9))]
    result = story.npc(told.first, DUKE, (1, 1), (4, 4), (9, 9))
    again(told, "npcs", [result], [story.group(result, *members)])

    assert names(told) == [DUKE, "The Fiddler", STRANGER]


def test_a_merge_may_be_kept_before_it_is_approved(told: Story) -> None:
    page = told.first
    piper, reeve = story.npc(page, "The Piper", (9, 9)), story.npc(page, "Reeve Halloran", (10, 10))
    result = story.npc(page, "Reeve Halloran", (9, 9), (10, 10))
    version = families.make_version(
        page, "npcs", [result], consolidations={"applied": [story.group(result, piper, reeve)]}
    )
    secrets.hide_merge(campaign=told.campaign, kind="npc", entity_id=id_of("Reeve Halloran"), by=told.gm)
    versions.approve(version_id=version.pk, note="", by=told.gm)

    assert {"Reeve Halloran", "The Piper"} <= set(names(told))
    assert "The Piper" not in names(told, Edition.GM)


def test_hiding_the_entry_of_one_member_of_a_kept_merge_leaves_the_other(told: Story) -> None:
    secrets.hide_entry(campaign=told.campaign, kind="npc", entity_id=id_of(DUKE), by=told.gm)

    assert names(told) == [STRANGER]


def test_revealing_a_merge_shows_no_member_that_is_hidden_and_hides_none(told: Story) -> None:
    secrets.hide_entry(campaign=told.campaign, kind="npc", entity_id=id_of(DUKE), by=told.gm)
    for kept in ("merge", "merged again"):
        secrets.reveal(secret_id=told.secrets[kept].pk, by=told.gm)

    assert names(told) == [STRANGER]


def test_a_kept_record_stays_kept_when_a_later_run_cites_other_lines(told: Story) -> None:
    changed = story.gift(told.first, "buried, some say", "the miller", (10, 11))
    again(told, "item-occurrences", [changed, story.gift(told.first, "lit", "the miller", (9, 9))])
    seen = artifacts.records(Sight(told.campaign, Edition.PLAYER, True), 1, "item-occurrences")

    assert [record["detail"] for record in seen] == ["lit"]


def test_a_kept_passage_goes_with_its_lines_through_corrections(told: Story) -> None:
    session = told.first.session
    corrections.reword_unit(session=session, unit_id=30, text="Another word of it.", by=told.gm)
    corrections.split_unit(session=session, unit_id=20, parts=["Only Fennimore Quellgate", "has the key."], by=told.gm)
    reading = transcripts.reading(Sight(told.campaign, Edition.PLAYER, True), 1)

    assert [line.unit_id for line in reading.lines] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]
    assert reading.unit_count == len(reading.lines)


def test_a_kept_passage_is_found_again_in_a_transcript_that_is_numbered_anew(told: Story) -> None:
    units = tuple(SourceUnit(100 + at, unit.speaker, unit.text) for at, unit in enumerate(story.UNITS))
    add_revision(
        session=told.first.session, units=units, title="", format="vtt", encoding="utf-8", notes=[], by=told.gm
    )
    said = [line.text for line in transcripts.reading(Sight(told.campaign, Edition.PLAYER, True), 1).lines]

    assert len(said) == len(story.UNITS) - 2
    assert story.PASSAGE not in said


def test_a_rebuild_stores_what_was_stored(told: Story) -> None:
    def stored() -> list[object]:
        payloads = PlayerPayload.objects.order_by("version").values_list("version", "digest", "record_count")
        entries = RegistryEntry.objects.filter(campaign=told.campaign, edition="player").order_by("kind", "entity_id")
        bindings = [canonical_json(secret.binding) for secret in Secret.objects.order_by("pk")]
        return [*payloads, *entries.values_list("kind", "entity_id", "name", "evidence_count"), *bindings]

    before = stored()
    players.rebuild(campaign=told.campaign)

    assert stored() == before
    assert MERGED not in str(before[: -len(told.secrets)])


def _fails(*args: object, **kwargs: object) -> None:
    raise IntegrityError("a later write failed")
