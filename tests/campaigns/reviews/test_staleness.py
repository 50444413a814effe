"""What an approved registry, another transcript or new rules make out of date, and the run that renews only that."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.conf import settings
from django.contrib.auth.models import User

from campaigns.actions import reviews, staleness, versions
from campaigns.adapters.providers import catalog
from campaigns.errors import ActionError
from campaigns.models import ArtifactVersion, Run, Transcript
from extraction.prompts.catalog import Catalog
from extraction.registry import LANES
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


def asked_otherwise(prompt_id: str) -> Catalog:
    """Return the prompts with one of them changed, as after an upgrade."""
    known = {one.id: one for one in catalog()}
    return Catalog({**known, prompt_id: replace(known[prompt_id], digest="0" * 64)})


def test_changed_prompt_makes_just_its_lane_stale(
    npcs: ArtifactVersion, transcript: Transcript, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staleness, "catalog", lambda: asked_otherwise(LANES["dnd/spells"].extract.prompt))
    stale = staleness.stale_artifacts(transcript.session)

    assert [(one.version.artifact.lane, one.reasons) for one in stale] == [
        ("dnd/spells", (staleness.Reason("prompt", "dnd/spells"),))
    ]
    assert staleness.why_stale(stale[0].version) == stale[0].reasons
    assert staleness.why_stale(npcs) == ()


def test_changed_prompt_of_the_reconciliation_makes_its_registries_stale(
    npcs: ArtifactVersion, transcript: Transcript, monkeypatch: pytest.MonkeyPatch
) -> None:
    proposal = LANES["dnd/npcs"].proposal
    assert proposal is not None
    monkeypatch.setattr(staleness, "catalog", lambda: asked_otherwise(proposal.prompt))

    assert lanes(transcript) == {"dnd/npcs"}


def test_prompts_read_anew_and_unchanged_make_nothing_stale(
    npcs: ArtifactVersion, transcript: Transcript, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = Catalog.load(settings.ASSETS_DIR / "dnd")
    monkeypatch.setattr(staleness, "catalog", lambda: again)

    assert lanes(transcript) == set()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"extract": {"prompt": {"reply": "0" * 64}}}, "schema"),
        ({"normalize": {"prompt": {"reply": "0" * 64}}}, "schema"),
        ({"policies": ["names.v0"]}, "rules"),
        ({"lane_version": 0}, "rules"),
    ],
)
def test_what_the_manifest_tells_otherwise_is_the_reason(
    change: dict[str, object], reason: str, npcs: ArtifactVersion
) -> None:
    told = {**npcs.manifest, **change}

    assert [one.kind for one in staleness.made_otherwise("dnd/npcs", told)] == [reason]
    assert list(staleness.made_otherwise("dnd/npcs", npcs.manifest)) == []


def test_manifest_that_tells_nothing_makes_nothing_stale() -> None:
    assert list(staleness.made_otherwise("dnd/npcs", {})) == []


def test_run_that_changed_nothing_makes_its_version_current_again(
    npcs: ArtifactVersion, transcript: Transcript, run_inline: RunPipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The version stays as it was made; the run says that today's prompts come to the same."""
    old = ArtifactVersion.objects.get(artifact__lane="dnd/spells")
    ArtifactVersion.objects.filter(pk=old.pk).update(
        manifest={**old.manifest, "extract": {**old.manifest["extract"], "prompt": {"digest": "0", "reply": "0"}}}
    )
    plan = Run.objects.get()
    Run.objects.filter(pk=plan.pk).update(plan={**plan.plan, "made_of": {}, "outputs": {}})
    assert lanes(transcript) == {"dnd/spells"}

    run_inline("--lanes", "dnd/spells")

    assert head(old) == old
    assert lanes(transcript) == set()


def test_rerun_leaves_alone_what_is_at_work(npcs: ArtifactVersion, transcript: Transcript, gm: User) -> None:
    factories.make_transcript(transcript.session, UNITS[:-1])
    staleness.rerun_stale(session=transcript.session, by=gm)

    with pytest.raises(ActionError):
        staleness.rerun_stale(session=transcript.session, by=gm)
    assert Run.objects.count() == 2
