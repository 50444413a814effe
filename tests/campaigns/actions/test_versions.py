from __future__ import annotations

from collections.abc import Callable

import orjson
import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from campaigns.actions import audit, registry, versions
from campaigns.errors import ActionError, Conflict, NotFound
from campaigns.models import Artifact, ArtifactVersion, AuditEntry, Campaign, RegistryEntry, Transcript
from extraction.canonical import bytes_digest
from extraction.codes import Code
from extraction.findings import warning
from tests import factories, standard
from tests.leaks import Leaks

ONE = {"Wick": [(50, 52)]}
TWO = {"Wick": [(50, 52)], "Mother Quillon": [(11, 14)]}


@pytest.fixture
def transcript(campaign: Campaign) -> Transcript:
    return factories.make_transcript(factories.make_session(campaign))


def publish(transcript: Transcript, npcs: factories.Ranges = ONE) -> ArtifactVersion:
    return versions.publish(
        lane_run=factories.make_lane_run(transcript), result=factories.make_result(transcript, npcs)
    )


def states() -> list[tuple[int, str]]:
    return list(ArtifactVersion.objects.order_by("number").values_list("number", "state"))


def test_publish_stores_the_payload_canonically(transcript: Transcript) -> None:
    result = factories.make_result(
        transcript,
        consolidations={"groups": []},
        findings=[warning(Code.EVIDENCE_UNRELATED, "record[1]", units=3)],
    )

    version = versions.publish(lane_run=factories.make_lane_run(transcript), result=result)

    version.refresh_from_db()
    assert orjson.loads(version.payload) == result.payload
    assert version.digest == result.digest == bytes_digest(version.payload.encode())
    assert (version.number, version.state, version.origin, version.record_count) == (1, "pending", "extraction", 4)
    assert version.manifest == {"lane": "dnd/npcs", "chunks": 1}
    assert version.consolidations == {"groups": []}
    assert version.findings == [
        {"code": "evidence.unrelated", "severity": "warning", "where": "record[1]", "counts": {"units": 3}}
    ]


def test_publish_supersedes_the_pending_version_and_not_the_approved_one(transcript: Transcript, gm: User) -> None:
    versions.approve(version_id=publish(transcript, ONE).pk, note="", by=gm)
    publish(transcript, TWO)
    publish(transcript, standard.NPCS)

    assert states() == [(1, "approved"), (2, "superseded"), (3, "pending")]


def test_publish_twice_for_one_lane_run_returns_the_first_version(transcript: Transcript, gm: User) -> None:
    lane_run = factories.make_lane_run(transcript)
    first = versions.publish(lane_run=lane_run, result=factories.make_result(transcript, ONE))
    versions.reject(version_id=first.pk, note="", by=gm)

    again = versions.publish(lane_run=lane_run, result=factories.make_result(transcript, TWO))

    assert again == first
    assert states() == [(1, "rejected")]


@pytest.mark.parametrize("approved", [False, True], ids=["pending", "approved"])
def test_publish_of_an_unchanged_result_makes_no_version(transcript: Transcript, gm: User, approved: bool) -> None:
    first = publish(transcript)
    if approved:
        versions.approve(version_id=first.pk, note="", by=gm)

    assert publish(transcript) == first
    assert AuditEntry.objects.filter(act="version.publish").count() == 1


def test_publish_after_rejection_makes_a_version(transcript: Transcript, gm: User) -> None:
    versions.reject(version_id=publish(transcript).pk, note="", by=gm)
    publish(transcript)

    assert states() == [(1, "rejected"), (2, "pending")]


def test_publish_with_other_consolidations_makes_a_version(transcript: Transcript) -> None:
    publish(transcript)
    versions.publish(
        lane_run=factories.make_lane_run(transcript),
        result=factories.make_result(transcript, ONE, consolidations={"groups": [{"verdict": "applied"}]}),
    )

    assert states() == [(1, "superseded"), (2, "pending")]


def test_publish_for_a_new_transcript_revision_makes_a_version(transcript: Transcript) -> None:
    publish(transcript, {})
    publish(factories.make_transcript(transcript.session, standard.UNITS[:-1]), {})

    assert states() == [(1, "superseded"), (2, "pending")]


