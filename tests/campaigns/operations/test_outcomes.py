"""Each record that was proposed counts once in the numbers, whatever was done to it and however often."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from campaigns.actions import editing, history, reviews, versions
from campaigns.actions.drafts import Reviewed
from campaigns.models import ArtifactVersion
from campaigns.numbers import Quality, quality_since
from tests.campaigns.review import families
from tests.campaigns.reviews.acting import DELL, GROUP, PEOPLE, QUILLON, VOSS, WICK, group_of, names, on
from tests.factories import make_transcript, make_user, make_version

pytestmark = pytest.mark.django_db
Act = Callable[..., Reviewed]


@pytest.fixture
def gm() -> User:
    return make_user()


@pytest.fixture
def registry() -> ArtifactVersion:
    """Dell 0, Wick 1, Mother Quillon 2, Aurelio Voss 3, whom the model united of Aurelio Voss and Captain Voss."""
    transcript = make_transcript()
    return make_version(transcript, PEOPLE, consolidations=group_of(transcript, GROUP))


@pytest.fixture
def turns() -> ArtifactVersion:
    page = make_transcript()
    acts = [families.action("He draws."), families.action("He strikes.")]
    told = [("Pike", (44, 46)), ("Borrel", (18, 20)), ("Mira", (209, 209))]
    records = [families.turn(page, actor, acts, f"{actor} acts.", (ref,)) for actor, ref in told]
    return families.make_version(page, "combat-turns", records)


def quality_of(version: ArtifactVersion, gm: User, *acts: Act) -> Quality:
    """Do the acts one after the other, approve what comes of them, and return what is told of the extraction."""
    for act in acts:
        version = act(**on(version), by=gm).version
    versions.approve(version_id=version.pk, note="", by=gm)
    [(_, quality)] = quality_since(timezone.now() - timedelta(days=1))
    return quality


def told(quality: Quality) -> tuple[int, int, int]:
    """Return how many are accepted as they were, edited and removed."""
    return quality.accepted, quality.edited, quality.removed


def test_a_record_that_is_edited_twice_counts_once(registry: ArtifactVersion, gm: User) -> None:
    twice = (
        partial(reviews.rename, record=WICK, name="Old Wick"),
        partial(reviews.rename, record=WICK, name="Older Wick"),
        partial(editing.set_evidence, record=WICK, ranges=[(50, 50)]),
    )

    assert told(quality_of(registry, gm, *twice)) == (3, 1, 0)


def test_a_turn_that_is_edited_twice_counts_once(turns: ArtifactVersion, gm: User) -> None:
    twice = (
        partial(editing.edit_record, record=0, fields={"summary": "He acts twice."}),
        partial(editing.edit_record, record=0, fields={"summary": "He acts thrice."}),
        partial(editing.set_evidence, record=0, ranges=[(44, 44)]),
    )

    assert told(quality_of(turns, gm, *twice)) == (2, 1, 0)


def test_a_record_that_is_edited_and_then_removed_is_removed_alone(registry: ArtifactVersion, gm: User) -> None:
    acts = (partial(reviews.rename, record=QUILLON, name="The Woman"), partial(reviews.remove, record=QUILLON))

    assert told(quality_of(registry, gm, *acts)) == (3, 0, 1)


def test_what_a_reviewer_added_is_no_edit_of_what_was_proposed(registry: ArtifactVersion, gm: User) -> None:
    added = editing.add_record(**on(registry), fields={"name": "The Bell"}, ranges=[(203, 203)], by=gm).version
    bell = partial(reviews.rename, record=names(added).index("The Bell"), name="The Great Bell")

    assert told(quality_of(added, gm, bell)) == (4, 0, 0)


@pytest.mark.parametrize("unite", [reviews.merge, reviews.mark_same])
def test_both_records_that_a_reviewer_unites_are_edited(registry: ArtifactVersion, gm: User, unite: Act) -> None:
    which = {"records": (DELL, WICK), "canonical": WICK} if unite is reviews.merge else {"one": DELL, "other": WICK}

    assert told(quality_of(registry, gm, partial(unite, **which))) == (2, 2, 0)


def test_what_was_united_by_hand_and_taken_apart_again_is_accepted(registry: ArtifactVersion, gm: User) -> None:
    acts = (
        partial(reviews.merge, records=(DELL, WICK), canonical=DELL),
        partial(reviews.undo_consolidation, record=DELL),
    )

    assert told(quality_of(registry, gm, *acts)) == (4, 0, 0)


def test_a_merge_of_the_model_that_is_renamed_and_then_taken_apart_counts_once(
    registry: ArtifactVersion, gm: User
) -> None:
    renamed = reviews.rename(**on(registry), record=VOSS, name="The Captain", by=gm).version
    apart = partial(reviews.undo_consolidation, record=names(renamed).index("The Captain"))
    quality = quality_of(renamed, gm, apart)

    assert (told(quality), quality.undone_merges, quality.accept_rate) == ((3, 0, 0), 1, 0.75)


def test_a_turn_that_is_split_counts_once_whatever_becomes_of_its_halves(turns: ArtifactVersion, gm: User) -> None:
    split = editing.split_turn(
        **on(turns),
        record=0,
        actions=[1],
        ranges=[(46, 46)],
        kept=[(44, 45)],
        fields={"summary": "He strikes."},
        kept_summary="He draws.",
        by=gm,
    ).version
    acts = (
        partial(editing.edit_record, record=0, fields={"summary": "He draws at last."}),
        partial(editing.delete_record, record=1),
    )

    assert told(quality_of(split, gm, *acts)) == (2, 1, 0)


def test_all_turns_of_a_joined_one_are_removed_with_it(turns: ArtifactVersion, gm: User) -> None:
    joined = partial(editing.join_turns, records=[0, 1])

    assert told(quality_of(turns, gm, joined, partial(editing.delete_record, record=0))) == (1, 0, 2)


def test_an_edit_that_was_undone_changes_nothing(registry: ArtifactVersion, gm: User) -> None:
    acts = (partial(editing.set_evidence, record=WICK, ranges=[(50, 50)]), history.undo)

    assert told(quality_of(registry, gm, *acts)) == (4, 0, 0)
