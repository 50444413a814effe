"""What an approved registry, another transcript or new rules make out of date, and the run that renews only that."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from campaigns.actions import reviews, staleness, versions
from campaigns.errors import ActionError
from campaigns.models import ArtifactVersion, Run, Transcript
from tests import factories
from tests.campaigns.pipelines.conftest import RunPipeline
from tests.campaigns.pipelines.storyteller import Storyteller
from tests.campaigns.reviews.acting import head, on
from tests.standard import UNITS

READERS = {"dnd/npc-occurrences", "dnd/spells", "dnd/combat-turns", "dnd/enemy-events"}


@pytest.fixture
def npcs(run_inline: RunPipeline, model: Storyteller, gm: User) -> ArtifactVersion:
    """The approved registry of a complete run."""
    run_inline()
    model.requests.clear()
    version = ArtifactVersion.objects.get(artifact__lane="dnd/npcs")
    return versions.approve(version_id=version.pk, note="", by=gm)


def lanes(transcript: Transcript) -> set[str]:
    return {stale.version.artifact.lane for stale in staleness.stale_artifacts(transcript.session)}


def test_approving_what_the_readers_were_bound_to_makes_nothing_stale(
    npcs: ArtifactVersion, transcript: Transcript
) -> None:
    assert lanes(transcript) == set()
    with pytest.raises(ActionError):
        staleness.rerun_stale(session=transcript.session, by=None)


def test_changed_registry_makes_its_readers_stale_once_it_is_approved(
    npcs: ArtifactVersion, transcript: Transcript, gm: User
) -> None:
    made = reviews.rename(**on(npcs), record=0, name="The Harbourmaster", by=gm).version
    assert lanes(transcript) == set()

    versions.approve(version_id=made.pk, note="", by=gm)
    stale = staleness.stale_artifacts(transcript.session)

    assert {one.version.artifact.lane for one in stale} == READERS
    assert {one.reasons for one in stale} == {(staleness.Reason("registry", "dnd/npcs", 1, 2),)}


def test_version_of_equal_content_makes_nothing_stale(npcs: ArtifactVersion, transcript: Transcript, gm: User) -> None:
    made = reviews.mark_unsure(**on(npcs), one=0, other=1, by=gm).version
    versions.approve(version_id=made.pk, note="", by=gm)

    assert lanes(transcript) == set()


def test_rerun_starts_only_what_is_stale(npcs: ArtifactVersion, transcript: Transcript, gm: User) -> None:
    made = reviews.rename(**on(npcs), record=0, name="The Harbourmaster", by=gm).version
    versions.approve(version_id=made.pk, note="", by=gm)

    run = staleness.rerun_stale(session=transcript.session, by=gm)

    assert set(run.lanes.values_list("key", flat=True)) == READERS
    assert Run.objects.latest("pk").created_by == gm


def test_rerun_of_the_stale_lanes_leaves_nothing_stale(
    npcs: ArtifactVersion,
    transcript: Transcript,
    gm: User,
    run_inline: RunPipeline,
) -> None:
    made = reviews.remove(**on(npcs), record=1, by=gm).version
    versions.approve(version_id=made.pk, note="", by=gm)
    run_inline("--lanes", ",".join(sorted(READERS)))

    assert lanes(transcript) == set()
    assert head(npcs) == made


def test_another_transcript_makes_everything_stale(npcs: ArtifactVersion, transcript: Transcript) -> None:
    factories.make_transcript(transcript.session, UNITS[:-1])
    stale = staleness.stale_artifacts(transcript.session)

    assert len(stale) == 10
    assert {one.reasons for one in stale} == {(staleness.Reason("transcript", was=1, now=2),)}
