"""A record that is bound only because it may be the kept one vouches for nothing: what is beside it stays kept."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from campaigns.actions import editing, secrets, versions
from campaigns.models import ArtifactVersion, GameSession, Transcript
from tests.campaigns.library.story import approve
from tests.campaigns.review import families
from tests.campaigns.review.families import Record
from tests.campaigns.secrets.test_either_order import details, hide, newest, place
from tests.campaigns.secrets.test_still_kept import SAID, approved, event, gm, session, upload

pytestmark = pytest.mark.django_db
__all__ = ["gm", "session"]
LINE = 3


@pytest.fixture
def page(session: GameSession, gm: User) -> Transcript:
    return upload(session, SAID, gm)


def events(page: Transcript, ours: str, beside: str) -> list[Record]:
    """What a run tells: two things of one line, and another of the first."""
    told = {**event(page, beside, LINE), "enemy": "The bear"}
    return [event(page, ours, LINE), told, event(page, "gone", 1)]


def reworded(version: ArtifactVersion, was: str, now: str, by: User) -> ArtifactVersion:
    last = newest(version)
    return editing.edit_record(
        artifact_id=version.artifact_id,
        expected_version=last.number,
        record=place(last, "detail", was),
        fields={"detail": now},
        by=by,
    ).version


def test_what_a_run_before_told_is_kept_though_a_review_had_changed_its_neighbour(
    session: GameSession, page: Transcript, gm: User
) -> None:
    first = approved(page, "enemy-events", events(page, "bitten", "growls"), gm)
    versions.approve(version_id=reworded(first, "growls", "growls louder", gm).pk, note="", by=gm)
    later = families.make_version(page, "enemy-events", events(page, "bitten by Borrel", "growls"))
    hide(later, "detail", "bitten by Borrel", gm)

    assert details(session) == {"gone"}


def test_a_review_of_another_run_that_waits_shows_nothing_of_what_is_approved(
    session: GameSession, page: Transcript, gm: User
) -> None:
    hide(approved(page, "enemy-events", events(page, "sold us", "growls"), gm), "detail", "sold us", gm)
    second = approved(page, "enemy-events", events(page, "betrayed us", "growls low"), gm)
    reworded(second, "betrayed us", "betrayed us all", gm)
    # Whatever is kept or approved next works out anew what players see.
    secrets.hide_range(session=session, start_unit=6, end_unit=6, by=gm)

    assert details(session) == {"gone"}


def test_a_third_wording_is_kept_after_a_review_of_the_second(session: GameSession, page: Transcript, gm: User) -> None:
    hide(approved(page, "enemy-events", events(page, "sold us", "growls"), gm), "detail", "sold us", gm)
    second = approved(page, "enemy-events", events(page, "betrayed us", "growls low"), gm)
    versions.approve(version_id=reworded(second, "gone", "gone away", gm).pk, note="", by=gm)
    approve(page, "enemy-events", events(page, "sold the keys", "growls low"), gm)

    assert details(session) == {"gone"}
