"""Where the words of one revision of a transcript stand in another one.

Units are matched by their text alone: whole units first, then the words between matched units, from both ends. So a
unit that was split, joined or numbered anew is found again, and only what was really reworded is not. The work grows
with the length of the two revisions, never with their product.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import accumulate, groupby
from typing import TypeAlias

NOWHERE = -1
Named: TypeAlias = "tuple[int, str]"  # a unit's id and its text
Place: TypeAlias = "tuple[int, int]"  # first and last position


class Fate(StrEnum):
    """`carried`: the same units with the same text. `moved`: the same words in other units. `lost`: words changed."""

    CARRIED = "carried"
    MOVED = "moved"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Landing:
    """What became of a cited range: the units that hold its words now, or of a lost one, units of where it stood.

    Both ids are None only where the other revision has no units. `shared` says of a moved range whether those units
    also hold words that stood beside it.
    """

    fate: Fate
    start_unit_id: int | None
    end_unit_id: int | None
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a cited range of which all units are lost, or none, and what became of it."""

    start_unit_id: int
    end_unit_id: int
    landing: Landing


class Carrying:
    """The way from each unit of `before` into `after`, both in transcript order."""

    def __init__(self, before: Sequence[Named], after: Sequence[Named]) -> None:
        self._places = {unit_id: at for at, (unit_id, _) in enumerate(before)}
        self._then = array("q", (unit_id for unit_id, _ in before))
        self._now = array("q", (unit_id for unit_id, _ in after))
        self._places_now = {unit_id: at for at, (unit_id, _) in enumerate(after)}
        texts, new = [text for _, text in before], [text for _, text in after]
        found = aligned(texts, new)
        self._first = array("q", (NOWHERE if place is None else place[0] for place in found))
        self._last = array("q", (NOWHERE if place is None else place[1] for place in found))
        # Counted from the beginning, so that a range of any length is judged at once.
        self._lost = array("q", accumulate((place is None for place in found), initial=0))
        same = (place is not None and texts[at] == new[place[0]] for at, place in enumerate(found))
        self._same = array("q", accumulate(same, initial=0))
        # For what is lost: the last place found before a unit, and from the end, the first one found behind it.
        self._near = array("q", accumulate(self._last, max, initial=0))
        behind = accumulate(reversed(self._first), lambda then, at: then if at == NOWHERE else at, initial=len(new) - 1)
        self._behind = array("q", reversed(list(behind)))

    def land(self, start_unit_id: int, end_unit_id: int) -> Landing:
        """Return what became of the range; one that did not resolve in `before` was lost already."""
        start, end = self._places.get(start_unit_id, NOWHERE), self._places.get(end_unit_id, NOWHERE)
        if start == NOWHERE or end < start:
            return self._landing(Fate.LOST, 0, 0)
        if self._lost[end + 1] > self._lost[start]:
            return self._landing(Fate.LOST, self._near[start], self._behind[end + 1])
        first, last = self._first[start], self._last[end]
        shared = self._last[start - 1] == first if start else False
        shared = shared or (end + 1 < len(self._first) and self._first[end + 1] == last)
        landing = replace(self._landing(Fate.MOVED, first, last), shared=shared)
        whole = self._same[end + 1] - self._same[start] == end + 1 - start == last + 1 - first
        stays = (landing.start_unit_id, landing.end_unit_id) == (start_unit_id, end_unit_id)
        return self._landing(Fate.CARRIED, first, last) if whole and stays else landing

    def parts(self, start_unit_id: int, end_unit_id: int) -> Iterator[Part]:
        """Yield the range cut where units that are lost begin and end; one that did not resolve is lost as a whole."""
        start, end = self._places.get(start_unit_id, NOWHERE), self._places.get(end_unit_id, NOWHERE)
        if start == NOWHERE or end < start:
            yield Part(start_unit_id, end_unit_id, self.land(start_unit_id, end_unit_id))
            return
        for _, run in groupby(range(start, end + 1), lambda at: self._first[at] == NOWHERE):
            places = list(run)
            first, last = self._then[places[0]], self._then[places[-1]]
            yield Part(first, last, self.land(first, last))

    def units_then(self, start_unit_id: int, end_unit_id: int) -> Sequence[int]:
        """Return the ids of the range's units in `before`; its two ends where it does not resolve."""
        return _between(self._then, self._places, start_unit_id, end_unit_id)

    def units_now(self, start_unit_id: int, end_unit_id: int) -> Sequence[int]:
        """Return the ids of the range's units in `after`; its two ends where it does not resolve."""
        return _between(self._now, self._places_now, start_unit_id, end_unit_id)

    def _landing(self, fate: Fate, first: int, last: int) -> Landing:
        if not self._now:
            return Landing(fate, None, None)
        return Landing(fate, self._now[first], self._now[max(first, last)])


