"""What a backup's files say, read strictly: somebody else may have written them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from campaigns.models import ArtifactVersion, Decision, RegistryEntry, RosterEntry, Secret
from campaigns.models.campaign import SLUG

BIGGEST = 2**63 - 1
Number = Annotated[int, Field(ge=1, le=1_000_000)]
Place = Annotated[int, Field(ge=0, le=2**31 - 1)]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Lane = Annotated[str, Field(pattern=r"^dnd/[a-z]+(-[a-z]+)*$", max_length=60)]
Line = Annotated[str, Field(max_length=200)]
Note = Annotated[str, Field(max_length=2_000)]
Json = dict[str, Any]  # Any: JSON that the archive gives back as it is


class Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ListedFile(Shape):
    path: Annotated[str, Field(max_length=200)]
    sha256: Digest
    bytes: Annotated[int, Field(ge=0)]


class Manifest(Shape):
    schema_: Annotated[Literal["notarius.export.v1"], Field(alias="schema")]
    edition: Literal["gm", "player"]
    as_of: int | None
    members: dict[str, int] = {}
    digest: Digest
    files: list[ListedFile]


class RosterLine(Shape):
    kind: RosterEntry.Kind
    position: Place
    player: Annotated[str, Field(max_length=100)]
    character: Annotated[str, Field(max_length=100)]
    speaker_labels: list[Line]
    other_names: list[Line]


class GlossaryLine(Shape):
    position: Place
    term: Line
    heard_as: list[Line]


class CampaignFile(Shape):
    slug: Annotated[str, Field(pattern=SLUG.regex.pattern, max_length=60)]
    name: Annotated[str, Field(min_length=1, max_length=200)]
    public: bool
    created_at: AwareDatetime
    roster: list[RosterLine]
    glossary: list[GlossaryLine]


class SecretLine(Shape):
    session: Number | None
    kind: Secret.Kind
    entry_kind: RegistryEntry.Kind | Literal[""]
    token: Annotated[str, Field(max_length=64)]
    label: Annotated[str, Field(max_length=300)]
    binding: Json
    note: str
    hidden_at: AwareDatetime
    revealed_at: AwareDatetime | None


class Revision(Shape):
    revision: Number
    source_id: Annotated[str, Field(max_length=120)]
    digest: Digest
    title: Annotated[str, Field(max_length=300)]
    format: Annotated[str, Field(max_length=30)]
    encoding: Annotated[str, Field(max_length=30)]
    notes: list[Json]
    created_at: AwareDatetime


class Version(Shape):
    lane: Lane
    number: Number
    state: ArtifactVersion.State
    origin: ArtifactVersion.Origin
    parent: Number | None
    revision: Number
    digest: Digest
    manifest: Json
    findings: list[Json]
    consolidations: Json
    note: Note
    created_at: AwareDatetime
    decided_at: AwareDatetime | None


class SessionFile(Shape):
    number: Number
    title: Line
    created_at: AwareDatetime
    transcripts: list[Revision]
    versions: list[Version]


class UnitLine(Shape):
    unit_id: Annotated[int, Field(ge=1, le=BIGGEST)]
    speaker: Line | None
    text: Annotated[str, Field(max_length=20_000)]
    start_ms: Annotated[int, Field(ge=-BIGGEST, le=BIGGEST)] | None
    end_ms: Annotated[int, Field(ge=-BIGGEST, le=BIGGEST)] | None


class TranscriptFile(Shape):
    schema_: Annotated[Literal["notarius.transcript.v1"], Field(alias="schema")]
    title: str | None
    units: list[UnitLine]


class DecisionLine(Shape):
    lane: Lane
    kind: Decision.Kind
    keys: list[Json]
    data: Json
    reason: Note
    about: Number | None
    made: Number | None
    at: AwareDatetime
