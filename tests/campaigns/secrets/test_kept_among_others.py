"""A kept record hides nobody who stands beside it, and nobody who stands beside it shows it."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from django.contrib.auth.models import User

from campaigns.actions import editing, secrets, versions
from campaigns.library.editions import records_of
from campaigns.models import ArtifactVersion, GameSession, Secret
from tests.campaigns.library.story import approve, npc, occurrence
from tests.campaigns.review import families
from tests.campaigns.secrets.test_still_kept import SAID, approved, event, gm, parted_by_review, seen, session, upload

__all__ = ["gm", "session"]

pytestmark = pytest.mark.django_db
PEOPLE = ("Pike", "Mira", "Bram")


def met(page: Any, *lines: tuple[str, tuple[tuple[int, int], ...]]) -> list[dict[str, Any]]:
    return [occurrence(page, name, "dialogue", *ranges) for name, ranges in lines]


def names(session: GameSession) -> set[str]:
    return {record["name"] for record in seen(session, "npc-occurrences")}


def kept(page: Any, gm: User, *lines: tuple[str, tuple[tuple[int, int], ...]]) -> ArtifactVersion:
    """Approve who is met at these lines, and keep the first of them."""
    approve(page, "npcs", [npc(page, name, (at, at)) for at, name in enumerate(PEOPLE, start=1)], gm)
    version = approved(page, "npc-occurrences", met(page, *lines), gm)
    secrets.hide_occurrence(version=version, record=0, by=gm)
    return version


def cite(version: ArtifactVersion, ranges: list[tuple[int, int]], gm: User) -> ArtifactVersion:
    """Have the first record of the newest version cite these lines."""
    newest = version.artifact.versions.latest("number")
    return editing.set_evidence(
        artifact_id=version.artifact_id, expected_version=newest.number, record=0, ranges=ranges, by=gm
    ).version


@pytest.mark.parametrize(
    ("had", "has"), [pytest.param((3, 3), (4, 4), id="moved"), pytest.param((2, 3), (3, 3), id="trimmed")]
)
def test_others_at_lines_that_a_review_took_from_a_kept_record_are_shown(
    had: tuple[int, int], has: tuple[int, int], session: GameSession, gm: User
) -> None:
    page = upload(session, SAID, gm)
    version = kept(page, gm, ("Pike", (had,)), ("Mira", ((had[0], had[0]),)), ("Bram", ((had[0], had[0]),)))
    assert names(session) == {"Mira", "Bram"}

    versions.approve(version_id=cite(version, [has], gm).pk, note="", by=gm)

    assert names(session) == {"Mira", "Bram"}
    assert len(Secret.objects.get().binding["records"]) == 2


def test_what_a_given_up_review_took_from_a_kept_record_is_kept_where_it_tells_of_the_same(
    session: GameSession, gm: User
) -> None:
    page = upload(session, SAID, gm)
    version = kept(page, gm, ("Pike", ((2, 3),)))
    versions.reject(version_id=cite(version, [(3, 3)], gm).pk, note="Both lines.", by=gm)
    approve(
        page,
        "npc-occurrences",
        met(page, ("Pike", ((3, 3),)), ("Pike", ((2, 2),)), ("Mira", ((2, 2),))),
        gm,
    )

    assert names(session) == {"Mira"}


def test_a_record_that_was_given_its_line_does_not_show_a_kept_one_told_in_other_words(
    session: GameSession, gm: User
) -> None:
    page = upload(session, SAID, gm)
    bear = {**event(page, "scorched", 5), "enemy": "The bear"}
    version = approved(page, "enemy-events", [event(page, "sold us", 3), bear, event(page, "gone", 1)], gm)
    secrets.hide_occurrence(version=version, record=0, by=gm)
    at = [record["detail"] for record in records_of(orjson.loads(version.payload))].index("scorched")
    given = editing.set_evidence(
        artifact_id=version.artifact_id, expected_version=1, record=at, ranges=[(3, 3), (5, 5)], by=gm
    ).version
    versions.approve(version_id=given.pk, note="", by=gm)
    both = {**bear, "source_refs": families.refs(page, ((3, 3), (5, 5)))}
    approve(page, "enemy-events", [both, event(page, "betrayed us all", 3), event(page, "gone", 1)], gm)

    assert {record["detail"] for record in seen(session, "enemy-events")} == {"gone"}


def test_others_are_shown_whose_lines_two_reviews_took_from_a_kept_record(session: GameSession, gm: User) -> None:
    page = upload(session, SAID, gm)
    version = kept(page, gm, ("Pike", ((2, 4),)), ("Mira", ((3, 3),)), ("Bram", ((4, 4),)))
    cite(version, [(2, 3)], gm)
    versions.approve(version_id=cite(version, [(2, 2)], gm).pk, note="", by=gm)

    assert names(session) == {"Mira", "Bram"}


def test_another_record_of_the_same_person_is_shown_at_a_line_that_a_review_took(
    session: GameSession, gm: User
) -> None:
    page = upload(session, SAID, gm)
    approve(page, "npcs", [npc(page, "Pike", (1, 1))], gm)
    told = [occurrence(page, "Pike", "dialogue", (2, 3)), occurrence(page, "Pike", "action", (3, 3))]
    version = approved(page, "npc-occurrences", told, gm)
    secrets.hide_occurrence(version=version, record=0, by=gm)
    versions.approve(version_id=cite(version, [(2, 2)], gm).pk, note="", by=gm)

    assert [record["kind"] for record in seen(session, "npc-occurrences")] == ["action"]


ACTS = [families.action("He draws."), families.action("He strikes.")]


def actors(session: GameSession) -> set[str]:
    return {record["actor"] for record in seen(session, "combat-turns")}


def test_the_half_of_a_kept_turn_that_a_later_run_tells_of_somebody_else_is_kept(
    session: GameSession, gm: User
) -> None:
    page = upload(session, SAID, gm)
    version = approved(page, "combat-turns", [families.turn(page, "Pike", ACTS, "Two acts.", ((2, 3),))], gm)
    secrets.hide_occurrence(version=version, record=0, by=gm)
    parted = parted_by_review(version, gm)
    versions.approve(version_id=parted.pk, note="", by=gm)
    first = next(record for record in records_of(orjson.loads(parted.payload)) if record["actor"] == "Pike")
    second = families.turn(page, "The stranger", [families.action("He stabs.")], "A stab.", ((3, 3),))
    approve(page, "combat-turns", [first, second, families.turn(page, "Mira", ACTS, "Another.", ((5, 5),))], gm)

    assert actors(session) == {"Mira"}


def test_half_of_a_kept_turn_is_kept_though_it_cites_other_lines(session: GameSession, gm: User) -> None:
    page = upload(session, SAID, gm)
    version = approved(page, "combat-turns", [families.turn(page, "Pike", ACTS, "Two acts.", ((2, 3),))], gm)
    secrets.hide_occurrence(version=version, record=0, by=gm)
    parted = editing.split_turn(
        artifact_id=version.artifact_id,
        expected_version=1,
        record=0,
        actions=[1],
        ranges=[(4, 4)],
        kept=[(2, 3)],
        fields={"actor": "Borrel", "summary": "He strikes."},
        kept_summary="He draws.",
        by=gm,
    ).version
    versions.approve(version_id=parted.pk, note="", by=gm)

    assert actors(session) == set()


def test_a_turn_that_a_kept_one_was_joined_to_is_kept_and_others_at_its_line_are_not(
    session: GameSession, gm: User
) -> None:
    page = upload(session, SAID, gm)
    turns = [families.turn(page, name, ACTS[:1], name, ((at, at),)) for name, at in zip(PEOPLE, (2, 3, 3), strict=True)]
    version = approved(page, "combat-turns", turns, gm)
    secrets.hide_occurrence(version=version, record=1, by=gm)
    joined = editing.join_turns(artifact_id=version.artifact_id, expected_version=1, records=[0, 1], by=gm).version
    versions.approve(version_id=joined.pk, note="", by=gm)

    assert actors(session) == {"Bram"}


def test_a_record_that_was_given_a_kept_line_settles_nothing_in_a_later_revision(
    session: GameSession, gm: User
) -> None:
    page = upload(session, SAID, gm)
    bear = {**event(page, "scorched", 5), "enemy": "The bear"}
    version = approved(page, "enemy-events", [event(page, "sold us", 3), bear], gm)
    secrets.hide_occurrence(version=version, record=0, by=gm)
    given = editing.set_evidence(
        artifact_id=version.artifact_id, expected_version=1, record=1, ranges=[(3, 3), (5, 5)], by=gm
    ).version
    versions.approve(version_id=given.pk, note="", by=gm)
    page = upload(session, (*SAID[:5], "We ride on."), gm)
    both = {**bear, "source_refs": families.refs(page, ((3, 3), (5, 5)))}
    later = approved(page, "enemy-events", [both, {**event(page, "betrayed us", 3), "enemy": "The man"}], gm)
    at = [record["detail"] for record in records_of(orjson.loads(later.payload))].index("scorched")
    mended = editing.edit_record(
        artifact_id=later.artifact_id,
        expected_version=later.number,
        record=at,
        fields={"detail": "scorched black"},
        by=gm,
    ).version
    versions.approve(version_id=mended.pk, note="", by=gm)
    black = next(record for record in records_of(orjson.loads(mended.payload)) if record["detail"] == "scorched black")
    approve(page, "enemy-events", [black, {**event(page, "sold the keys", 3), "enemy": "The spy"}], gm)

    assert seen(session, "enemy-events") == []