def _between(ids: Sequence[int], places: Mapping[int, int], start_unit_id: int, end_unit_id: int) -> Sequence[int]:
    start, end = places.get(start_unit_id, NOWHERE), places.get(end_unit_id, NOWHERE)
    return (start_unit_id, end_unit_id) if start == NOWHERE or end < start else ids[start : end + 1]


def aligned(before: Sequence[str], after: Sequence[str]) -> list[Place | None]:
    """Return for each text of `before` the texts of `after` that hold all its words, or None; places never run back."""
    found: list[Place | None] = [None] * len(before)
    for old, new in _gaps(before, after, found):
        _place_words(before, after, old, new, found)
    return found


def _gaps(before: Sequence[str], after: Sequence[str], found: list[Place | None]) -> Iterator[tuple[range, range]]:
    """Place whole texts, and yield the stretches between them that are left on either side."""
    old, new = _trim(before, after, range(len(before)), range(len(after)), found)
    if [word for at in old for word in before[at].split()] == [word for at in new for word in after[at].split()]:
        # Only cut anew: units of equal text that changed their turns would lead astray.
        yield old, new
        return
    at, there = old.start, new.start
    for left, right in (*_anchors(before, after, old, new), (old.stop, new.stop)):
        yield _trim(before, after, range(at, left), range(there, right), found)
        if left < old.stop:
            found[left] = (right, right)
        at, there = left + 1, right + 1


def _trim(
    before: Sequence[str], after: Sequence[str], old: range, new: range, found: list[Place | None]
) -> tuple[range, range]:
    """Place the equal texts at both ends of the two stretches, and return what is left between them."""
    start, there, stop, end = old.start, new.start, old.stop, new.stop
    while start < stop and there < end and before[start] == after[there]:
        found[start] = (there, there)
        start, there = start + 1, there + 1
    while start < stop and there < end and before[stop - 1] == after[end - 1]:
        stop, end = stop - 1, end - 1
        found[stop] = (end, end)
    return range(start, stop), range(there, end)


def _anchors(before: Sequence[str], after: Sequence[str], old: range, new: range) -> list[tuple[int, int]]:
    """Return the longest row of pairs of texts that each stretch has once, in order on both sides."""
    counts = Counter(before[at] for at in old)
    counts_new = Counter(after[at] for at in new)
    places = {after[at]: at for at in new}
    pairs = [(at, places[before[at]]) for at in old if counts[before[at]] == counts_new[before[at]] == 1]
    tails: list[int] = []
    ends: list[int] = []
    previous: list[int] = []
    for number, (_, there) in enumerate(pairs):
        length = bisect_left(tails, there)
        previous.append(ends[length - 1] if length else NOWHERE)
        tails[length : length + 1] = [there]
        ends[length : length + 1] = [number]
    row = []
    number = ends[-1] if ends else NOWHERE
    while number != NOWHERE:
        row.append(pairs[number])
        number = previous[number]
    return row[::-1]


def _place_words(
    before: Sequence[str], after: Sequence[str], old: range, new: range, found: list[Place | None]
) -> None:
    """Place each text of the stretch whose words all stand in what the other one begins or ends with alike."""
    if not old or not new:
        return
    words, starts = _words(before, old)
    words_new, starts_new = _words(after, new)
    shorter = min(len(words), len(words_new))
    head = next((at for at in range(shorter) if words[at] != words_new[at]), shorter)
    rest = shorter - head
    tail = next((at for at in range(rest) if words[-1 - at] != words_new[-1 - at]), rest)
    for number, at in enumerate(old):
        first, end = starts[number], starts[number + 1]
        if first == end:
            continue
        if end > head:
            if first < len(words) - tail:
                continue
            first, end = first + len(words_new) - len(words), end + len(words_new) - len(words)
        found[at] = (
            new.start + bisect_right(starts_new, first) - 1,
            new.start + bisect_right(starts_new, end - 1) - 1,
        )


def _words(texts: Sequence[str], stretch: range) -> tuple[list[str], list[int]]:
    """Return the words of the stretch, and where among them each text begins, with their number at the end."""
    split = [texts[at].split() for at in stretch]
    return [word for each in split for word in each], list(accumulate(map(len, split), initial=0))
