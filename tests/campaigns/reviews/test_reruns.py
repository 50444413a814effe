"""Decisions bind the session's next run without a call; edits are not re-applied, but offered."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from campaigns.actions import audit, decisions, editing, history, reruns, reviews, versions
from campaigns.errors import Conflict, NotFound
from campaigns.models import Artifact, ArtifactVersion, Campaign, Decision, Transcript
from extraction.canonical import JsonValue
from extraction.codes import Code
from tests import factories
from tests.campaigns.pipelines.conftest import RunPipeline
from tests.campaigns.pipelines.storyteller import RECONCILE, Storyteller
from tests.campaigns.review import families
from tests.campaigns.reviews.acting import PEOPLE, fails, head, names, on, ranges, records
from tests.standard import UNITS

NPCS = "dnd/npcs"


@pytest.fixture
def extracted(run_inline: RunPipeline, model: Storyteller) -> ArtifactVersion:
    """Dell, Wick, Quillon, and Aurelio Voss, who was also called Captain Voss."""
    run_inline("--pipeline", "npcs-only")
    model.requests.clear()
    return ArtifactVersion.objects.get(artifact__lane=NPCS)


def position(version: ArtifactVersion, name: str) -> int:
    return names(version).index(name)


def rerun(run_inline: RunPipeline, version: ArtifactVersion) -> ArtifactVersion:
    run_inline("--pipeline", "npcs-only")
    return head(version)


def test_rerun_respects_every_binding_decision_and_asks_nothing(
    extracted: ArtifactVersion,
    run_inline: RunPipeline,
    model: Storyteller,
    gm: User,
) -> None:
    apart = reviews.undo_consolidation(**on(extracted), record=position(extracted, "Aurelio Voss"), by=gm).version
    pair = (position(apart, "Wick"), position(apart, "Mother Quillon"))
    same = reviews.mark_same(**on(apart), one=pair[0], other=pair[1], by=gm).version
    named = reviews.rename(**on(same), record=position(same, "Wick"), name="The Eel-Catcher", by=gm).version
    gone = reviews.remove(**on(named), record=position(named, "Harbourmaster Dell"), by=gm).version

    again = rerun(run_inline, extracted)

    assert model.requests == []
    assert (again.origin, again.number) == ("extraction", gone.number + 1)
    assert again.payload == gone.payload
    assert again.consolidations["applied"] == gone.consolidations["applied"]
    assert [proposal["verdict"] for proposal in again.consolidations["proposals"]] == [Code.DECISION_OVERRULED]
    assert {said["outcome"] for said in again.consolidations["decisions"]} == {"applied"}


def test_rerun_with_nothing_decided_since_makes_no_version(
    extracted: ArtifactVersion,
    run_inline: RunPipeline,
    gm: User,
) -> None:
    reviews.remove(**on(extracted), record=0, by=gm)
    first = rerun(run_inline, extracted)

    assert rerun(run_inline, extracted) == first


def test_rerun_reports_a_contradiction_and_applies_neither(
    extracted: ArtifactVersion,
    run_inline: RunPipeline,
    gm: User,
) -> None:
    wick, quillon = position(extracted, "Wick"), position(extracted, "Mother Quillon")
    first = reviews.mark_not_same(**on(extracted), one=wick, other=quillon, by=gm)
    second = reviews.mark_same(**on(first.version), one=wick, other=quillon, by=gm)
    again = rerun(run_inline, extracted)

    assert second.contradictions == ((first.decision, second.decision),)
    assert {"Wick", "Mother Quillon"} <= set(names(again))
    assert Code.DECISION_CONTRADICTED in {finding["code"] for finding in again.findings}
    assert {said["outcome"] for said in again.consolidations["decisions"]} == {"contradicted"}


def test_withdrawn_decision_binds_the_next_run_no_more(
    extracted: ArtifactVersion,
    run_inline: RunPipeline,
    model: Storyteller,
    gm: User,
) -> None:
    made = reviews.remove(**on(extracted), record=position(extracted, "Wick"), by=gm)
    assert "Wick" not in names(rerun(run_inline, extracted))

    history.withdraw(decision_id=made.decision.pk, by=gm)

    assert "Wick" in names(rerun(run_inline, extracted))
    assert model.requests == []


def test_nothing_from_before_a_run_is_undone_after_it(
    extracted: ArtifactVersion,
    run_inline: RunPipeline,
    gm: User,
) -> None:
    reviews.remove(**on(extracted), record=0, by=gm)
    reviews.rename(**on(head(extracted)), record=0, name="Somebody", by=gm)
    editing.set_evidence(**on(head(extracted)), record=1, ranges=[(12, 12)], by=gm)
    again = rerun(run_inline, extracted)

    assert history.stack_of(again).next_undo is None
    with pytest.raises(Conflict):
        history.undo(**on(again), by=gm)


def test_lost_edit_is_offered_with_its_difference_and_done_again(
    extracted: ArtifactVersion,
    run_inline: RunPipeline,
    gm: User,
) -> None:
    quillon = position(extracted, "Mother Quillon")
    edited = editing.set_evidence(**on(extracted), record=quillon, ranges=[(11, 14)], by=gm)
    again = rerun(run_inline, extracted)
    (lost,) = reruns.lost_edits(again)

    assert ranges(lost.after[0]["record"]) == [(11, 14)]
    assert lost.decision == edited.decision
    assert lost.applicable
    assert [record["name"] for record in lost.now] != []

    done = reruns.reapply_edit(**on(again), decision_id=lost.decision.pk, by=gm)

    assert done.version.payload == edited.version.payload
    assert reruns.lost_edits(done.version) == []
    with pytest.raises(NotFound):
        reruns.reapply_edit(**on(done.version), decision_id=lost.decision.pk, by=gm)


@pytest.fixture
def turns(transcript: Transcript) -> ArtifactVersion:
    return fight(transcript, "Wick", "Pell")


def fight(transcript: Transcript, *actors: str) -> ArtifactVersion:
    """Store the next version as an extraction's, with a turn of each."""
    ArtifactVersion.objects.filter(state="pending").update(state="superseded")
    records: list[Any] = [
        families.turn(transcript, actor, [families.action("Acts.")], "Acts.", ((unit, unit),))
        for actor, unit in zip(actors, (41, 42, 44), strict=False)
    ]
    return families.make_version(transcript, "combat-turns", records)


