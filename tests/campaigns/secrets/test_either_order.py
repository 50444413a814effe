"""What is kept is kept whether the secret or the review came first, and through every later run of either telling."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from django.contrib.auth.models import User

from campaigns.actions import editing, reruns, secrets, versions
from campaigns.library.editions import records_of
from campaigns.models import ArtifactVersion, Decision, GameSession, Secret
from tests.campaigns.library.story import approve
from tests.campaigns.review import families
from tests.campaigns.secrets.test_still_kept import SAID, approved, event, gm, parted_by_review, seen, session, upload

__all__ = ["gm", "session"]

pytestmark = pytest.mark.django_db
EITHER_ORDER = pytest.mark.parametrize("first", ["the secret", "the review"])


def acts(*said: str) -> list[Any]:
    return [families.action(one) for one in said]


def place(version: ArtifactVersion, field: str, value: str) -> int:
    """Return where the record stands that says so."""
    return [record[field] for record in records_of(orjson.loads(version.payload))].index(value)


def newest(version: ArtifactVersion) -> ArtifactVersion:
    return version.artifact.versions.latest("number")


def details(session: GameSession) -> set[str]:
    return {record["detail"] for record in seen(session, "enemy-events")}


def actors(session: GameSession) -> set[str]:
    return {record["actor"] for record in seen(session, "combat-turns")}


def hide(version: ArtifactVersion, field: str, value: str, gm: User) -> None:
    secrets.hide_occurrence(version=version, record=place(version, field, value), by=gm)


def cite(version: ArtifactVersion, detail: str, ranges: list[tuple[int, int]], gm: User) -> ArtifactVersion:
    at = place(version, "detail", detail)
    return editing.set_evidence(
        artifact_id=version.artifact_id, expected_version=version.number, record=at, ranges=ranges, by=gm
    ).version


@EITHER_ORDER
@pytest.mark.parametrize("run", ["on a new revision", "that tells it otherwise", "that tells it as it was"])
def test_a_review_of_a_later_run_that_moves_a_kept_record_does_not_show_it(
    run: str, first: str, session: GameSession, gm: User
) -> None:
    page = upload(session, SAID, gm)
    version = approved(page, "enemy-events", [event(page, "bitten", 3), event(page, "gone", 1)], gm)
    if first == "the secret":
        hide(version, "detail", "bitten", gm)
    more = 1 if run == "on a new revision" else 0
    page = upload(session, ("A recap.", *SAID), gm) if more else page
    detail = "bitten by Borrel" if run == "that tells it otherwise" else "bitten"
    told = [event(page, "gone", 1 + more), event(page, detail, 3 + more)]
    moved = cite(families.make_version(page, "enemy-events", told), detail, [(5 + more, 5 + more)], gm)
    if first == "the review":
        hide(version, "detail", "bitten", gm)
    versions.approve(version_id=moved.pk, note="", by=gm)

    assert details(session) == {"gone"}


def test_a_record_of_a_later_run_is_kept_where_a_review_had_moved_what_an_earlier_run_told_of_it(
    session: GameSession, gm: User
) -> None:
    """The game master keeps what waits; what players see is the review of the run before, in another revision."""
    page = upload(session, SAID, gm)
    version = approved(page, "enemy-events", [event(page, "bitten", 3), event(page, "gone", 1)], gm)
    versions.approve(version_id=cite(version, "bitten", [(5, 5)], gm).pk, note="", by=gm)
    page = upload(session, ("A recap.", *SAID), gm)
    later = families.make_version(page, "enemy-events", [event(page, "bitten", 4), event(page, "gone", 2)])
    hide(later, "detail", "bitten", gm)

    assert details(session) == {"gone"}


def test_a_record_that_waits_is_kept_where_a_review_had_moved_what_an_earlier_run_told_otherwise_of_its_line(
    session: GameSession, gm: User
) -> None:
    page = upload(session, SAID, gm)
    bear = {**event(page, "growls", 3), "enemy": "The bear"}
    told = [event(page, "bitten", 3), bear, event(page, "gone", 1)]
    version = approved(page, "enemy-events", told, gm)
    moved = cite(version, "bitten", [(5, 5)], gm)
    other = cite(moved, "growls", [(3, 4)], gm)
    versions.approve(version_id=other.pk, note="", by=gm)
    both = {**bear, "source_refs": families.refs(page, ((3, 4),))}
    later = [event(page, "bitten by Borrel", 3), both, event(page, "gone", 1)]
    hide(families.make_version(page, "enemy-events", later), "detail", "bitten by Borrel", gm)
    assert "bitten" not in details(session)

    versions.approve(version_id=newest(version).pk, note="", by=gm)
    assert details(session) == {"growls", "gone"}


def test_one_half_of_a_turn_is_kept_without_the_other_after_a_run_that_had_to_be_parted_again(
    session: GameSession, gm: User
) -> None:
    page = upload(session, SAID, gm)
    turn = families.turn(page, "Pike", acts("draws", "strikes"), "Two acts.", ((2, 3),))
    version = approved(page, "combat-turns", [turn], gm)
    versions.approve(version_id=parted_by_review(version, gm).pk, note="", by=gm)
    families.make_version(page, "combat-turns", [turn])
    edit = Decision.objects.get()
    again = reruns.reapply_edit(artifact_id=version.artifact_id, expected_version=3, decision_id=edit.pk, by=gm).version
    hide(again, "actor", "Borrel", gm)
    versions.approve(version_id=again.pk, note="", by=gm)

    assert actors(session) == {"Pike"}


def test_others_are_shown_that_were_reviewed_at_a_line_before_a_kept_record_was_moved_to_it(
    session: GameSession, gm: User
) -> None:
    page = upload(session, SAID, gm)
    told = [event(page, "bitten", 3), {**event(page, "growls", 5), "enemy": "The bear"}, event(page, "gone", 1)]
    version = approved(page, "enemy-events", told, gm)
    for was, now in (("growls", "growls louder"), ("growls louder", "roars")):
        head = newest(version)
        editing.edit_record(
            artifact_id=version.artifact_id,
            expected_version=head.number,
            record=place(head, "detail", was),
            fields={"detail": now},
            by=gm,
        )
    moved = cite(newest(version), "bitten", [(5, 5)], gm)
    hide(moved, "detail", "bitten", gm)
    versions.approve(version_id=moved.pk, note="", by=gm)

    assert details(session) == {"roars", "gone"}


@EITHER_ORDER
def test_others_are_shown_beside_a_record_that_a_review_of_a_later_run_moved(
    first: str, session: GameSession, gm: User
) -> None:
    """The later run tells the kept record exactly: what else stands at its line, and where it went, is another one."""
    page = upload(session, SAID, gm)
    version = approved(page, "enemy-events", [event(page, "bitten", 3), event(page, "gone", 1)], gm)
    if first == "the secret":
        hide(version, "detail", "bitten", gm)
    page = upload(session, ("A recap.", *SAID), gm)
    bear = [{**event(page, detail, unit), "enemy": "The bear"} for detail, unit in (("growls", 4), ("scorched", 6))]
    told = [event(page, "bitten", 4), *bear, event(page, "gone", 2)]
    moved = cite(families.make_version(page, "enemy-events", told), "bitten", [(6, 6)], gm)
    if first == "the review":
        hide(version, "detail", "bitten", gm)
    versions.approve(version_id=moved.pk, note="", by=gm)

    assert details(session) == {"growls", "scorched", "gone"}


@EITHER_ORDER
def test_a_record_that_was_set_on_the_line_of_a_kept_one_is_kept(first: str, session: GameSession, gm: User) -> None:
    page = upload(session, SAID, gm)
    told = [event(page, "bitten", 3), event(page, "scorched", 5), event(page, "gone", 1)]
    version = approved(page, "enemy-events", told, gm)
    if first == "the secret":
        hide(version, "detail", "bitten", gm)
    versions.approve(version_id=cite(version, "scorched", [(3, 3), (5, 5)], gm).pk, note="", by=gm)
    if first == "the review":
        hide(version, "detail", "bitten", gm)

    assert details(session) == {"gone"}


@EITHER_ORDER
def test_the_half_of_another_turn_that_was_set_on_the_line_of_a_kept_one_is_kept(
    first: str, session: GameSession, gm: User
) -> None:
    page = upload(session, SAID, gm)
    turns = [
        families.turn(page, "Mira", acts("waits", "hits"), "Mira waits.", ((1, 1),)),
        families.turn(page, "Pike", acts("draws"), "Pike draws.", ((3, 3),)),
    ]
    version = approved(page, "combat-turns", turns, gm)
    if first == "the secret":
        hide(version, "actor", "Pike", gm)
    parted = editing.split_turn(
        artifact_id=version.artifact_id,
        expected_version=1,
        record=place(version, "actor", "Mira"),
        actions=[1],
        kept=[(1, 1)],
        ranges=[(3, 3)],
        fields={"actor": "Bram", "summary": "Bram hits."},
        kept_summary="Mira waits.",
        by=gm,
    ).version
    versions.approve(version_id=parted.pk, note="", by=gm)
    if first == "the review":
        hide(version, "actor", "Pike", gm)

    assert actors(session) == {"Mira"}


@EITHER_ORDER
def test_a_turn_joined_of_a_kept_one_and_one_that_had_its_line_is_kept_however_a_later_run_tells_it(
    first: str, session: GameSession, gm: User
) -> None:
    page = upload(session, SAID, gm)
    turns = [
        families.turn(page, "Mira", acts("waits"), "Mira waits.", ((1, 1),)),
        families.turn(page, "Pike", acts("draws", "strikes"), "Pike acts.", ((2, 2), (3, 3))),
        families.turn(page, "Zed", acts("rides"), "Zed rides.", ((6, 6),)),
    ]
    version = approved(page, "combat-turns", turns, gm)
    if first == "the secret":
        hide(version, "actor", "Pike", gm)
    at_work: dict[str, Any] = {"artifact_id": version.artifact_id, "by": gm}
    mira, pike = (place(version, "actor", actor) for actor in ("Mira", "Pike"))
    editing.move_evidence(**at_work, expected_version=1, record=pike, refs=[1], to=mira)
    editing.join_turns(**at_work, expected_version=2, records=[mira, pike])
    if first == "the review":
        hide(version, "actor", "Pike", gm)
    versions.approve(version_id=newest(version).pk, note="", by=gm)
    assert actors(session) == {"Zed"}

    otherwise = families.turn(page, "Mira", acts("waits and kills"), "Told otherwise.", ((1, 1),))
    approve(page, "combat-turns", [otherwise, turns[2]], gm)

    assert actors(session) == {"Zed"}


@EITHER_ORDER
def test_a_turn_that_was_only_given_lines_first_is_kept_for_itself_once_a_review_joins_the_kept_one_to_it(
    first: str, session: GameSession, gm: User
) -> None:
    """Undone and done again, the same turn is made twice, of other turns each time."""
    page = upload(session, SAID, gm)
    both = {**event(page, "bitten", 3), "source_refs": families.refs(page, ((3, 3), (6, 6)))}
    version = approved(page, "enemy-events", [both, event(page, "scorched", 5), event(page, "gone", 1)], gm)
    if first == "the secret":
        hide(version, "detail", "bitten", gm)
    cite(version, "scorched", [(5, 6)], gm)
    at_work: dict[str, Any] = {"artifact_id": version.artifact_id, "by": gm}
    record = place(newest(version), "detail", "scorched")
    editing.delete_record(**at_work, expected_version=2, record=record)
    editing.edit_record(
        **at_work,
        expected_version=3,
        record=place(newest(version), "detail", "bitten"),
        fields={"detail": "scorched"},
    )
    cite(newest(version), "scorched", [(5, 6)], gm)
    if first == "the review":
        hide(version, "detail", "bitten", gm)
    versions.approve(version_id=newest(version).pk, note="", by=gm)

    told = [one for one in Secret.objects.get().binding["records"] if one["refs"] == [[5, 6]]]
    assert details(session) == {"gone"}
    assert [one.get("given", False) for one in told] == [False]


@pytest.mark.parametrize("again", ["as at first", "otherwise"])
def test_what_a_kept_record_was_widened_to_stays_kept_when_a_run_tells_it_apart_again(
    again: str, session: GameSession, gm: User
) -> None:
    """A duplicate was deleted after its line was added to the record that was then hidden."""
    page = upload(session, SAID, gm)
    told = [event(page, "bitten by Borrel", 3), event(page, "scorched", 5), event(page, "gone", 1)]
    version = approved(page, "enemy-events", told, gm)
    cite(version, "scorched", [(3, 3), (5, 5)], gm)
    wide = newest(version)
    editing.delete_record(
        artifact_id=version.artifact_id, expected_version=2, record=place(wide, "detail", "bitten by Borrel"), by=gm
    )
    wide = newest(version)
    versions.approve(version_id=wide.pk, note="", by=gm)
    hide(wide, "detail", "scorched", gm)
    assert details(session) == {"gone"}

    anew = told[1] if again == "as at first" else event(page, "scorched black", 5)
    approve(page, "enemy-events", [told[0], anew, told[2]], gm)

    assert details(session) == {"gone"}


def test_others_are_shown_at_a_line_that_a_kept_record_was_widened_to_where_it_is_told_so(
    session: GameSession, gm: User
) -> None:
    page = upload(session, SAID, gm)
    growls = {**event(page, "growls", 3), "enemy": "The bear"}
    told = [growls, event(page, "scorched", 5), event(page, "gone", 1)]
    version = approved(page, "enemy-events", told, gm)
    wide = cite(version, "scorched", [(3, 3), (5, 5)], gm)
    versions.approve(version_id=wide.pk, note="", by=gm)
    hide(wide, "detail", "scorched", gm)

    assert details(session) == {"growls", "gone"}


@pytest.mark.parametrize("halves", ["strikes strikes", "strikes stabs"])
def test_the_other_half_of_a_kept_turn_is_kept_in_other_words_though_both_say_the_same(
    halves: str, session: GameSession, gm: User
) -> None:
    page = upload(session, SAID, gm)
    turn = families.turn(page, "Pike", acts(*halves.split()), "Pike strikes.", ((2, 2), (3, 3)))
    version = approved(page, "combat-turns", [turn], gm)
    hide(version, "actor", "Pike", gm)
    parted = editing.split_turn(
        artifact_id=version.artifact_id,
        expected_version=1,
        record=0,
        actions=[1],
        kept=[(2, 2)],
        ranges=[(3, 3)],
        fields={"summary": "Pike strikes."},
        kept_summary="Pike strikes.",
        by=gm,
    ).version
    versions.approve(version_id=parted.pk, note="", by=gm)
    assert seen(session, "combat-turns") == []

    half = records_of(orjson.loads(parted.payload))[0]
    otherwise = families.turn(page, "Bram", acts("kills the queen"), "Told otherwise.", ((3, 3),))
    other = families.turn(page, "Mira", acts("rides"), "Mira rides.", ((5, 5),))
    approve(page, "combat-turns", [half, otherwise, other], gm)

    assert actors(session) == {"Mira"}
