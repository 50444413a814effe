"""What is kept stays kept through a game master's ordinary work: corrections, uploads, reviews and later runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson
import pytest
from django.contrib.auth.models import User

from campaigns.actions import editing, secrets, versions
from campaigns.actions.transcripts import add_revision
from campaigns.errors import Conflict
from campaigns.library import artifacts
from campaigns.library.editions import records_of
from campaigns.library.secrets import marks
from campaigns.library.sight import Edition, Sight
from campaigns.library.transcripts import reading
from campaigns.models import ArtifactVersion, GameSession, Membership, Secret, Transcript
from extraction.source.documents import SourceUnit
from tests import factories
from tests.campaigns.library.story import approve, npc, occurrence
from tests.campaigns.review import families

pytestmark = pytest.mark.django_db
SAID = ("We arrive.", "Rain falls.", "The traitor is Borrel.", "He sold us.", "We sleep.", "We ride.")


@pytest.fixture
def gm() -> User:
    return factories.make_user("keeper-of-all")


@pytest.fixture
def session(gm: User) -> GameSession:
    session = factories.make_session()
    factories.make_membership(session.campaign, gm, Membership.Role.GM)
    return session


def upload(session: GameSession, texts: Sequence[str], by: User, first: int = 1) -> Transcript:
    units = tuple(SourceUnit(at, "GM", text) for at, text in enumerate(texts, start=first))
    return add_revision(session=session, units=units, title="", format="vtt", encoding="utf-8", notes=[], by=by)


def seen(session: GameSession, family: str) -> list[dict[str, Any]]:
    return list(artifacts.records(Sight(session.campaign, Edition.PLAYER, True), session.number, family))


def read(session: GameSession) -> list[str]:
    return [line.text for line in reading(Sight(session.campaign, Edition.PLAYER, True), session.number).lines]


def approved(page: Transcript, family: str, records: Sequence[families.Record], by: User) -> ArtifactVersion:
    return ArtifactVersion.objects.get(pk=approve(page, family, records, by))


def cast(page: Transcript, spell: str, unit: int, caster: str = "Pike") -> dict[str, Any]:
    refs = families.refs(page, ((unit, unit),))
    return {"caster": caster, "spell": spell, "level": None, "targets": [], "outcome": None, "source_refs": refs}


def event(page: Transcript, detail: str, unit: int) -> dict[str, Any]:
    refs = families.refs(page, ((unit, unit),))
    return {"enemy": "The wolf", "kind": "damaged", "detail": detail, "actor": None, "source_refs": refs}


def starts(records: Sequence[dict[str, Any]]) -> list[int]:
    return [record["source_refs"][0]["start_unit_id"] for record in records]


@pytest.mark.parametrize("lines_in_front", [1, 3])
def test_a_kept_record_is_found_in_a_transcript_with_lines_in_front(
    session: GameSession, gm: User, lines_in_front: int
) -> None:
    texts = ("Pike waits.", "Pike sells us.", "Pike sleeps.")
    page = upload(session, texts, gm)
    approve(page, "npcs", [npc(page, "Pike", (1, 1))], gm)
    met = [occurrence(page, "Pike", "action", (1, 1)), occurrence(page, "Pike", "dialogue", (2, 2))]
    secrets.hide_occurrence(version=approved(page, "npc-occurrences", met, gm), record=1, by=gm)
    assert starts(seen(session, "npc-occurrences")) == [1]

    more = lines_in_front
    page = upload(session, (*(f"Recap {at}." for at in range(more)), *texts), gm)
    approve(page, "npcs", [npc(page, "Pike", (1 + more, 1 + more))], gm)
    again = [("action", 1 + more), ("dialogue", 2 + more)]
    approve(page, "npc-occurrences", [occurrence(page, "Pike", kind, (at, at)) for kind, at in again], gm)

    assert starts(seen(session, "npc-occurrences")) == [1 + more]


def test_a_kept_cast_stays_kept_when_its_spelling_is_mended(session: GameSession, gm: User) -> None:
    page = upload(session, SAID, gm)
    version = approved(page, "spells", [cast(page, "Sugestion", 3), cast(page, "Light", 5)], gm)
    secrets.hide_occurrence(version=version, record=0, by=gm)
    mended = editing.edit_record(
        artifact_id=version.artifact_id, expected_version=1, record=0, fields={"spell": "Suggestion"}, by=gm
    )
    versions.approve(version_id=mended.version.pk, note="", by=gm)

    assert [record["spell"] for record in seen(session, "spells")] == ["Light"]
    with pytest.raises(Conflict):
        secrets.hide_occurrence(version=mended.version, record=0, by=gm)


def test_a_kept_event_stays_kept_when_a_review_has_it_cite_other_lines(session: GameSession, gm: User) -> None:
    page = upload(session, SAID, gm)
    version = approved(page, "enemy-events", [event(page, "bitten", 3), event(page, "scorched", 5)], gm)
    secrets.hide_occurrence(version=version, record=0, by=gm)
    moved = editing.set_evidence(artifact_id=version.artifact_id, expected_version=1, record=0, ranges=[(6, 6)], by=gm)
    assert [record["detail"] for record in seen(session, "enemy-events")] == ["scorched"]
    versions.approve(version_id=moved.version.pk, note="", by=gm)

    assert [record["detail"] for record in seen(session, "enemy-events")] == ["scorched"]


@pytest.mark.parametrize("chosen_in", ["approved", "pending"])
def test_a_record_that_a_review_already_has_cite_other_lines_is_kept_in_both_versions(
    chosen_in: str, session: GameSession, gm: User
) -> None:
    """The review came first: neither version says by its lines that the other tells of the same."""
    page = upload(session, SAID, gm)
    told = [event(page, "bitten", 3), event(page, "scorched", 5)]
    version = approved(page, "enemy-events", told, gm)
    at_work: dict[str, Any] = {"artifact_id": version.artifact_id, "by": gm}
    editing.set_evidence(**at_work, expected_version=1, record=0, ranges=[(1, 1)])
    editing.edit_record(**at_work, expected_version=2, record=0, fields={"detail": "mauled"})
    pending = version.artifact.versions.latest("number")
    secrets.hide_occurrence(version=version if chosen_in == "approved" else pending, record=0, by=gm)
    assert [record["detail"] for record in seen(session, "enemy-events")] == ["scorched"]
    versions.approve(version_id=pending.pk, note="", by=gm)

    assert [record["detail"] for record in seen(session, "enemy-events")] == ["scorched"]


def test_a_record_that_a_review_already_gave_lines_of_a_kept_one_is_kept_and_the_giver_of_others_is_not(
    session: GameSession, gm: User
) -> None:
    page = upload(session, SAID, gm)
    both = {**event(page, "bitten", 3), "source_refs": families.refs(page, ((3, 3), (6, 6)))}
    version = approved(page, "enemy-events", [both, event(page, "scorched", 5), event(page, "gone", 1)], gm)
    at = [record["detail"] for record in records_of(orjson.loads(version.payload))]
    at_work: dict[str, Any] = {"artifact_id": version.artifact_id, "by": gm}
    editing.move_evidence(**at_work, expected_version=1, record=at.index("bitten"), refs=[1], to=at.index("scorched"))
    pending = version.artifact.versions.latest("number")
    secrets.hide_occurrence(version=version, record=at.index("scorched"), by=gm)
    versions.approve(version_id=pending.pk, note="", by=gm)
    assert {record["detail"] for record in seen(session, "enemy-events")} == {"bitten", "gone"}

    secrets.reveal(secret_id=Secret.objects.get().pk, by=gm)
    secrets.hide_occurrence(version=version, record=at.index("bitten"), by=gm)

    assert {record["detail"] for record in seen(session, "enemy-events")} == {"gone"}


def parted_by_review(version: ArtifactVersion, gm: User) -> ArtifactVersion:
    """Split the first turn, at lines 2 to 3: its second action is Borrel's, at line 3."""
    return editing.split_turn(
        artifact_id=version.artifact_id,
        expected_version=1,
        record=0,
        actions=[1],
        ranges=[(3, 3)],
        kept=[(2, 2)],
        fields={"actor": "Borrel", "summary": "He strikes."},
        kept_summary="He draws.",
        by=gm,
    ).version


