"""Corrections of a session's newest transcript: each answers 201 with the revision that it made."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from django.http import HttpRequest, HttpResponse
from ninja import Body, Router, Schema
from pydantic import ConfigDict, Field

from campaigns import carried
from campaigns.access import Need, campaign_for
from campaigns.actions import corrections
from campaigns.api.answers import json_answer
from campaigns.api.auth import actor_of
from campaigns.api.schemas import PLAIN, SessionNumber
from campaigns.api.sessions import session_of
from campaigns.models import GameSession, Transcript
from extraction.ingest import DEFAULT_LIMITS
from extraction.ingest.limits import MAX_INTEGER

router = Router(tags=["transcripts"])
UnitId: TypeAlias = Annotated[int, Field(ge=1, le=MAX_INTEGER)]
Label: TypeAlias = Annotated[str, Field(max_length=1_000, pattern=PLAIN)]
Words: TypeAlias = Annotated[str, Field(max_length=2 * DEFAULT_LIMITS.max_unit_chars)]


class _Correction(Schema):
    model_config = ConfigDict(extra="forbid")

    seen: int | None = Field(None, ge=1, description="The revision that it is about: 409 where it is not the newest.")


class RenameIn(_Correction):
    act: Literal["rename_speaker"]
    old: Label
    new: Label = Field(description="Empty for nobody known.")


class ReassignIn(_Correction):
    act: Literal["reassign_units"]
    first_unit_id: UnitId
    last_unit_id: UnitId
    speaker: Label = Field(description="Empty for nobody known.")


class RewordIn(_Correction):
    act: Literal["reword_unit"]
    unit_id: UnitId
    text: Words


class SplitIn(_Correction):
    act: Literal["split_unit"]
    unit_id: UnitId
    parts: list[Words] = Field(min_length=2, max_length=50, description="The unit's words, in their order.")


class JoinIn(_Correction):
    act: Literal["join_units"]
    first_unit_id: UnitId
    last_unit_id: UnitId


class GlossaryPair(Schema):
    model_config = ConfigDict(extra="forbid")

    term: Label
    heard_as: Label


class GlossaryIn(_Correction):
    act: Literal["apply_glossary"]
    chosen: list[GlossaryPair] = Field(min_length=1, max_length=200)


CorrectionIn: TypeAlias = Annotated[
    RenameIn | ReassignIn | RewordIn | SplitIn | JoinIn | GlossaryIn, Field(discriminator="act")
]


class RevisionOut(Schema):
    source_id: str
    revision: int
    digest: str
    unit_count: int


class PieceOut(Schema):
    fate: Literal["carried", "moved", "lost"]
    start_unit_id: int
    end_unit_id: int
    now_start_unit_id: int | None = Field(description="Of what is lost: a unit of where it stood.")
    now_end_unit_id: int | None


class CarriedRecordOut(Schema):
    record: int = Field(description="The record's place in the version, from 0.")
    heading: str
    evidence: list[PieceOut]


class CarriedOut(Schema):
    lane: str
    version: int
    source_id: str = Field(description="The revision that the version cites.")
    carried: int
    moved: int
    lost: int
    changed: list[CarriedRecordOut] = Field(description="The records of which something moved or was lost.")


class CarriedEvidenceOut(Schema):
    source_id: str | None
    versions: list[CarriedOut]


@router.post("/{slug}/sessions/{number}/transcript/corrections", response={201: RevisionOut})
def correct_transcript(
    request: HttpRequest, slug: str, number: SessionNumber, one_of: Body[CorrectionIn]
) -> HttpResponse:
    """Correct the newest transcript: a word, a speaker, where units begin and end, or names of the glossary."""
    actor = actor_of(request)
    session = session_of(actor, campaign_for(actor, slug, Need.EDIT), number)
    fields = one_of.model_dump(exclude={"act"})
    if isinstance(one_of, GlossaryIn):
        fields["chosen"] = [(pair.term, pair.heard_as) for pair in one_of.chosen]
    made: Transcript = getattr(corrections, one_of.act)(session=session, by=actor.user, **fields)
    body = {
        "source_id": made.source_id,
        "revision": made.revision,
        "digest": made.digest,
        "unit_count": made.unit_count,
    }
    return json_answer(body, status=201, location=request.path.rpartition("/")[0])


@router.get("/{slug}/sessions/{number}/transcript/evidence", response=CarriedEvidenceOut)
def get_carried_evidence(request: HttpRequest, slug: str, number: SessionNumber) -> HttpResponse:
    """What became of the evidence of versions of earlier revisions: carried, moved or lost; for game masters."""
    actor = actor_of(request)
    session = session_of(actor, campaign_for(actor, slug, Need.EDIT), number)
    newest = session.transcripts.order_by("-revision").first()
    return json_answer({"source_id": newest and newest.source_id, "versions": _versions(session)})


def _versions(session: GameSession) -> list[dict[str, object]]:
    return [
        {
            "lane": one.version.artifact.lane,
            "version": one.version.number,
            "source_id": one.version.transcript.source_id,
            "carried": one.carried,
            "moved": one.moved,
            "lost": one.lost,
            "changed": [_record(record) for record in one.changed],
        }
        for one in carried.of_session(session)
    ]


def _record(record: carried.CarriedRecord) -> dict[str, object]:
    return {
        "record": record.number,
        "heading": record.heading,
        "evidence": [
            {
                "fate": piece.fate,
                "start_unit_id": piece.start_id,
                "end_unit_id": piece.end_id,
                "now_start_unit_id": piece.landing.start_unit_id,
                "now_end_unit_id": piece.landing.end_unit_id,
            }
            for piece in record.changed
        ],
    }
