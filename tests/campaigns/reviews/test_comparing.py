"""What two versions have otherwise, by record and by line, and why."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from campaigns.actions import comparing, editing, history, reviews
from campaigns.errors import ActionError
from campaigns.models import ArtifactVersion, Transcript
from tests import factories
from tests.campaigns.review import families
from tests.campaigns.reviews.acting import DELL, PEOPLE, QUILLON, VOSS, WICK, on
from tests.standard import UNITS


def test_equal_versions(registry: ArtifactVersion, gm: User) -> None:
    made = reviews.accept(**on(registry), record=VOSS, by=gm)
    found = comparing.compare(registry, made.version)

    assert found.equal
    assert (found.causes, found.decisions, found.ranges) == (("person",), (made.decision,), ())


def test_added_and_removed_records(registry: ArtifactVersion, gm: User) -> None:
    gone = reviews.remove(**on(registry), record=WICK, by=gm).version
    made = editing.add_record(**on(gone), fields={"name": "The Bell"}, ranges=[(203, 203)], by=gm).version
    found = comparing.compare(registry, made)

    assert (found.removed, found.added, found.changed) == ((WICK,), (3,), ())
    assert [decision.kind for decision in found.decisions] == ["remove", "add"]
    assert {moved.range for moved in found.ranges} == {(50, 52), (206, 205), (203, 203)}


def test_renamed_record_is_the_same_one(registry: ArtifactVersion, gm: User) -> None:
    made = reviews.rename(**on(registry), record=WICK, name="Old Wick", by=gm).version
    (changed,) = comparing.compare(registry, made).changed

    assert [(one.field, one.before, one.after) for one in changed.fields][1] == ("name", "Wick", "Old Wick")
    assert (changed.evidence_added, changed.evidence_removed) == ((), ())


def test_moved_evidence_says_from_where_to_where(registry: ArtifactVersion, gm: User) -> None:
    made = editing.move_evidence(**on(registry), record=DELL, refs=[2], to=QUILLON, by=gm).version
    found = comparing.compare(registry, made)

    assert found.moved == (comparing.Moved((210, 208), (DELL,), (QUILLON,)),)
    assert [(one.before, one.evidence_removed, one.evidence_added) for one in found.changed] == [
        (DELL, ((210, 208),), ()),
        (QUILLON, (), ((210, 208),)),
    ]


def test_turns_are_one_by_what_they_are_called_and_cite(transcript: Transcript, gm: User) -> None:
    turns = [
        families.turn(transcript, actor, [families.action("Acts.")], "Acts.", ((unit, unit),))
        for actor, unit in (("Wick", 41), ("Wick", 42), ("Pell", 44))
    ]
    version = families.make_version(transcript, "combat-turns", turns)
    edited = editing.edit_record(**on(version), record=1, fields={"summary": "He waits.", "round": 3}, by=gm).version
    found = comparing.compare(version, edited)

    (changed,) = found.changed
    assert (changed.before, changed.after) == (1, 1)
    assert {one.field for one in changed.fields} == {"summary", "round"}


@pytest.mark.parametrize(
    ("manifest", "cause"),
    [
        ({"extract": {"prompt": "other"}}, "prompt"),
        ({"normalize": {"prompt": "other"}}, "prompt"),
        ({"profile": {"model": "other"}}, "model"),
        ({"provider": "other"}, "model"),
        ({"verdicts": {"digest": "other"}}, "decisions"),
        ({"references": {"npcs": {"digest": "other"}}}, "registry"),
        ({"lane_version": 9}, "rules"),
        ({"policies": ["other"]}, "rules"),
    ],
)
def test_cause_is_what_the_manifests_differ_in(transcript: Transcript, manifest: dict[str, object], cause: str) -> None:
    one, other = factories.make_version(transcript, PEOPLE), factories.make_version(transcript, {}, state="approved")
    ArtifactVersion.objects.filter(pk=other.pk).update(manifest={**one.manifest, **manifest})
    other.refresh_from_db()

    assert comparing.compare(one, other).causes == (cause,)


def test_cause_is_another_transcript(transcript: Transcript) -> None:
    one = factories.make_version(transcript, PEOPLE)
    other = factories.make_version(factories.make_transcript(transcript.session, UNITS[:-1]), PEOPLE, state="approved")
    found = comparing.compare(one, other)

    assert (found.causes, found.equal) == (("transcript",), True)


def test_roll_back_compares_as_equal(registry: ArtifactVersion, gm: User) -> None:
    made = reviews.remove(**on(registry), record=WICK, by=gm).version
    back = history.roll_back(version_id=registry.pk, expected_version=made.number, by=gm).version

    assert comparing.compare(registry, back).equal


def test_versions_of_two_artifacts_are_not_compared(registry: ArtifactVersion, transcript: Transcript) -> None:
    with pytest.raises(ActionError):
        comparing.compare(registry, families.make_version(transcript, "spells", []))