def test_edit_of_a_turn_comes_back_over_a_corrected_transcript(
    turns: ArtifactVersion, transcript: Transcript, gm: User
) -> None:
    edited = editing.edit_record(**on(turns), record=0, fields={"summary": "He waits."}, by=gm)
    corrected = factories.make_transcript(transcript.session, UNITS[:-1])
    again = fight(corrected, "Wick", "Pell")

    done = reruns.reapply_edit(**on(again), decision_id=edited.decision.pk, by=gm).version

    (first, _) = records(done)
    assert (first["summary"], first["source_refs"][0]["source_id"]) == ("He waits.", corrected.source_id)


def test_edit_of_a_record_that_changed_is_not_applicable(
    turns: ArtifactVersion, transcript: Transcript, gm: User
) -> None:
    edited = editing.delete_record(**on(turns), record=0, by=gm)
    again = fight(transcript, "Wicks", "Pell")

    assert reruns.lost_edits(again) == []

    fields: dict[str, JsonValue] = {"summary": "He waits."}
    other = editing.edit_record(**on(again), record=0, fields=fields, by=gm)
    after = fight(transcript, "Wick", "Pell")

    # Whom one edit took out is back, and he whom the other was about is not.
    assert [(lost.decision, lost.applicable) for lost in reruns.lost_edits(after)] == [
        (edited.decision, True),
        (other.decision, False),
    ]
    with pytest.raises(Conflict) as refused:
        reruns.reapply_edit(**on(after), decision_id=other.decision.pk, by=gm)
    assert refused.value.code is Code.REVIEW_NOT_APPLICABLE