def test_one_turn_of_a_parted_one_is_kept_without_the_other(session: GameSession, gm: User) -> None:
    page = upload(session, SAID, gm)
    acts = [families.action("He draws."), families.action("He strikes.")]
    version = approved(page, "combat-turns", [families.turn(page, "Pike", acts, "Two acts.", ((2, 3),))], gm)
    parted = parted_by_review(version, gm)
    actors = [record["actor"] for record in records_of(orjson.loads(parted.payload))]
    secrets.hide_occurrence(version=parted, record=actors.index("Borrel"), by=gm)
    # What is approved still tells both in one.
    assert seen(session, "combat-turns") == []
    versions.approve(version_id=parted.pk, note="", by=gm)

    assert [record["actor"] for record in seen(session, "combat-turns")] == ["Pike"]


def test_both_turns_are_kept_that_a_review_makes_of_a_kept_one(session: GameSession, gm: User) -> None:
    page = upload(session, SAID, gm)
    acts = [families.action("He draws."), families.action("He strikes.")]
    turns = [
        families.turn(page, "Pike", acts, "Two acts.", ((2, 3),)),
        families.turn(page, "Mira", acts, "Another.", ((5, 5),)),
    ]
    version = approved(page, "combat-turns", turns, gm)
    secrets.hide_occurrence(version=version, record=0, by=gm)
    parted = parted_by_review(version, gm)
    versions.approve(version_id=parted.pk, note="", by=gm)

    assert [record["actor"] for record in seen(session, "combat-turns")] == ["Mira"]


