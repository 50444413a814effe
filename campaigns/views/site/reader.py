"""The transcript to read: one part of it at a time, with the scenes as headings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.http import QueryDict

from campaigns.errors import NotFound
from campaigns.library.places import positions_of
from campaigns.library.transcripts import Line, Reading, reading
from campaigns.views.site.visit import ID_DIGITS, Visit, whole_number

PART = 150
# `?all=1` is meant for printing; a transcript longer than this is read in parts all the same.
MOST_AT_ONCE = 20_000


@dataclass(frozen=True, slots=True)
class Row:
    """A unit, with the title of the scene that begins with it.

    For those who keep it: `kept` is the secret that the unit is part of, `begins` the last unit of a passage that
    begins here. To players a passage that is kept is not there, and neither is a gap that would tell of it.
    """

    line: Line
    scene: str
    kept: int | None = None
    begins: int | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage that is kept from players, by the positions of its ends."""

    start: int
    end: int
    last_unit: int
    secret: int


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of the transcript. `earlier` and `later` are positions to go on from, None where there is no more.

    `sought` is the unit asked for, `missing` says that there is none that this reader may see.
    """

    rows: tuple[Row, ...]
    total: int
    earlier: int | None
    later: int | None
    sought: int | None
    missing: bool

    @property
    def whole(self) -> bool:
        return self.earlier is None and self.later is None


def part_at(visit: Visit, number: int, query: QueryDict, scenes: Mapping[int, str]) -> Part:
    """Return the part that the query asks for, the first one where it asks for nothing that there is.

    `scenes` are titles by the unit that the scene begins with. Raises NotFound for a session without a transcript,
    and for those who may not read it.
    """
    sought = whole_number(query.get("unit", ""), ID_DIGITS)
    position = None if sought is None else _position(visit, number, sought)
    size = MOST_AT_ONCE if query.get("all") == "1" else PART
    at = position if position is not None else whole_number(query.get("from", "")) or 0
    start = at // size * size
    found = _from(visit, number, start, size)
    if start and not found.lines:
        start, found = 0, _from(visit, number, 0, size)
    lines = [line for line in found.lines if line.position < start + size]
    beyond = found.lines[len(lines) :]
    kept = _passages(visit, number, found)
    return Part(
        rows=tuple(_row(line, scenes.get(line.unit_id, ""), kept) for line in lines),
        total=found.unit_count,
        earlier=max(0, start - size) if start else None,
        later=beyond[0].position // size * size if beyond else None,
        sought=sought if position is not None else None,
        missing=sought is not None and position is None,
    )


def _row(line: Line, scene: str, kept: Sequence[Passage]) -> Row:
    passage = next((one for one in kept if one.start <= line.position <= one.end), None)
    if passage is None:
        return Row(line, scene)
    return Row(line, scene, passage.secret, passage.last_unit if passage.start == line.position else None)


def _passages(visit: Visit, number: int, found: Reading) -> list[Passage]:
    kept = visit.marks.ranges(number) if visit.keeps_secrets else []
    if not kept:
        return []
    places = positions_of({found.transcript_id: {unit for start, end, _ in kept for unit in (start, end)}})
    return [
        Passage(places[found.transcript_id, start], places[found.transcript_id, end], end, secret)
        for start, end, secret in kept
        if (found.transcript_id, start) in places and (found.transcript_id, end) in places
    ]


def _from(visit: Visit, number: int, start: int, size: int) -> Reading:
    """Return the stretch and the unit after it."""
    return reading(visit.sight, number, after_position=start - 1, limit=size + 1)


def _position(visit: Visit, number: int, unit_id: int) -> int | None:
    try:
        found = reading(visit.sight, number, start_unit=unit_id, end_unit=unit_id)
    except NotFound:
        return None
    return found.lines[0].position if found.lines else None
