"""Stretches of a transcript around cited ranges, each unit marked as cited or context."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from extraction.source.documents import SourceUnit
from extraction.source.index import DocumentIndex
from extraction.source.references import SourceRef, coalesce, span

CONTEXT_RADIUS = 2


@dataclass(frozen=True, slots=True)
class WindowUnit:
    unit: SourceUnit
    cited: bool


@dataclass(frozen=True, slots=True)
class Window:
    """Units in document order without a gap. Context informs a judgement and never becomes evidence."""

    units: tuple[WindowUnit, ...]


def windows(refs: Iterable[SourceRef], index: DocumentIndex, radius: int = CONTEXT_RADIUS) -> tuple[Window, ...]:
    """Return the cited ranges widened by `radius` units on each side by position.

    Clamped at the document's ends; overlapping and adjacent windows are joined, so that no unit stands twice.
    Raises ValueError for a reference that does not resolve or stands reversed: callers offer only valid ones.
    """
    spans = []
    for ref in refs:
        positions = span(ref, index)
        if positions is None or positions[0] > positions[1]:
            raise ValueError("a window needs a valid reference")
        spans.append(positions)
    cited = {at for start, end in spans for at in range(start, end + 1)}
    widened = coalesce((index.clamp(start - radius), index.clamp(end + radius)) for start, end in spans)
    return tuple(
        Window(tuple(WindowUnit(index.unit_at(at), at in cited) for at in range(start, end + 1)))
        for start, end in widened
    )
