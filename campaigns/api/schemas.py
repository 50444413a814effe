"""What goes in and what comes out, as the OpenAPI document shows it."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from ninja import P, PathEx, Schema
from pydantic import ConfigDict, Field

LIMIT_DEFAULT, LIMIT_MOST = 50, 200
BIG = 2**63 - 1
PLAIN = r"^[^\x00]*$"

SessionNumber = PathEx[int, P(ge=1, le=1_000_000)]
RowId = PathEx[int, P(ge=1, le=BIG)]
# A database may refuse a NUL in a string: such a name is refused here.
PathName = PathEx[str, P(max_length=120, pattern=PLAIN)]


class ListQuery(Schema):
    limit: int = Field(LIMIT_DEFAULT, ge=1, le=LIMIT_MOST)
    cursor: str | None = Field(None, max_length=2_000)


class RegistryQuery(ListQuery):
    q: str | None = Field(None, max_length=300, pattern=PLAIN, description="Part of a name, in any case.")
    session: int | None = Field(None, ge=1, le=1_000_000)
    status: Literal["approved", "latest"] = "approved"


class EntryQuery(Schema):
    quotes: bool = False
    status: Literal["approved", "latest"] = "approved"


class StretchQuery(Schema):
    start_unit: int | None = Field(None, ge=1, le=BIG)
    end_unit: int | None = Field(None, ge=1, le=BIG)


class ArtifactQuery(Schema):
    version: int | None = Field(None, ge=1, le=2**31 - 1)
    status: Literal["approved", "latest"] = "approved"


class RunIn(Schema):
    model_config = ConfigDict(extra="forbid")

    pipeline: str | None = Field(None, max_length=60, pattern=PLAIN)
    lanes: list[str] | None = Field(None, max_length=50)


class VerdictIn(Schema):
    model_config = ConfigDict(extra="forbid")

    note: str = Field("", max_length=2_000, pattern=PLAIN)


class CampaignOut(Schema):
    slug: str
    name: str
    public: bool


class CampaignList(Schema):
    items: list[CampaignOut]
    next_cursor: str | None


class EntryOut(Schema):
    id: str
    name: str
    sessions: list[int]
    evidence_count: int


class EntryList(Schema):
    items: list[EntryOut]
    next_cursor: str | None


class EvidenceOut(Schema):
    session: int
    source_id: str
    start_unit_id: int
    end_unit_id: int
    quote: str | None = None


class EntryDetail(EntryOut):
    evidence: list[EvidenceOut]


class ArtifactOut(Schema):
    family: str
    approved: int | None
    latest: int | None = Field(description="The newest usable version; as approved for those who see no pending ones.")


class SessionOut(Schema):
    number: int
    title: str


class SessionList(Schema):
    items: list[SessionOut]
    next_cursor: str | None


class SessionDetail(SessionOut):
    artifacts: list[ArtifactOut]


class ArtifactList(Schema):
    items: list[ArtifactOut]
    next_cursor: str | None


class UnitOut(Schema):
    unit_id: int
    speaker: str | None
    text: str
    start_ms: int | None
    end_ms: int | None


class TranscriptOut(Schema):
    source_id: str
    digest: str
    unit_count: int
    units: list[UnitOut]


class UploadOut(Schema):
    source_id: str
    revision: int
    digest: str
    unit_count: int
    created: bool


class LaneOut(Schema):
    lane: str
    state: str
    attempts: int
    chunks_done: int
    chunks_total: int
    calls: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    error_code: str | None
    error_message: str | None


class RunOut(Schema):
    id: int
    campaign: str
    session: int
    pipeline: str
    state: str
    created_at: datetime
    finished_at: datetime | None
    lanes: list[LaneOut]


class VersionOut(Schema):
    id: int
    number: int
    family: str
    state: str
    digest: str
    note: str
