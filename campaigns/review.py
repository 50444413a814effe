"""What the review page shows: records with their evidence as positions, and one stretch of the transcript.

Everything is built in a fixed number of queries, whatever the number of units and records. Evidence is placed by
`Unit.position`; unit ids are only shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypedDict

import orjson

from campaigns.models import ArtifactVersion, Transcript, Unit
from campaigns.presentation import SCENES, Shown, shown
from campaigns.whereabouts import whereabouts
from campaigns.wording import record_of, sentence_for

BLOCK = 30
FIRST_STRETCH = 2 * BLOCK
MOST_UNITS = 300
RECORDS_PER_PAGE = 200
LEAD_IN = 3
# Above this many cited ids, one scan of the transcript is cheaper than a long IN list.
MANY_IDS = 5_000


class Reference(TypedDict):
    """A source reference as the payload holds it."""

    source_id: str
    start_unit_id: int
    end_unit_id: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """One cited range that resolves in this transcript: positions to find it by, unit ids to name it by."""

    start: int
    end: int
    start_id: int
    end_id: int

    def __str__(self) -> str:
        if self.start == self.end:
            return f"{self.start}:{self.start_id}"
        return f"{self.start}-{self.end}:{self.start_id}-{self.end_id}"

    @property
    def label(self) -> str:
        return f"unit {self.start_id}" if self.start == self.end else f"units {self.start_id} to {self.end_id}"


@dataclass(frozen=True, slots=True)
class Cited:
    """A name with its evidence: a record, or one member of a consolidation. `lost` ranges do not resolve here.

    A scene's one range is no evidence but its stretch of the transcript: then `is_stretch`.
    """

    name: str
    evidence: tuple[Evidence, ...]
    lost: int
    is_stretch: bool = False

    @property
    def spans(self) -> str:
        return " ".join(map(str, self.evidence))

    @property
    def units(self) -> int:
        return sum(piece.end - piece.start + 1 for piece in self.evidence)


@dataclass(frozen=True, slots=True)
class Record:
    """`number` counts from 0 over the whole artifact, and is what `?record=` and findings mean.

    `place` says which of several places of one name it is about.
    """

    number: int
    cited: Cited
    shown: Shown
    place: str
    members: tuple[Cited, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """What the reader looks at: a record, perhaps one of its members, and one piece of its evidence."""

    record: int
    member: int | None
    at: int
    cited: Cited

    @property
    def evidence(self) -> Evidence | None:
        return self.cited.evidence[self.at] if self.cited.evidence else None

    @property
    def before(self) -> int | None:
        return self.at - 1 if self.at > 0 else None

    @property
    def after(self) -> int | None:
        return self.at + 1 if self.at + 1 < len(self.cited.evidence) else None

    def with_evidence(self, at: int) -> Choice:
        """Return the choice at the nearest piece of evidence that exists."""
        return replace(self, at=max(0, min(at, len(self.cited.evidence) - 1)))


@dataclass(frozen=True, slots=True)
class ShownUnit:
    position: int
    unit_id: int
    speaker: str | None
    text: str
    cited: bool
    now: bool


@dataclass(frozen=True, slots=True)
class Block:
    """A run of units at a fixed place of the windowed list: positions `start` to `start + BLOCK`."""

    start: int
    units: tuple[ShownUnit, ...]


@dataclass(frozen=True, slots=True)
class Review:
    """One artifact version, read for review."""

    family: str
    records: tuple[Record, ...]
    warnings: tuple[str, ...]

    def page(self, number: int) -> tuple[Record, ...]:
        """Return the records of page `number`, counted from 0."""
        return self.records[number * RECORDS_PER_PAGE : (number + 1) * RECORDS_PER_PAGE]

    @property
    def of_scenes(self) -> bool:
        return self.family == SCENES

    @property
    def pages(self) -> int:
        return max(1, -(-len(self.records) // RECORDS_PER_PAGE))

    def choose(self, record: int, member: int | None = None, at: int = 0) -> Choice | None:
        """Return the nearest choice that exists; None where there are no records."""
        if not self.records:
            return None
        chosen = self.records[max(0, min(record, len(self.records) - 1))]
        if member is not None and not 0 <= member < len(chosen.members):
            member = None
        cited = chosen.cited if member is None else chosen.members[member]
        return Choice(chosen.number, member, 0, cited).with_evidence(at)


def read_version(version: ArtifactVersion) -> Review:
    """Return the version's records and remarks, with all evidence resolved by one query.

    Places of one name take up to three more, however many there are.
    """
    family = version.artifact.lane.rpartition("/")[2]
    found = _records(orjson.loads(version.payload))
    applied = {group["id"]: group["members"] for group in version.consolidations.get("applied", ())}
    cited = [*found, *(member for members in applied.values() for member in members)]
    resolver = _Resolver(version.transcript, cited)
    about, general = _sentences(version.findings, len(found))
    places = whereabouts(version, family, found)
    records = []
    for number, item in enumerate(found):
        read = shown(family, item)
        members = tuple(
            resolver.cited(member, shown(family, member).heading) for member in applied.get(item.get("id"), ())
        )
        warnings = tuple(dict.fromkeys(about.get(number, ())))
        own = resolver.cited(item, read.heading)
        records.append(Record(number, own, read, places.get(number, ""), members, warnings))
    return Review(family, tuple(records), general)


def stretch(transcript: Transcript, start: int, count: int, choice: Choice | None = None) -> tuple[Block, ...]:
    """Return the blocks of units from position `start`, moved down to a block's start, for at least `count` units.

    At most MOST_UNITS are read. Units of the choice's evidence are marked, those of its current piece twice.
    """
    first = max(0, start) // BLOCK * BLOCK
    last = min(max(0, start) + min(count, MOST_UNITS), transcript.unit_count)
    rows = Unit.objects.filter(transcript=transcript, position__gte=first, position__lt=-(-last // BLOCK) * BLOCK)
    marked, now = _marks(choice)
    blocks: dict[int, list[ShownUnit]] = {}
    for position, unit_id, speaker, text in rows.order_by("position").values_list(
        "position", "unit_id", "speaker", "text"
    ):
        shown = ShownUnit(position, unit_id, speaker, text, position in marked, position in now)
        blocks.setdefault(position // BLOCK * BLOCK, []).append(shown)
    return tuple(Block(at, tuple(units)) for at, units in sorted(blocks.items()))


def opening(choice: Choice | None) -> int:
    """Return the position to open the transcript at: a little before the chosen evidence, else the beginning."""
    evidence = choice.evidence if choice else None
    return max(0, evidence.start - LEAD_IN) // BLOCK * BLOCK if evidence else 0


def position_of(transcript: Transcript, unit_id: int) -> int | None:
    """Return where the unit stands, or None where the transcript has no such unit."""
    rows = Unit.objects.filter(transcript=transcript, unit_id=unit_id)
    return rows.values_list("position", flat=True).first()


def _records(payload: Mapping[str, list[dict[str, object]]]) -> Sequence[dict[str, object]]:
    return next(value for name, value in payload.items() if name not in ("schema", "source"))


def _sentences(
    findings: Sequence[Mapping[str, object]], records: int
) -> tuple[Mapping[int, list[str]], tuple[str, ...]]:
    """Return the findings as sentences: those about a record by its number, and those about the whole."""
    about: dict[int, list[str]] = {}
    general: list[str] = []
    for finding in findings:
        number = record_of(finding)
        chosen = general if number is None or number >= records else about.setdefault(number, [])
        chosen.append(sentence_for(finding))
    return about, tuple(dict.fromkeys(general))


class _Resolver:
    """Places what records cite in the transcript. A scene cites nothing: its own two ends are its stretch."""

    def __init__(self, transcript: Transcript, items: Sequence[Mapping[str, object]]) -> None:
        self._source_id = transcript.source_id
        wanted = {
            unit for item in items for ref in self._refs(item) for unit in (ref["start_unit_id"], ref["end_unit_id"])
        }
        rows = Unit.objects.filter(transcript=transcript)
        if len(wanted) <= MANY_IDS:
            rows = rows.filter(unit_id__in=wanted)
        self._positions = dict(rows.order_by().values_list("unit_id", "position"))

    def cited(self, item: Mapping[str, object], name: str) -> Cited:
        refs = self._refs(item)
        evidence = tuple(
            Evidence(start, end, ref["start_unit_id"], ref["end_unit_id"])
            for ref in refs
            if ref["source_id"] == self._source_id
            and (start := self._positions.get(ref["start_unit_id"])) is not None
            and (end := self._positions.get(ref["end_unit_id"])) is not None
        )
        return Cited(name, evidence, len(refs) - len(evidence), is_stretch="source_refs" not in item)

    def _refs(self, item: Mapping[str, object]) -> Sequence[Reference]:
        refs = item.get("source_refs")
        if isinstance(refs, list):
            return refs
        start, end = item.get("start_unit_id"), item.get("end_unit_id")
        if not isinstance(start, int) or not isinstance(end, int):
            return ()
        return (Reference(source_id=self._source_id, start_unit_id=start, end_unit_id=end),)


def _marks(choice: Choice | None) -> tuple[set[int], range]:
    if choice is None or choice.evidence is None:
        return set(), range(0)
    marked = {at for piece in choice.cited.evidence for at in range(piece.start, piece.end + 1)}
    # Of a scene the first unit alone: the rest of it is marked, and may be hours long.
    last = choice.evidence.start if choice.cited.is_stretch else choice.evidence.end
    return marked, range(choice.evidence.start, last + 1)
