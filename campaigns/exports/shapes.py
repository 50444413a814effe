"""What a backup's files say, read strictly: somebody else may have written them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, model_validator

from campaigns.library.kept import SUBJECTS
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
Told = Annotated[str, Field(max_length=20_000)]
UnitId = Annotated[int, Field(ge=1, le=BIGGEST)]
YEARS = range(2, 9_999)
"""Years that are years in every time zone."""


def _in_every_zone(at: datetime) -> datetime:
    try:
        year = at.astimezone(UTC).year
    except OverflowError:
        year = 0
    if year not in YEARS:
        raise ValueError("a time before or after all years")
    return at


Moment = Annotated[AwareDatetime, AfterValidator(_in_every_zone)]
Family = Annotated[str, Field(pattern=f"^({'|'.join(SUBJECTS)})$")]


class Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Read(BaseModel):
    """What of a JSON value is read by its parts; the value itself is kept as it is, with all else that it says."""

    model_config = ConfigDict(extra="ignore", frozen=True)


def _as(shape: type[Read]) -> AfterValidator:
    """Return the check that a JSON value has the parts of the shape, as it stands after its own."""

    def checked(value: Json) -> Json:
        shape.model_validate(value, strict=True)
        return value

    return AfterValidator(checked)


class EntryBinding(Read):
    ids: Annotated[list[Told], Field(min_length=1)]
    names: list[Told]


class MemberBinding(Read):
    ids: list[Told]
    name: Told
    by_name: bool
    also: list[Told] = []


class MergeBinding(Read):
    members: Annotated[list[MemberBinding], Field(min_length=1)]
    names: list[Told]


class RecordBinding(Read):
    source_id: Told
    subject: list[Told]
    refs: Annotated[list[Annotated[list[UnitId], Field(min_length=2, max_length=2)]], Field(min_length=1)]
    said: Told


class OccurrenceBinding(Read):
    family: Family
    records: Annotated[list[RecordBinding], Field(min_length=1)]


class RangeBinding(Read):
    source_id: Told
    start: UnitId
    end: UnitId
    names: list[Told]


BINDINGS: Mapping[str, type[Read]] = {
    Secret.Kind.ENTRY: EntryBinding,
    Secret.Kind.MERGE: MergeBinding,
    Secret.Kind.OCCURRENCE: OccurrenceBinding,
    Secret.Kind.RANGE: RangeBinding,
}


class Ref(Read):
    source_id: Told
    start_unit_id: UnitId
    end_unit_id: UnitId


class MemberRecord(Read):
    id: Told
    name: Told
    source_refs: Annotated[list[Ref], Field(min_length=1)]


class Group(Read):
    id: Told
    canonical: Told
    members: Annotated[list[MemberRecord], Field(min_length=1)]


class Proposal(Read):
    verdict: Told


class Consolidations(Read):
    applied: list[Group] = []
    proposals: list[Proposal] = []
    removed: list[Json] = []
    decisions: list[Json] = []


class Bound(Read):
    lane: Told
    version: Number
    digest: Told


class Making(Read):
    """A version's manifest: what it was made of."""

    lane_version: int = 0
    references: dict[str, Bound] = {}
    extract: Json = {}
    normalize: Json = {}
    profile: Json = {}
    verdicts: Json = {}


class FindingLine(Read):
    code: Told
    where: Told = ""


class KeyLine(Read):
    key: Told
    anchor: int | None


class DecisionData(Read):
    """What a decision says of other decisions."""

    revived: list[int] = []
    dropped: list[int] = []
    again: int | None = None


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
    created_at: Moment
    roster: list[RosterLine]
    glossary: list[GlossaryLine]


class SecretLine(Shape):
    session: Number | None
    kind: Secret.Kind
    entry_kind: RegistryEntry.Kind | Literal[""]
    token: Annotated[str, Field(max_length=64)]
    label: Annotated[str, Field(max_length=300)]
    binding: Json
    note: Note
    hidden_at: Moment
    revealed_at: Moment | None

    @model_validator(mode="after")
    def _is_whole(self) -> SecretLine:
        """Have it say what its kind needs: where an entry or a merge, in which session a record or a passage is."""
        BINDINGS[self.kind].model_validate(self.binding, strict=True)
        of_a_session = self.kind in (Secret.Kind.OCCURRENCE, Secret.Kind.RANGE)
        if of_a_session is (self.session is None) or of_a_session is bool(self.entry_kind):
            raise ValueError("a secret is of a registry or of a session")
        return self


class Revision(Shape):
    revision: Number
    source_id: Annotated[str, Field(max_length=120)]
    digest: Digest
    earlier_digests: list[Digest] = []
    title: Annotated[str, Field(max_length=300)]
    format: Annotated[str, Field(max_length=30)]
    encoding: Annotated[str, Field(max_length=30)]
    notes: list[Json]
    created_at: Moment


class Version(Shape):
    lane: Lane
    number: Number
    state: ArtifactVersion.State
    origin: ArtifactVersion.Origin
    parent: Number | None
    revision: Number
    digest: Digest
    manifest: Annotated[Json, _as(Making)]
    findings: list[Annotated[Json, _as(FindingLine)]]
    consolidations: Annotated[Json, _as(Consolidations)]
    note: Note
    created_at: Moment
    decided_at: Moment | None


class SessionFile(Shape):
    number: Number
    title: Line
    created_at: Moment
    transcripts: list[Revision]
    versions: list[Version]


class UnitLine(Shape):
    unit_id: UnitId
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
    keys: list[Annotated[Json, _as(KeyLine)]]
    data: Annotated[Json, _as(DecisionData)]
    reason: Note
    about: Number | None
    made: Number | None
    at: Moment
