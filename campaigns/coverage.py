"""How much of a session the lanes have used: the state of each unit, and the strip that shows the whole at a glance.

What a lane has read is known for the lane, not for each of its chunks: a lane that gave an artifact read the whole
transcript, one that failed counts as failed wherever it cites nothing, and one that was blocked, cancelled or never
run sent nothing anywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import reduce
from itertools import pairwise
from operator import or_

BUCKETS = 240
# How high a bucket stands: one for what was only read, and from two on by the share of its units that are cited.
HEIGHTS = 5
LEAST_CITED = 2
STRETCHES = 20


class State(StrEnum):
    """What a lane, or all of them together, made of a unit."""

    CITED = "cited"
    FAILED = "failed"
    READ = "read"
    UNSENT = "unsent"


@dataclass(frozen=True, slots=True)
class Bar:
    """A run of equal buckets: from bucket `x`, `width` of them, `height` of HEIGHTS high."""

    x: int
    width: int
    height: int
    state: State

    @property
    def y(self) -> int:
        return HEIGHTS - self.height


@dataclass(frozen=True, slots=True)
class Strip:
    """One lane's use of the session, or all lanes' together. `rest` is what the units are that are not cited."""

    name: str
    total: int
    cited: int
    rest: State
    bars: tuple[Bar, ...]
    buckets: int

    @property
    def uncited(self) -> int:
        return self.total - self.cited

    @property
    def heights(self) -> int:
        return HEIGHTS

    @property
    def rest_words(self) -> str:
        return MEANINGS[self.rest]


@dataclass(frozen=True, slots=True)
class Sign:
    """One line of the legend: what a bar and a unit of this look mean."""

    state: str
    name: str
    meaning: str
    height: int = 0

    @property
    def y(self) -> int:
        return HEIGHTS - self.height


LEGEND = (
    Sign("cited", "Cited", "A record cites it. The higher a bar, the more of its units are cited.", HEIGHTS),
    Sign("warned", "Cited, with a warning", "One of the records that cite it has a warning, marked ⚠."),
    Sign("read", "Read, nothing found", "It was read, and no record cites it.", 1),
    Sign("failed", "Failed", "The lane failed: nobody knows what it would have found here.", HEIGHTS),
    Sign("unsent", "Never sent", "The lane has not read it: it never ran, or could not begin.", 1),
)
MEANINGS: Mapping[State, str] = {
    State.READ: "read and cited by nothing",
    State.FAILED: "lost to a lane that failed",
    State.UNSENT: "never sent",
}


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of the session in numbers: positions `start` to `end`, and how many of its units are cited."""

    start: int
    end: int
    cited: int

    @property
    def uncited(self) -> int:
        return self.end - self.start + 1 - self.cited


def flags(ranges: Iterable[tuple[int, int]], total: int) -> bytes:
    """Return a byte for each position: 1 where one of the ranges, whose ends belong to them, covers it."""
    found = bytearray(total)
    for start, end in ranges:
        if 0 <= start <= end < total:
            found[start : end + 1] = b"\x01" * (end + 1 - start)
    return bytes(found)


def union(parts: Sequence[bytes], total: int) -> bytes:
    """Return the positions that any of the parts covers."""
    # As whole numbers, a thousand positions are united at once.
    return reduce(or_, (int.from_bytes(part) for part in parts), 0).to_bytes(total)


def together(states: Iterable[State]) -> State:
    """Return what a unit is that no lane cites: read if any lane read it, else failed if any failed."""
    found = set(states)
    return next((state for state in (State.READ, State.FAILED) if state in found), State.UNSENT)


def strip(name: str, cited: bytes, rest: State) -> Strip:
    """Return the strip: each bucket stands by its share of cited units, and where it has none, by the lane's state."""
    total = len(cited)
    buckets = min(BUCKETS, total)
    bars: list[Bar] = []
    for bucket in range(buckets):
        part = cited[bucket * total // buckets : (bucket + 1) * total // buckets]
        bar = _bar(bucket, part, rest)
        if bars and (bars[-1].height, bars[-1].state) == (bar.height, bar.state):
            bar = Bar(bars[-1].x, bars[-1].width + 1, bar.height, bar.state)
            bars.pop()
        bars.append(bar)
    return Strip(name, total, sum(cited), rest, tuple(bars), buckets)


def stretches(cited: bytes) -> tuple[Stretch, ...]:
    """Return the session in at most STRETCHES parts of nearly one length."""
    total = len(cited)
    parts = min(STRETCHES, total)
    edges = [at * total // parts for at in range(parts + 1)] if parts else [0]
    return tuple(Stretch(start, end - 1, sum(cited[start:end])) for start, end in pairwise(edges))


def _bar(bucket: int, part: bytes, rest: State) -> Bar:
    cited = sum(part)
    if cited:
        return Bar(bucket, 1, max(LEAST_CITED, round(HEIGHTS * cited / len(part))), State.CITED)
    return Bar(bucket, 1, HEIGHTS if rest is State.FAILED else 1, rest)