def test_half_of_a_kept_turn_told_as_a_given_up_review_had_it_does_not_show_the_other_half(
    session: GameSession, gm: User
) -> None:
    page = upload(session, SAID, gm)
    acts = [families.action("He draws."), families.action("He strikes.")]
    version = approved(page, "combat-turns", [families.turn(page, "Pike", acts, "Two acts.", ((2, 3),))], gm)
    parted = parted_by_review(version, gm)
    versions.reject(version_id=parted.pk, note="One turn.", by=gm)
    secrets.hide_occurrence(version=version, record=0, by=gm)
    first = next(record for record in records_of(orjson.loads(parted.payload)) if record["actor"] == "Pike")
    second = families.turn(page, "Borrel", [families.action("He stabs the captain.")], "A stab.", ((3, 3),))
    other = families.turn(page, "Mira", acts, "Another.", ((5, 5),))
    approve(page, "combat-turns", [first, second, other], gm)

    assert [record["actor"] for record in seen(session, "combat-turns")] == ["Mira"]


def test_a_later_run_that_tells_a_kept_record_of_somebody_else_does_not_show_it(session: GameSession, gm: User) -> None:
    page = upload(session, SAID, gm)
    version = approved(page, "spells", [cast(page, "Hex", 3), cast(page, "Light", 5)], gm)
    secrets.hide_occurrence(version=version, record=0, by=gm)
    approve(page, "spells", [cast(page, "Hexe", 3, "Pyke"), cast(page, "Light", 5)], gm)

    assert [record["spell"] for record in seen(session, "spells")] == ["Light"]


def test_the_same_subject_by_the_same_line_is_not_taken_for_the_kept_record_if_it_says_something_else(
    session: GameSession, gm: User
) -> None:
    page = upload(session, SAID, gm)
    version = approved(page, "enemy-events", [event(page, "struck down by Borrel", 3)], gm)
    secrets.hide_occurrence(version=version, record=0, by=gm)
    longer = {**event(page, "slain by Borrel", 3), "source_refs": families.refs(page, ((3, 4),))}
    approve(page, "enemy-events", [event(page, "growls", 3), longer, event(page, "gone", 5)], gm)

    assert [record["detail"] for record in seen(session, "enemy-events")] == ["gone"]


@pytest.mark.parametrize(
    ("now", "left"),
    [
        pytest.param(
            ["we arrive", "rain", "falls", "the traitor", "is borrel", "he sold", "us we", "sleep", "we ride"],
            [],
            id="another-recogniser",
        ),
        pytest.param(
            [
                "We arrive.",
                "Rain falls.",
                "Thunder.",
                "The traitor: Borrel!",
                "He has sold us.",
                "We sleep.",
                "We ride.",
            ],
            ["We arrive.", "Rain falls.", "We sleep.", "We ride."],
            id="reworded-and-moved",
        ),
        pytest.param(
            ["We arrive.", "Rain falls.", "The traitor: Borrel!", "He has sold us.", "We sleep.", "We ride."],
            ["We arrive.", "Rain falls.", "We sleep.", "We ride."],
            id="reworded-in-place",
        ),
        pytest.param(
            ["We arrive.", "Rain falls. The traitor: Borrel!", "And so he sold us. We sleep.", "We ride."],
            ["We arrive.", "We ride."],
            id="joined-with-its-neighbours",
        ),
        pytest.param(
            ["We arrive.", "Rain falls.", "We sleep.", "We ride."],
            ["We arrive.", "Rain falls.", "We sleep.", "We ride."],
            id="taken-out",
        ),
        pytest.param(
            ["The traitor is Borrel.", "We arrive.", "Rain falls.", "He sold us.", "We sleep.", "We ride."],
            ["We arrive.", "Rain falls.", "We sleep.", "We ride."],
            id="moved-out-of-their-order",
        ),
    ],
)
def test_of_lost_words_all_is_kept_that_may_have_taken_their_place(
    session: GameSession, gm: User, now: list[str], left: list[str]
) -> None:
    upload(session, SAID, gm)
    secrets.hide_range(session=session, start_unit=3, end_unit=4, by=gm)
    upload(session, now, gm)

    assert read(session) == left


