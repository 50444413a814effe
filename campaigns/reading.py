"""A session read units first: which records of which lanes cite each unit.

Everything is read in a fixed number of queries. Evidence is held as ranges of positions and never spread over units,
so that the work grows with the ranges and with the units on screen, whatever the ranges' lengths. Scenes cite
nothing: the unit that one begins with says so.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from itertools import count

import orjson
from django.db.models import Count

from campaigns import coverage
from campaigns.carried import Landed, Way
from campaigns.coverage import State
from campaigns.models import ArtifactVersion, GameSession, Transcript, Unit
from campaigns.presentation import Item, Shown, shown
from campaigns.reading_states import SCENE_LANE, states_of
from campaigns.review import BLOCK, MOST_UNITS, Evidence
from campaigns.wording import LANE_NAMES, lane_name, record_of, sentence_for

MOST_CITING = 50
MOST_SPEAKERS = 40
# Three sessions of ten lanes.
KEPT_LANES = 32
NOBODY, NAMED = "none", "name:"


class Show(StrEnum):
    """Which units the list holds."""

    ALL = ""
    UNCITED = "uncited"
    WARNED = "warned"


@dataclass(frozen=True, slots=True)
class Filter:
    """`by` is `name:` and a speaker, `none` for units without one, or empty for everybody."""

    show: Show = Show.ALL
    by: str = ""

    def __bool__(self) -> bool:
        return bool(self.show or self.by)


@dataclass(frozen=True, slots=True)
class Source:
    """A transcript's unit ids in the order of positions; `places` leads back from them. The digest stands for both."""

    source_id: str
    digest: str
    unit_ids: Sequence[int] = field(compare=False, repr=False)
    places: Mapping[int, int] = field(compare=False, repr=False)

    @classmethod
    def of(cls, transcript: Transcript) -> Source:
        rows = Unit.objects.filter(transcript=transcript).order_by("position")
        unit_ids = list(rows.values_list("unit_id", flat=True))
        places = {unit_id: position for position, unit_id in enumerate(unit_ids)}
        return cls(transcript.source_id, transcript.digest, unit_ids, places)


@dataclass(frozen=True, slots=True)
class Citation:
    """Piece number `at` of a record's evidence that resolves in the transcript, or a part of it.

    `changed` names the units of the piece whose words another revision does not have.
    """

    record: int
    at: int
    evidence: Evidence
    changed: str = ""


@dataclass(frozen=True, slots=True)
class CitingLane:
    """One version's records with where they cite; `remarks` are the warnings about a record.

    `lost` are the citations of an earlier transcript whose words are not in this one.
    """

    lane: str
    version_id: int
    items: Sequence[Item]
    citations: tuple[Citation, ...]
    remarks: Mapping[int, tuple[str, ...]]
    lost: int = 0

    @property
    def name(self) -> str:
        return lane_name(self.lane)

    def shown(self, record: int) -> Shown:
        return shown(self.lane.rpartition("/")[2], self.items[record])


@dataclass(frozen=True, slots=True)
class Chip:
    """A lane that cites a unit: the first record that does, and how many more do."""

    lane: str
    version_id: int
    record: int
    at: int
    heading: str
    more: int
    warned: bool


@dataclass(frozen=True, slots=True)
class ReadUnit:
    """A unit in the list: `index` is its place there, `position` its place in the transcript."""

    index: int
    position: int
    unit_id: int
    speaker: str | None
    text: str
    chips: tuple[Chip, ...]
    scenes: tuple[Chip, ...]
    state: State

    @property
    def warned(self) -> bool:
        return any(chip.warned for chip in self.chips)


@dataclass(frozen=True, slots=True)
class ReadBlock:
    """A run of listed units at a fixed place of the windowed list: indexes `start` to `start + BLOCK`."""

    start: int
    units: tuple[ReadUnit, ...]


@dataclass(frozen=True, slots=True)
class Citing:
    """A record that cites the unit, with the piece of its evidence that does."""

    record: int
    at: int
    label: str
    shown: Shown
    remarks: tuple[str, ...]
    changed: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """One lane's records that cite the unit; `more` of them are not listed."""

    lane: str
    version_id: int
    records: tuple[Citing, ...]
    more: int

    @property
    def total(self) -> int:
        return len(self.records) + self.more