def test_reapplied_edit_is_whole_or_not_done(
    turns: ArtifactVersion, transcript: Transcript, gm: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    edited = editing.edit_record(**on(turns), record=0, fields={"summary": "He waits."}, by=gm)
    again = fight(transcript, "Wick", "Pell")
    monkeypatch.setattr(audit, "record", fails)

    with pytest.raises(RuntimeError):
        reruns.reapply_edit(**on(again), decision_id=edited.decision.pk, by=gm)

    assert head(turns) == again


def test_not_the_same_is_offered_to_other_sessions_and_never_applied_there(campaign: Campaign, gm: User) -> None:
    here, there = (factories.make_transcript(factories.make_session(campaign, number)) for number in (1, 2))
    mine, theirs = factories.make_version(here, PEOPLE), factories.make_version(there, PEOPLE)
    made = reviews.mark_not_same(**on(mine), one=0, other=1, by=gm)
    keys = [{"key": "wick", "anchor": None}, {"key": "harbourmaster dell", "anchor": None}]

    (offered,) = decisions.offered_decisions(there.session, NPCS, keys)
    assert offered.decision == made.decision
    assert decisions.offered_decisions(there.session, NPCS, keys[:1]) == []
    assert decisions.offered_decisions(here.session, NPCS, keys) == []
    assert decisions.verdicts_for(there.session, NPCS) == ()

    adopted = reviews.adopt(**on(theirs), decision_id=made.decision.pk, by=gm)

    assert adopted.decision.data["adopted"] == made.decision.pk
    assert len(decisions.verdicts_for(there.session, NPCS)) == 1
    assert decisions.offered_decisions(there.session, NPCS, keys) == []
    with pytest.raises(NotFound):
        reviews.adopt(**on(adopted.version), decision_id=made.decision.pk, by=gm)


def test_offer_ends_when_its_decision_does_and_stays_in_its_campaign(campaign: Campaign, gm: User) -> None:
    here, there = (factories.make_transcript(factories.make_session(campaign, number)) for number in (1, 2))
    elsewhere = factories.make_session(factories.make_campaign(), 1)
    made = reviews.mark_not_same(**on(factories.make_version(here, PEOPLE)), one=0, other=1, by=gm)
    keys = made.decision.keys
    assert decisions.offered_decisions(elsewhere, NPCS, keys) == []

    history.undo(**on(made.version), by=gm)

    assert decisions.offered_decisions(there.session, NPCS, keys) == []
    assert Artifact.objects.count() == 1
    assert Decision.objects.count() == 2


def test_reconciliation_is_asked_once_in_all(
    extracted: ArtifactVersion,
    run_inline: RunPipeline,
    model: Storyteller,
    gm: User,
) -> None:
    reviews.accept(**on(extracted), record=position(extracted, "Aurelio Voss"), by=gm)
    again = rerun(run_inline, extracted)

    assert model.of(RECONCILE) == []
    assert again.consolidations["applied"][0]["by"] == "review"


def test_lost_edits_of_edits_come_back_one_after_the_other(
    turns: ArtifactVersion, transcript: Transcript, gm: User
) -> None:
    first = editing.edit_record(**on(turns), record=0, fields={"summary": "He waits."}, by=gm)
    second = editing.edit_record(**on(first.version), record=0, fields={"round": 2}, by=gm)
    again = fight(transcript, "Wick", "Pell")
    assert [(lost.decision, lost.applicable) for lost in reruns.lost_edits(again)] == [
        (first.decision, True),
        (second.decision, False),
    ]

    once = reruns.reapply_edit(**on(again), decision_id=first.decision.pk, by=gm).version
    assert [(lost.decision, lost.applicable) for lost in reruns.lost_edits(once)] == [(second.decision, True)]

    twice = reruns.reapply_edit(**on(once), decision_id=second.decision.pk, by=gm).version
    assert reruns.lost_edits(twice) == []
    assert twice.payload == second.version.payload


def test_lost_edit_is_offered_until_it_is_done_again(turns: ArtifactVersion, transcript: Transcript, gm: User) -> None:
    edited = editing.edit_record(**on(turns), record=0, fields={"summary": "He waits."}, by=gm)
    fight(transcript, "Wick", "Pell", "Bo")
    after = fight(transcript, "Wick", "Pell")

    assert [lost.decision for lost in reruns.lost_edits(after)] == [edited.decision]


def test_decisions_go_with_the_versions_that_were_rejected(registry: ArtifactVersion, gm: User) -> None:
    session = registry.artifact.session
    versions.approve(version_id=registry.pk, note="", by=gm)
    first = reviews.remove(**on(registry), record=0, by=gm).version
    second = reviews.remove(**on(first), record=0, by=gm).version
    assert len(decisions.live(session, NPCS)) == 2

    versions.reject(version_id=second.pk, note="", by=gm)
    assert decisions.live(session, NPCS) == []

    kept = reviews.rename(**on(registry), record=1, name="Old Wick", by=gm)
    assert decisions.live(session, NPCS) == [kept.decision]


def test_review_that_goes_on_from_a_rejected_version_takes_its_decisions_up(
    registry: ArtifactVersion, gm: User
) -> None:
    session = registry.artifact.session
    first = reviews.remove(**on(registry), record=0, by=gm)
    versions.reject(version_id=first.version.pk, note="", by=gm)
    assert decisions.live(session, NPCS) == []

    second = reviews.remove(**on(first.version), record=0, by=gm)

    assert decisions.live(session, NPCS) == [first.decision, second.decision]
