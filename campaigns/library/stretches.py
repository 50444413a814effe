"""Runs of positions in a transcript."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stretch:
    """Positions from `start` up to, but not including, `stop`."""

    start: int
    stop: int

    def meets(self, span: range | Stretch) -> bool:
        """Say whether any position of the span is one of these."""
        return span.start < self.stop and self.start < span.stop


def positions_in(stretches: Iterable[Stretch]) -> set[int]:
    """Return all positions of the stretches."""
    return {at for one in stretches for at in range(one.start, one.stop)}


def left_out_before(position: int, stretches: Sequence[Stretch]) -> int:
    """Return how many positions of the stretches, which are in order and apart, stand before this one."""
    return sum(min(one.stop, position) - one.start for one in stretches if one.start < position)


def whole_position(seen: int, stretches: Sequence[Stretch]) -> int:
    """Return the position in the whole of what stands at `seen` where the stretches, in order, are left out."""
    for one in stretches:
        if one.start > seen:
            break
        seen += one.stop - one.start
    return seen


def united(stretches: Iterable[Stretch]) -> list[Stretch]:
    """Return the stretches in order, those that touch as one."""
    found: list[Stretch] = []
    for stretch in sorted(stretches, key=lambda one: one.start):
        if found and stretch.start <= found[-1].stop:
            found[-1] = Stretch(found[-1].start, max(found[-1].stop, stretch.stop))
        else:
            found.append(stretch)
    return found