@dataclass(frozen=True, slots=True)
class Reading:
    """A session's newest transcript with the newest usable version of each lane.

    Citations of a version of an earlier transcript stand where their words stand now; `carried` names such lanes, and
    `lost` counts the citations whose words are not there any more. `states` says for each lane but the scenes what
    its uncited units are.
    """

    transcript: Transcript
    source: Source
    lanes: tuple[CitingLane, ...]
    scenes: CitingLane | None
    states: Mapping[str, State]
    carried: tuple[str, ...]
    lost: int

    @property
    def total(self) -> int:
        return len(self.source.unit_ids)

    @property
    def rest(self) -> State:
        return coverage.together(self.states.values())

    def cited(self, lane: CitingLane) -> bytes:
        """Return which positions the lane cites."""
        return coverage.flags(((c.evidence.start, c.evidence.end) for c in lane.citations), self.total)

    def cited_by_any(self) -> bytes:
        return coverage.union([self.cited(lane) for lane in self.lanes], self.total)

    def strips(self) -> tuple[coverage.Strip, ...]:
        """Return the strip of all lanes together, and after it each lane's own."""
        flags = {lane.lane: self.cited(lane) for lane in self.lanes}
        every = coverage.strip("All lanes", coverage.union(list(flags.values()), self.total), self.rest)
        none = bytes(self.total)
        own = (coverage.strip(lane_name(key), flags.get(key, none), state) for key, state in self.states.items())
        return (every, *own)

    def positions(self, chosen: Filter) -> Sequence[int]:
        """Return the positions of the units that the filter lets through, in order."""
        if not chosen:
            return range(self.total)
        if chosen.by:
            rows = Unit.objects.filter(transcript=self.transcript)
            name = chosen.by.removeprefix(NAMED)
            rows = rows.filter(speaker__isnull=True) if chosen.by == NOBODY else rows.filter(speaker=name)
            found: Sequence[int] = list(rows.order_by("position").values_list("position", flat=True))
        else:
            found = range(self.total)
        if chosen.show is Show.UNCITED:
            cited = self.cited_by_any()
            return [at for at in found if not cited[at]]
        if chosen.show is Show.WARNED:
            pieces = (c.evidence for lane in self.lanes for c in lane.citations if c.record in lane.remarks)
            warned = coverage.flags(((piece.start, piece.end) for piece in pieces), self.total)
            return [at for at in found if warned[at]]
        return found

    def blocks(self, listed: Sequence[int], start: int, count: int) -> tuple[ReadBlock, ...]:
        """Return the blocks of the list from index `start`, moved down to a block's start; MOST_UNITS at most."""
        first = max(0, start) // BLOCK * BLOCK
        last = -(-(max(0, start) + min(count, MOST_UNITS)) // BLOCK) * BLOCK
        at = listed[first:last]
        rows = Unit.objects.filter(transcript=self.transcript, position__in=at).order_by("position")
        chips = self._chips(at)
        scenes = self._scene_starts()
        units = [
            ReadUnit(
                first + number,
                position,
                unit_id,
                speaker,
                text,
                chips[number],
                scenes.get(position, ()),
                State.CITED if chips[number] else self.rest,
            )
            for number, (position, unit_id, speaker, text) in enumerate(
                rows.values_list("position", "unit_id", "speaker", "text")
            )
        ]
        return tuple(ReadBlock(first + at, tuple(units[at : at + BLOCK])) for at in range(0, len(units), BLOCK))

    def speakers(self) -> tuple[str | None, ...]:
        """Return who speaks most, MOST_SPEAKERS at most; None stands for units without a speaker."""
        rows = Unit.objects.filter(transcript=self.transcript).order_by().values("speaker")
        most = rows.annotate(units=Count("pk")).order_by("-units", "speaker")[:MOST_SPEAKERS]
        return tuple(row["speaker"] for row in most)

    def _chips(self, listed: Sequence[int]) -> list[tuple[Chip, ...]]:
        chips: list[list[Chip]] = [[] for _ in listed]
        for lane in self.lanes:
            cites: list[dict[int, int]] = [{} for _ in listed]
            for citation in lane.citations:
                for number in _covered(listed, citation.evidence):
                    cites[number].setdefault(citation.record, citation.at)
            for number, records in enumerate(cites):
                if records:
                    chips[number].append(_chip(lane, records))
        return [tuple(found) for found in chips]

    def _scene_starts(self) -> Mapping[int, tuple[Chip, ...]]:
        if self.scenes is None:
            return {}
        found: dict[int, tuple[Chip, ...]] = {}
        for citation in self.scenes.citations:
            chip = _chip(self.scenes, {citation.record: citation.at})
            found[citation.evidence.start] = (*found.get(citation.evidence.start, ()), chip)
        return found


def read_session(session: GameSession) -> Reading | None:
    """Return the session as its lanes cite it, in five queries; None where it has no transcript.

    The way from another revision takes two more, and is kept.
    """
    transcript = session.transcripts.order_by("-revision").first()
    if transcript is None:
        return None
    source = Source.of(transcript)
    versions = ArtifactVersion.objects.usable().filter(artifact__session=session)
    versions = versions.select_related("artifact", "transcript").defer("manifest", "consolidations")
    newest: dict[str, ArtifactVersion] = {}
    for version in versions.order_by("number"):
        last = newest.get(version.artifact.lane)
        # What is of this transcript goes before what is newer and of another one.
        if last is None or version.transcript_id == transcript.pk or last.transcript_id != transcript.pk:
            newest[version.artifact.lane] = version
    keys = [*(key for key in LANE_NAMES if key in newest), *sorted(newest.keys() - LANE_NAMES)]
    lanes = [_lane_in(newest[key], source, transcript) for key in keys]
    return Reading(
        transcript,
        source,
        tuple(lane for lane in lanes if lane.lane != SCENE_LANE),
        next((lane for lane in lanes if lane.lane == SCENE_LANE), None),
        states_of(transcript, keys),
        tuple(lane_name(key) for key in keys if newest[key].transcript_id != transcript.pk),
        sum(lane.lost for lane in lanes),
    )


def _lane_in(version: ArtifactVersion, source: Source, transcript: Transcript) -> CitingLane:
    if version.transcript_id == transcript.pk:
        return citing_lane(version, source)
    way = Way.between(version.transcript, transcript)
    return _citing_lane(version.artifact.lane, version.pk, version.payload, orjson.dumps(version.findings), source, way)


def citing_lane(version: ArtifactVersion, source: Source) -> CitingLane:
    """Return the version's records with their evidence at the places where the transcript has its units."""
    return _citing_lane(version.artifact.lane, version.pk, version.payload, orjson.dumps(version.findings), source)


@lru_cache(maxsize=KEPT_LANES)
def _citing_lane(
    lane: str, version_id: int, payload_text: str, findings: bytes, source: Source, way: Way | None = None
) -> CitingLane:
    # Kept, because a page asks for the same versions at every scroll. All that the answer hangs on is an argument.
    payload: Mapping[str, Sequence[Item]] = orjson.loads(payload_text)
    items = next(value for name, value in payload.items() if name not in ("schema", "source"))
    remarks: dict[int, list[str]] = {}
    for finding in orjson.loads(findings):
        number = record_of(finding)
        if number is not None:
            remarks.setdefault(number, []).append(sentence_for(finding))
    found = [
        (number, one)
        for number, item in enumerate(items)
        for one in (_evidence(item, source) if way is None else way.evidence(item, source.places))
    ]
    citations = [Citation(at, one.at, one.evidence, one.changed) for at, one in found if one.evidence is not None]
    kept = {number: tuple(dict.fromkeys(found)) for number, found in remarks.items()}
    return CitingLane(lane, version_id, items, tuple(citations), kept, len(found) - len(citations))


def citing_of(version: ArtifactVersion, unit_id: int) -> tuple[Group, ...] | None:
    """Return the version's records that cite the unit, in no group or one; None where there is no such unit."""
    source = Source.of(version.transcript)
    position = source.places.get(unit_id)
    return None if position is None else citing([citing_lane(version, source)], position)


def citing(lanes: Sequence[CitingLane], position: int) -> tuple[Group, ...]:
    """Return each lane's records that cite the unit, MOST_CITING of a lane at most; lanes without one are left out."""
    groups = []
    for lane in lanes:
        records: dict[int, Citation] = {}
        for citation in lane.citations:
            if citation.evidence.start <= position <= citation.evidence.end:
                records.setdefault(citation.record, citation)
        if records:
            found = tuple(_citing(lane, one) for one in list(records.values())[:MOST_CITING])
            groups.append(Group(lane.name, lane.version_id, found, len(records) - len(found)))
    return tuple(groups)


def _citing(lane: CitingLane, one: Citation) -> Citing:
    remarks = lane.remarks.get(one.record, ())
    return Citing(one.record, one.at, one.evidence.label, lane.shown(one.record), remarks, one.changed)


def _evidence(item: Item, source: Source) -> Iterator[Landed]:
    refs = item.get("source_refs")
    # A scene cites nothing: its own two ends are its stretch.
    cited: Sequence[Item] = refs if isinstance(refs, list) else [{**item, "source_id": source.source_id}]
    at = count()
    for ref in cited:
        start_id, end_id = ref["start_unit_id"], ref["end_unit_id"]
        if ref["source_id"] != source.source_id or not isinstance(start_id, int) or not isinstance(end_id, int):
            continue
        start, end = source.places.get(start_id), source.places.get(end_id)
        if start is not None and end is not None:
            yield Landed(next(at), Evidence(start, end, start_id, end_id))


def _chip(lane: CitingLane, records: Mapping[int, int]) -> Chip:
    record, at = next(iter(records.items()))
    warned = any(number in lane.remarks for number in records)
    return Chip(lane.name, lane.version_id, record, at, lane.shown(record).heading, len(records) - 1, warned)


def _covered(listed: Sequence[int], evidence: Evidence) -> range:
    """Return which of the listed positions, by their number in the list, the evidence covers."""
    return range(bisect_left(listed, evidence.start), bisect_left(listed, evidence.end + 1))
