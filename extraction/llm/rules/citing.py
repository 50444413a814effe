"""Which of the places that have a name a record cites: neighbours joined, the weakest left out where there are many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from extraction.canonical import JsonValue
from extraction.llm.rules.materials import Unit

LONGEST_KEY = 80
MAX_RANGES = 12
_LONGEST_RANGE = 3


def cite(strength: Mapping[int, int], units: Sequence[Unit]) -> list[JsonValue]:
    """Return at most MAX_RANGES ranges over the positions, each with how much it says, in the order of the units."""
    return [
        {"start_unit_id": units[start].unit_id, "end_unit_id": units[end].unit_id}
        for start, end in _strongest(_clusters(sorted(strength)), strength)
    ]


def _clusters(positions: Sequence[int]) -> list[tuple[int, int]]:
    """Join neighbouring positions into short ranges."""
    ranges: list[tuple[int, int]] = []
    for at in positions:
        if ranges and at == ranges[-1][1] + 1 and at - ranges[-1][0] < _LONGEST_RANGE:
            ranges[-1] = (ranges[-1][0], at)
        else:
            ranges.append((at, at))
    return ranges


def _strongest(ranges: Sequence[tuple[int, int]], strength: Mapping[int, int]) -> list[tuple[int, int]]:
    """Return at most MAX_RANGES ranges in order: the first one and the strongest of the others."""
    by_strength = sorted(
        ranges[1:], key=lambda pair: (-max(strength[at] for at in range(pair[0], pair[1] + 1)), pair[0])
    )
    return sorted([*ranges[:1], *by_strength[: MAX_RANGES - 1]])
