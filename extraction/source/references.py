"""Ranges of a transcript: their canonical order, exact deduplication, coalescing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from extraction.canonical import JsonValue
from extraction.source.index import DocumentIndex


@dataclass(frozen=True, slots=True)
class SourceRef:
    """An inclusive range of one source; start is at or before end by position in that source."""

    source_id: str
    start_unit_id: int
    end_unit_id: int

    def as_json(self) -> dict[str, JsonValue]:
        return {
            "source_id": self.source_id,
            "start_unit_id": self.start_unit_id,
            "end_unit_id": self.end_unit_id,
        }


def span(ref: SourceRef, index: DocumentIndex) -> tuple[int, int] | None:
    """Return the positions of both endpoints as they stand, or None where the reference does not resolve."""
    if ref.source_id != index.source_id:
        return None
    start, end = index.find(ref.start_unit_id), index.find(ref.end_unit_id)
    return None if start is None or end is None else (start, end)


def order_endpoints(ref: SourceRef, index: DocumentIndex) -> SourceRef:
    """Return the reference with its endpoints in document order.

    Swaps only where both endpoints resolve in this document and stand reversed by position; anything else comes
    back unchanged, for the strict validators to reject.
    """
    positions = span(ref, index)
    if positions is None or positions[0] <= positions[1]:
        return ref
    return replace(ref, start_unit_id=ref.end_unit_id, end_unit_id=ref.start_unit_id)


def canonical(refs: Iterable[SourceRef], index: DocumentIndex) -> tuple[SourceRef, ...]:
    """Return the references without exact repeats, ordered by (start position, end position); never coalesced.

    References that do not resolve follow the others in the order they came.
    """
    unique = tuple(dict.fromkeys(refs))
    resolved = [(at, ref) for ref in unique if (at := span(ref, index)) is not None]
    rest = tuple(ref for ref in unique if span(ref, index) is None)
    return (*(ref for _, ref in sorted(resolved, key=lambda pair: pair[0])), *rest)


def coalesce(spans: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Return position ranges in order, with overlapping and adjacent ones joined."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return tuple(joined)


def earliest(refs: Sequence[SourceRef], index: DocumentIndex) -> tuple[int, int]:
    """Return the first range's positions; one past the document's end where no reference resolves."""
    found = [at for ref in refs if (at := span(ref, index)) is not None]
    return min(found, default=(len(index), len(index)))