def test_only_the_passage_is_kept_when_lines_around_it_are_reworded_in_their_place(
    session: GameSession, gm: User
) -> None:
    upload(session, SAID, gm)
    secrets.hide_range(session=session, start_unit=3, end_unit=3, by=gm)
    upload(session, (*SAID[:2], "The traitor: Borrel!", "He sold all of us.", *SAID[4:]), gm)

    assert read(session) == ["We arrive.", "Rain falls.", "He sold all of us.", "We sleep.", "We ride."]


def test_a_unit_of_a_kept_number_may_be_kept_in_a_later_revision(session: GameSession, gm: User) -> None:
    upload(session, SAID, gm)
    first = secrets.hide_range(session=session, start_unit=2, end_unit=2, by=gm)
    upload(session, ("A recap.", *SAID), gm)
    game_master = Sight(session.campaign, Edition.GM, True)
    assert marks(game_master).ranges(session.number) == [(3, 3, first.pk)]

    second = secrets.hide_range(session=session, start_unit=2, end_unit=2, by=gm)
    assert "We arrive." not in read(session)
    assert {pk for _, _, pk in marks(game_master).ranges(session.number)} == {first.pk, second.pk}
    with pytest.raises(Conflict):
        secrets.hide_range(session=session, start_unit=2, end_unit=2, by=gm)


@pytest.mark.parametrize(
    ("kept", "told"),
    [
        pytest.param((3, 4), [("The inn", "social", 1, 4), ("The road", "exploration", 5, 6)], id="in-the-middle"),
        pytest.param((1, 2), [("The plan", "combat", 1, 4), ("The road", "exploration", 5, 6)], id="the-first"),
        pytest.param((1, 4), [("The road", "exploration", 1, 6)], id="the-first-two"),
        pytest.param((5, 6), [("The inn", "social", 1, 2), ("The plan", "combat", 3, 6)], id="the-last"),
        pytest.param((1, 6), [("other", "other", 1, 6)], id="all"),
    ],
)
def test_a_scene_of_which_nothing_is_left_is_not_told(
    session: GameSession, gm: User, kept: tuple[int, int], told: list[tuple[str, str, int, int]]
) -> None:
    page = upload(session, SAID, gm)
    scenes = [
        families.scene("The inn", 1, 2),
        families.scene("The plan", 3, 4, "combat"),
        families.scene("The road", 5, 6, "exploration"),
    ]
    approve(page, "scenes", scenes, gm)
    secrets.hide_range(session=session, start_unit=kept[0], end_unit=kept[1], by=gm)

    shown = [
        tuple(one[name] for name in ("title", "primary_mode", "start_unit_id", "end_unit_id"))
        for one in seen(session, "scenes")
    ]
    assert shown == told


def test_what_was_bound_by_a_review_is_shown_when_the_secret_is_revealed(session: GameSession, gm: User) -> None:
    page = upload(session, SAID, gm)
    version = approved(page, "spells", [cast(page, "Sugestion", 3)], gm)
    secret = secrets.hide_occurrence(version=version, record=0, by=gm)
    mended = editing.edit_record(
        artifact_id=version.artifact_id, expected_version=1, record=0, fields={"spell": "Suggestion"}, by=gm
    )
    versions.approve(version_id=mended.version.pk, note="", by=gm)
    told = Secret.objects.get(pk=secret.pk).binding["records"]
    secrets.reveal(secret_id=secret.pk, by=gm)

    assert [one["subject"][1] for one in told] == ["sugestion", "suggestion"]
    assert [record["spell"] for record in seen(session, "spells")] == ["Suggestion"]
