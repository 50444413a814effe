"""Artifact versions: published by a lane, decided by a person, never edited."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias, cast

import orjson
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from campaigns.actions import audit, players, registry, webhooks
from campaigns.actions.locking import lock_artifact
from campaigns.errors import ActionError, Conflict, NotFound
from campaigns.library.sources import kind_of
from campaigns.models import Artifact, ArtifactVersion, LaneRun
from extraction.canonical import JsonValue, bytes_digest, canonical_json
from extraction.codes import Code
from extraction.lanes.job import LaneResult

if TYPE_CHECKING:
    from django.contrib.auth.models import User

Plain: TypeAlias = "dict[str, JsonValue]"
State = ArtifactVersion.State
NOTE_LIMIT = 2_000


@transaction.atomic
def publish(*, lane_run: LaneRun, result: LaneResult) -> ArtifactVersion:
    """Return the version that holds the lane's result, pending and superseding the pending one before it.

    A lane run publishes once: asked again, it gets its first version. A run that changed nothing makes no version:
    the latest usable one comes back where payload, consolidations and transcript are equal. Then that version keeps
    the manifest it was made with.
    """
    run = lane_run.run
    artifact, _ = Artifact.objects.get_or_create(session_id=run.session_id, lane=lane_run.key)
    Artifact.objects.select_for_update().get(pk=artifact.pk)
    published = artifact.versions.filter(lane_run=lane_run).order_by("number").first()
    if published is not None:
        return published
    payload = canonical_json(_plain(result.payload))
    consolidations = _decoded(result.consolidations)
    latest = artifact.versions.usable().order_by("-number").first()
    if (
        latest is not None
        and latest.digest == bytes_digest(payload)
        and latest.consolidations == consolidations
        and latest.transcript_id == run.transcript_id
    ):
        return latest
    artifact.versions.filter(state=State.PENDING).update(state=State.SUPERSEDED)
    version = ArtifactVersion.objects.create(
        artifact=artifact,
        number=(artifact.versions.aggregate(last=Max("number"))["last"] or 0) + 1,
        origin=ArtifactVersion.Origin.EXTRACTION,
        transcript_id=run.transcript_id,
        lane_run=lane_run,
        payload=payload.decode(),
        digest=bytes_digest(payload),
        record_count=result.record_count,
        manifest=_decoded(result.manifest),
        findings=[finding.as_json() for finding in result.findings],
        consolidations=consolidations,
        created_by=run.created_by,
    )
    audit.record(
        by=run.created_by,
        act="version.publish",
        subject=version,
        campaign=run.session.campaign,
        lane=lane_run.key,
        number=version.number,
        records=version.record_count,
    )
    return version


@transaction.atomic
def approve(*, version_id: int, note: str, by: User) -> ArtifactVersion:
    """Approve a pending version, supersede the approved one before it, and rebuild the registry and what players get.

    Raises NotFound for an unknown version, Conflict for one that is not pending.
    """
    version = _pending(version_id)
    version.artifact.versions.filter(state=State.APPROVED).update(state=State.SUPERSEDED)
    _decide(version, State.APPROVED, note, by)
    session, kind = version.artifact.session, kind_of(version.artifact.lane)
    if kind is not None:
        registry.rebuild(campaign=session.campaign, kind=kind, session=session.number)
    else:
        players.rebuild(campaign=session.campaign, session=session.number)
    webhooks.announce_approval(version)
    return version


@transaction.atomic
def reject(*, version_id: int, note: str, by: User) -> ArtifactVersion:
    """Reject a pending version; the approved one before it, if any, stands.

    Raises NotFound for an unknown version, Conflict for one that is not pending.
    """
    version = _pending(version_id)
    _decide(version, State.REJECTED, note, by)
    return version


def _pending(version_id: int) -> ArtifactVersion:
    """Return the version with its artifact locked, so that two decisions come one after the other."""
    known = Artifact.objects.filter(versions__pk=version_id).first()
    if known is None or lock_artifact(known.pk) is None:
        raise NotFound("There is no such artifact version.", code=Code.VERSION_UNKNOWN)
    version = ArtifactVersion.objects.select_related("artifact__session__campaign").get(pk=version_id)
    if version.state != State.PENDING:
        raise Conflict(f"This version is {version.state} already.", code=Code.VERSION_DECIDED)
    return version


def _decide(version: ArtifactVersion, state: ArtifactVersion.State, note: str, by: User) -> None:
    note = note.strip()
    if len(note) > NOTE_LIMIT or "\x00" in note:
        raise ActionError(f"A note is plain text of at most {NOTE_LIMIT} characters.")
    version.state, version.note = state, note
    version.decided_by, version.decided_at = by, timezone.now()
    version.save(update_fields=ArtifactVersion.DECISION_FIELDS)
    audit.record(
        by=by,
        act=f"version.{'approve' if state is State.APPROVED else 'reject'}",
        subject=version,
        campaign=version.artifact.session.campaign,
        lane=version.artifact.lane,
        number=version.number,
    )


def _decoded(value: Mapping[str, JsonValue]) -> Plain:
    """Return the value as the database will give it back: plain dicts and lists."""
    return cast(Plain, orjson.loads(canonical_json(_plain(value))))


def _plain(value: JsonValue) -> JsonValue:
    """Return the value with every read-only mapping as a dict, which is all that the JSON encoder takes."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value
