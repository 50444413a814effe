"""Which units of one revision of a transcript hold the words of chosen units of another one.

Wider than `carrying`, which says where evidence may be read: here no holder may be missed. So a unit that was reworded
is followed too, by its id where the stretch around it kept its ids, else by the words that it still shares.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set

from extraction.source.carrying import Place, aligned
from extraction.source.documents import SourceUnit

REACH = 200
"""How far around its place a reworded unit is looked for: the work grows with the length of the revisions alone."""


def followed(
    before: Sequence[SourceUnit], chosen: Mapping[int, Set[str]], after: Sequence[SourceUnit]
) -> dict[int, set[str]]:
    """Return the positions in `after` that hold words of the units at the `chosen` positions of `before`, and which.

    `chosen` says which words of each unit are looked for: a line that joins two people's may hold more than those.
    """
    if not chosen:
        return {}
    texts, new = [unit.text for unit in before], [unit.text for unit in after]
    there, back = aligned(texts, new), aligned(new, texts)
    links = {(one, at) for one in chosen for at in _positions(there[one])}
    links |= {(one, at) for at, place in enumerate(back) for one in _positions(place) if one in chosen}
    found: dict[int, set[str]] = {}
    for one, at in links:
        if shared := chosen[one] & words_of(after[at]):
            found.setdefault(at, set()).update(shared)
    for old, changed in _changed(there, back):
        for at in _reworded(before, [one for one in old if one in chosen], after, changed, old):
            found[at] = words_of(after[at])
    return found


def words_of(unit: SourceUnit) -> set[str]:
    """Return the unit's words, in whatever case."""
    return set(unit.text.casefold().split())


def _positions(place: Place | None) -> range:
    return range(0) if place is None else range(place[0], place[1] + 1)


def _changed(there: Sequence[Place | None], back: Sequence[Place | None]) -> Iterator[tuple[range, list[int]]]:
    """Yield each stretch of units that are nowhere whole, with the units of where it stood that are new."""
    start, length = 0, len(there)
    while start < length:
        if there[start] is not None:
            start += 1
            continue
        stop = next((at for at in range(start, length) if there[at] is not None), length)
        ahead, behind = (there[start - 1] if start else None), (there[stop] if stop < length else None)
        first = 0 if ahead is None else ahead[1]
        last = len(back) - 1 if behind is None else behind[0]
        yield range(start, stop), [at for at in range(first, last + 1) if back[at] is None]
        start = stop


def _reworded(
    before: Sequence[SourceUnit], wanted: Sequence[int], after: Sequence[SourceUnit], changed: Sequence[int], old: range
) -> set[int]:
    """Return which of the changed units say anew what the wanted ones of the stretch `old` said."""
    if [before[at].unit_id for at in old] == [after[at].unit_id for at in changed]:
        return {changed[at - old.start] for at in wanted}
    words = [words_of(after[at]) for at in changed]
    found = set()
    for at in wanted:
        mine, middle = words_of(before[at]), (at - old.start) * len(changed) // len(old)
        near = range(max(0, middle - REACH), min(len(changed), middle + REACH))
        found |= {changed[one] for one in near if 2 * len(mine & words[one]) >= min(len(mine), len(words[one])) > 0}
    return found
