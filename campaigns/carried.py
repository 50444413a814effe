"""What became of the evidence of versions that were made from an earlier transcript: carried, moved or lost.

Nothing is rewritten: a version goes on citing its own revision, whose words are kept. This tells where the cited words
stand in the newest revision, and of which they do not, so that nothing cited disappears unseen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import orjson

from campaigns.models import ArtifactVersion, GameSession, Transcript, Unit
from campaigns.presentation import Item, shown
from campaigns.review import Evidence
from campaigns.wording import LANE_NAMES, lane_name
from extraction.registry import LANES
from extraction.source.carrying import Carrying, Fate, Landing, Named, Part

KEPT_WAYS = 8
MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Piece:
    """A cited range, or what is lost of it or stands: `start_id` to `end_id` of its own revision, and where that landed
    in the newest one.

    `label` names those units, and `now` the units that hold the words now, or of lost words, those where they stood.
    """

    start_id: int
    end_id: int
    landing: Landing
    label: str
    now: str

    @property
    def fate(self) -> Fate:
        return self.landing.fate

    @property
    def became(self) -> str:
        """Return what stands between `label` and `now`."""
        if self.fate is not Fate.LOST:
            return "now part of " if self.landing.shared else "moved to "
        return "lost, from about " if self.now else "lost"


@dataclass(frozen=True, slots=True)
class CarriedRecord:
    """A record of the version, by its place in it, with all that it cites of its own revision."""

    number: int
    heading: str
    pieces: tuple[Piece, ...]

    @property
    def changed(self) -> tuple[Piece, ...]:
        return tuple(piece for piece in self.pieces if piece.fate is not Fate.CARRIED)

    @property
    def lost(self) -> int:
        return sum(piece.fate is Fate.LOST for piece in self.pieces)

    @property
    def unproven(self) -> bool:
        """Say whether not one of its citations stands any more."""
        return self.lost == len(self.pieces)


@dataclass(frozen=True, slots=True)
class CarriedOver:
    """A version beside the newest revision of its transcript."""

    version: ArtifactVersion
    newest: Transcript
    records: tuple[CarriedRecord, ...]

    @property
    def name(self) -> str:
        return lane_name(self.version.artifact.lane)

    @property
    def carried(self) -> int:
        return self._count(Fate.CARRIED)

    @property
    def moved(self) -> int:
        return self._count(Fate.MOVED)

    @property
    def lost(self) -> int:
        return self._count(Fate.LOST)

    @property
    def changed(self) -> tuple[CarriedRecord, ...]:
        """Return the records of which something moved or was lost, those that lost most first."""
        found = (record for record in self.records if record.changed)
        return tuple(sorted(found, key=lambda record: (not record.unproven, -record.lost, record.number)))

    def sentence(self) -> str:
        """Return the counts in one sentence, with the records that lost evidence by name, the first few of many."""
        losers = [record.heading for record in self.changed if record.lost]
        names = ", ".join(losers[:MOST_NAMED]) + (
            f" and {len(losers) - MOST_NAMED} more" if len(losers) > MOST_NAMED else ""
        )
        lost = f"{self.lost} lost, of {names}" if losers else "none lost"
        return f"Its evidence: {self.carried} unchanged, {self.moved} moved, {lost}."

    def _count(self, fate: Fate) -> int:
        return sum(piece.fate is fate for record in self.records for piece in record.pieces)


@dataclass(frozen=True, slots=True)
class Landed:
    """A part of reference number `at`: where its words stand, None where they are not there any more.

    `changed` names those units of the reference, by their own revision, of which the words are not there.
    """

    at: int
    evidence: Evidence | None
    changed: str = ""


@dataclass(frozen=True, slots=True)
class Way:
    """From a revision, known by its source id, into another one of the same session."""

    source_id: str
    carrying: Carrying

    @classmethod
    def between(cls, before: Transcript, after: Transcript) -> Way:
        """Return the way, which is kept for the last few pairs."""
        return cls(before.source_id, _way(_Text.of(before), _Text.of(after)))

    def pieces(self, item: Item) -> Iterator[Piece]:
        """Yield what became of all that the record cites of the revision. A scene cites nothing."""
        refs = item.get("source_refs")
        for ref in refs if isinstance(refs, list) else ():
            if ref["source_id"] == self.source_id:
                for part in self.parts(ref["start_unit_id"], ref["end_unit_id"]):
                    yield self._piece(part)

    def _piece(self, part: Part) -> Piece:
        first, last = part.landing.start_unit_id, part.landing.end_unit_id
        now = "" if first is None or last is None else _label(self.carrying.units_now(first, last))
        return Piece(part.start_unit_id, part.end_unit_id, part.landing, self._then(part), now)

    def parts(self, start_id: int, end_id: int) -> Sequence[Part]:
        """Return the range cut where units whose words were changed begin and end."""
        whole = self.carrying.land(start_id, end_id)
        if whole.fate is not Fate.LOST:
            return (Part(start_id, end_id, whole),)
        return tuple(self.carrying.parts(start_id, end_id))

    def standing(self, start_id: int, end_id: int) -> list[tuple[int, int]]:
        """Return the units that hold the words of the range now, part by part: none where all were changed."""
        landings = (part.landing for part in self.parts(start_id, end_id) if part.landing.fate is not Fate.LOST)
        return [
            (one.start_unit_id, one.end_unit_id)
            for one in landings
            if one.start_unit_id is not None and one.end_unit_id is not None
        ]

    def evidence(self, item: Item, places: Mapping[int, int]) -> Iterator[Landed]:
        """Yield what became of the parts of all that the record cites.

        Of a scene it is the unit that its first one has become: where it ends nobody has told anew.
        """
        refs = item.get("source_refs")
        scene = [{"source_id": self.source_id, "start_unit_id": item.get("start_unit_id")}]
        cited: Sequence[Item] = refs if isinstance(refs, list) else scene
        at = -1
        for ref in cited:
            start_id, end_id = ref["start_unit_id"], ref.get("end_unit_id", ref["start_unit_id"])
            if ref["source_id"] != self.source_id or not isinstance(start_id, int) or not isinstance(end_id, int):
                continue
            at += 1
            lost = [part for part in self.parts(start_id, end_id) if part.landing.fate is Fate.LOST]
            changed = " and ".join(self._then(part) for part in lost)
            for first, last in self.standing(start_id, end_id):
                yield Landed(at, Evidence(places[first], places[last], first, last), changed)
            for _ in lost:
                yield Landed(at, None, changed)

    def _then(self, part: Part) -> str:
        return _label(self.carrying.units_then(part.start_unit_id, part.end_unit_id))


def carried_over(version: ArtifactVersion, newest: Transcript) -> CarriedOver:
    """Return what became of the version's evidence in the newest revision of its session's transcript."""
    way = Way.between(version.transcript, newest)
    family = version.artifact.lane.rpartition("/")[2]
    payload = orjson.loads(version.payload)
    records = (
        CarriedRecord(number, shown(family, item).heading, tuple(way.pieces(item)))
        for number, item in enumerate(payload[LANES[version.artifact.lane].records_key])
    )
    return CarriedOver(version, newest, tuple(record for record in records if record.pieces))


def told(version: ArtifactVersion) -> tuple[str, ...]:
    """Return the sentence on the version's evidence; none where it is of the newest transcript or cites nothing."""
    newest = version.artifact.session.transcripts.order_by("-revision").first()
    if newest is None or newest.pk == version.transcript_id:
        return ()
    found = carried_over(version, newest)
    return (found.sentence(),) if found.records else ()


