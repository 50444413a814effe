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
from tests.campaigns.secrets.test_still_kept import SAID, approved, event, gm, seen, session, upload

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