def test_publish_changes_nothing_when_the_audit_fails(transcript: Transcript, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(transcript)
    monkeypatch.setattr(audit, "record", _fails)

    with pytest.raises(RuntimeError):
        publish(transcript, TWO)

    assert states() == [(1, "pending")]


def test_first_publish_leaves_no_artifact_when_the_audit_fails(
    transcript: Transcript, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit, "record", _fails)

    with pytest.raises(RuntimeError):
        publish(transcript)

    assert not Artifact.objects.exists()


def test_approve_decides_supersedes_and_rebuilds(transcript: Transcript, gm: User) -> None:
    versions.approve(version_id=publish(transcript, ONE).pk, note="", by=gm)

    version = versions.approve(version_id=publish(transcript, TWO).pk, note="  Good. ", by=gm)

    version.refresh_from_db()
    assert states() == [(1, "superseded"), (2, "approved")]
    assert (version.note, version.decided_by) == ("Good.", gm)
    assert version.decided_at is not None
    assert set(RegistryEntry.objects.values_list("name", flat=True)) == set(TWO)


def test_superseding_keeps_who_approved_before(transcript: Transcript, gm: User, admin: User) -> None:
    first = versions.approve(version_id=publish(transcript, ONE).pk, note="First.", by=gm)
    versions.approve(version_id=publish(transcript, TWO).pk, note="Second.", by=admin)

    first.refresh_from_db()
    assert (first.state, first.decided_by, first.note) == ("superseded", gm, "First.")


def test_reject_leaves_the_approved_version_and_the_registry(transcript: Transcript, gm: User) -> None:
    versions.approve(version_id=publish(transcript, ONE).pk, note="", by=gm)

    versions.reject(version_id=publish(transcript, TWO).pk, note="No.", by=gm)

    assert states() == [(1, "approved"), (2, "rejected")]
    assert set(RegistryEntry.objects.values_list("name", flat=True)) == set(ONE)


@pytest.mark.parametrize("state", ["approved", "rejected", "superseded"])
@pytest.mark.parametrize("decide", [versions.approve, versions.reject], ids=["approve", "reject"])
def test_deciding_a_decided_version_is_a_conflict(
    transcript: Transcript, gm: User, state: str, decide: Callable[..., ArtifactVersion]
) -> None:
    version = factories.make_version(transcript, state=state)

    with pytest.raises(Conflict) as error:
        decide(version_id=version.pk, note="", by=gm)

    assert error.value.code is Code.VERSION_DECIDED
    assert states() == [(1, state)]


@pytest.mark.parametrize("number", [0, 2**70])
def test_deciding_an_unknown_version(gm: User, number: int) -> None:
    with pytest.raises(NotFound):
        versions.approve(version_id=number, note="", by=gm)


@pytest.mark.parametrize("note", ["x" * 2_001, "a\x00b"], ids=["long", "nul"])
def test_deciding_with_a_note_that_cannot_be_kept(transcript: Transcript, gm: User, note: str) -> None:
    version = publish(transcript)

    with pytest.raises(ActionError):
        versions.approve(version_id=version.pk, note=note, by=gm)

    assert states() == [(1, "pending")]


@pytest.mark.parametrize("broken", [(audit, "record"), (registry, "rebuild")], ids=["audit", "registry"])
def test_approve_changes_nothing_when_a_later_write_fails(
    transcript: Transcript, gm: User, monkeypatch: pytest.MonkeyPatch, broken: tuple[object, str]
) -> None:
    versions.approve(version_id=publish(transcript, ONE).pk, note="", by=gm)
    pending = publish(transcript, TWO)
    monkeypatch.setattr(*broken, _fails)

    with pytest.raises(RuntimeError):
        versions.approve(version_id=pending.pk, note="", by=gm)

    assert states() == [(1, "approved"), (2, "pending")]
    assert set(RegistryEntry.objects.values_list("name", flat=True)) == set(ONE)


def test_reject_changes_nothing_when_the_audit_fails(
    transcript: Transcript, gm: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = publish(transcript)
    monkeypatch.setattr(audit, "record", _fails)

    with pytest.raises(RuntimeError):
        versions.reject(version_id=version.pk, note="", by=gm)

    assert states() == [(1, "pending")]


def test_a_version_is_immutable(transcript: Transcript) -> None:
    version = publish(transcript)
    version.payload = "{}"

    with pytest.raises(ValueError, match="immutable"):
        version.save()
    with pytest.raises(ValueError, match="immutable"):
        version.save(update_fields=["payload"])


@pytest.mark.parametrize("state", ["pending", "approved"])
def test_the_database_holds_one_pending_and_one_approved_version(transcript: Transcript, state: str) -> None:
    factories.make_version(transcript, state=state)

    with pytest.raises(IntegrityError), transaction.atomic():
        factories.make_version(transcript, state=state)


def test_audit_rows_hold_no_content(transcript: Transcript, gm: User, leaks: Leaks) -> None:
    version = publish(transcript, standard.NPCS)
    versions.approve(version_id=version.pk, note="Mother Quillon is right.", by=gm)

    assert leaks.found_in(AuditEntry.objects.values()) == []


def _fails(**facts: object) -> None:
    raise RuntimeError("the second write failed")