def of_session(session: GameSession) -> tuple[CarriedOver, ...]:
    """Return all usable versions of the session that are of an earlier transcript and cite it, in reading order."""
    newest = session.transcripts.order_by("-revision").first()
    if newest is None:
        return ()
    usable = ArtifactVersion.objects.usable().filter(artifact__session=session).exclude(transcript=newest)
    found = (carried_over(version, newest) for version in usable.select_related("artifact", "transcript"))
    return tuple(sorted((each for each in found if each.records), key=_rank))


def _rank(one: CarriedOver) -> tuple[int, str, int]:
    lane = one.version.artifact.lane
    return ([*LANE_NAMES].index(lane) if lane in LANE_NAMES else len(LANE_NAMES), lane, -one.version.number)


@dataclass(frozen=True, slots=True)
class _Text:
    """A revision, known by its digest: what has the same digest has the same words under the same ids."""

    digest: str
    transcript: Transcript = field(compare=False, repr=False)

    @classmethod
    def of(cls, transcript: Transcript) -> _Text:
        return cls(transcript.digest, transcript)

    def units(self) -> Sequence[Named]:
        """Return the units in order; those whose words were withdrawn say nothing any more, so they stand nowhere."""
        rows = self.transcript.units.order_by("position").values_list("unit_id", "text")
        return [(unit_id, "" if text == Unit.WITHDRAWN else text) for unit_id, text in rows]


@lru_cache(maxsize=KEPT_WAYS)
def _way(before: _Text, after: _Text) -> Carrying:
    return Carrying(before.units(), [named for named in after.units() if named[1]])


def _label(ids: Sequence[int]) -> str:
    """Name the units: by the ends of each row in which one number follows the other, of very many rows by both ends."""
    rows: list[list[int]] = []
    for unit_id in ids:
        if rows and unit_id == rows[-1][1] + 1:
            rows[-1][1] = unit_id
        else:
            rows.append([unit_id, unit_id])
    if len(rows) > MOST_NAMED:
        rows = [[ids[0], ids[-1]]]
    *others, last = (str(start) if start == end else f"{start} to {end}" for start, end in rows)
    named = f"{', '.join(others)} and {last}" if others else last
    return f"unit {named}" if len(ids) == 1 else f"units {named}"
