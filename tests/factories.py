"""Rows for tests: plain functions with sensible defaults, each returning what it stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count

from django.contrib.auth.models import User

from campaigns.models import (
    Artifact,
    ArtifactVersion,
    Campaign,
    GameSession,
    LaneRun,
    Membership,
    Run,
    Transcript,
    Unit,
)
from extraction.canonical import JsonValue, canonical_json, digest
from extraction.findings import Finding
from extraction.identity import comparison_key, npc_id
from extraction.lanes.job import LaneResult
from extraction.source.documents import SourceUnit, units_digest
from tests.standard import NPCS, UNITS

Ranges = Mapping[str, Sequence[tuple[int, int]]]
NUMBERS = count(1)


def make_user(
    username: str | None = None, *, active: bool = True, staff: bool = False, superuser: bool = False
) -> User:
    """Store a user without a usable password, which would take a second to hash: tests use `force_login`."""
    return User.objects.create_user(
        username or f"user-{next(NUMBERS)}", is_active=active, is_staff=staff, is_superuser=superuser
    )


def make_campaign(slug: str | None = None, *, name: str = "The Salt Ferry", public: bool = False) -> Campaign:
    return Campaign.objects.create(slug=slug or f"salt-ferry-{next(NUMBERS)}", name=name, public=public)


def make_membership(campaign: Campaign, user: User, role: str = Membership.Role.READER) -> Membership:
    return Membership.objects.create(campaign=campaign, user=user, role=role)


def make_session(campaign: Campaign | None = None, number: int = 1, title: str = "") -> GameSession:
    return GameSession.objects.create(campaign=campaign or make_campaign(), number=number, title=title)


def make_transcript(session: GameSession | None = None, units: Sequence[SourceUnit] = UNITS) -> Transcript:
    """Store the next revision of the session's transcript; the standard document unless told otherwise."""
    session = session or make_session()
    revision = session.transcripts.count() + 1
    transcript = Transcript.objects.create(
        session=session,
        revision=revision,
        source_id=f"{session.campaign.slug}.s{session.number}.t{revision}",
        digest=units_digest(units),
        format="notarius_json",
        encoding="utf-8",
        unit_count=len(units),
    )
    Unit.objects.bulk_create(
        Unit(
            transcript=transcript,
            position=position,
            unit_id=unit.unit_id,
            speaker=unit.speaker,
            text=unit.text,
            start_ms=unit.start_ms,
            end_ms=unit.end_ms,
        )
        for position, unit in enumerate(units)
    )
    return transcript


def npcs_payload(transcript: Transcript, npcs: Ranges = NPCS) -> dict[str, JsonValue]:
    """Return the durable NPC registry with these names and ranges, which must stand in document order."""
    records: list[JsonValue] = [
        {
            "id": npc_id(comparison_key(name)),
            "name": name,
            "source_refs": [
                {"source_id": transcript.source_id, "start_unit_id": start, "end_unit_id": end} for start, end in ranges
            ],
        }
        for name, ranges in npcs.items()
    ]
    source: JsonValue = {
        "source_id": transcript.source_id,
        "digest": transcript.digest,
        "unit_count": transcript.unit_count,
    }
    return {"schema": "notarius.dnd.npcs.v1", "source": source, "npcs": records}


def make_result(
    transcript: Transcript,
    npcs: Ranges = NPCS,
    *,
    consolidations: Mapping[str, JsonValue] | None = None,
    findings: Sequence[Finding] = (),
) -> LaneResult:
    """Return what the NPC lane would hand over; nothing is stored."""
    payload = npcs_payload(transcript, npcs)
    return LaneResult(
        payload=payload,
        digest=digest(payload),
        record_count=len(npcs),
        consolidations=consolidations or {},
        findings=tuple(findings),
        manifest={"lane": "dnd/npcs", "chunks": 1},
    )


def make_run(
    transcript: Transcript | None = None,
    *,
    pipeline: str = "npcs-only",
    lanes: Sequence[str] = ("dnd/npcs",),
    state: str = Run.State.RUNNING,
    plan: JsonValue = None,
    by: User | None = None,
) -> Run:
    """Store a run with one lane row for each key, all in the first step and in the run's state."""
    transcript = transcript or make_transcript()
    run = Run.objects.create(
        session=transcript.session,
        transcript=transcript,
        pipeline=pipeline,
        plan={"lanes": []} if plan is None else plan,
        state=state,
        created_by=by,
    )
    for key in lanes:
        LaneRun.objects.create(run=run, key=key, step=0, state=state)
    return run


def make_lane_run(transcript: Transcript | None = None, key: str = "dnd/npcs") -> LaneRun:
    return make_run(transcript, lanes=(key,)).lanes.get()


def make_version(
    transcript: Transcript | None = None,
    npcs: Ranges = NPCS,
    *,
    state: str = ArtifactVersion.State.PENDING,
    lane: str = "dnd/npcs",
    consolidations: Mapping[str, JsonValue] | None = None,
) -> ArtifactVersion:
    """Store the next version of the session's NPC registry as it stands, without superseding or rebuilding anything."""
    transcript = transcript or make_transcript()
    artifact, _ = Artifact.objects.get_or_create(session=transcript.session, lane=lane)
    payload = npcs_payload(transcript, npcs)
    return ArtifactVersion.objects.create(
        artifact=artifact,
        number=artifact.versions.count() + 1,
        state=state,
        origin=ArtifactVersion.Origin.EXTRACTION,
        transcript=transcript,
        payload=canonical_json(payload).decode(),
        digest=digest(payload),
        record_count=len(npcs),
        consolidations=consolidations or {},
    )
