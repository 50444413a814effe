"""Several recordings of one evening, one a speaker, told as one conversation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import merge
from typing import TypeVar

Spoken = TypeVar("Spoken")


def in_time_order(
    tracks: Sequence[Sequence[Spoken]], start_of: Callable[[Spoken], int | None]
) -> list[tuple[int, Spoken]]:
    """Return (index of the track, item) for every item, tracks merged by start time.

    Inside a track the order stays as it is: an item without a time, or with one that runs back, stays behind the one
    before it. Items that start together stand in the order of the tracks.
    """
    keyed = [_keyed(index, track, start_of) for index, track in enumerate(tracks)]
    return [(index, track_item) for _, index, _, track_item in merge(*keyed, key=lambda entry: entry[:3])]


def _keyed(
    index: int, track: Sequence[Spoken], start_of: Callable[[Spoken], int | None]
) -> list[tuple[int, int, int, Spoken]]:
    known = (start for item in track if (start := start_of(item)) is not None)
    latest = next(known, 0)
    keyed: list[tuple[int, int, int, Spoken]] = []
    for position, item in enumerate(track):
        start = start_of(item)
        latest = latest if start is None else max(latest, start)
        keyed.append((latest, index, position, item))
    return keyed
