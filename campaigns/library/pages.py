"""One transcript as the players' edition is worked out with it: where its units stand, what they say, what is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from campaigns.library.kept import KeptRecord
from campaigns.library.mentions import Folded
from campaigns.library.stretches import Stretch

Ref = Mapping[str, Any]


class Page:
    """`units` gives unit ids and texts in transcript order when they are needed; `withheld` is kept from players.

    `standing` says where the lines stand here of what was kept in another revision.
    """

    def __init__(
        self,
        units: Callable[[], Sequence[tuple[int, str]]],
        withheld: Sequence[Stretch] = (),
        standing: Mapping[KeptRecord, frozenset[Stretch]] | None = None,
    ) -> None:
        self._read = units
        self.withheld = withheld
        self._standing = standing or {}
        # The last that was asked for: one record's lines are looked through for one secret after the other.
        self._said: tuple[list[range], Folded] | None = None

    @cached_property
    def _units(self) -> Sequence[tuple[int, str]]:
        return self._read()

    @cached_property
    def _places(self) -> Mapping[int, int]:
        return {unit_id: position for position, (unit_id, _) in enumerate(self._units)}

    def span(self, ref: Ref) -> range | None:
        """Return the positions that the reference, or a scene, covers; None where it does not resolve."""
        start, end = self._places.get(ref["start_unit_id"]), self._places.get(ref["end_unit_id"])
        return None if start is None or end is None else range(start, end + 1)

    def keeps(self, ref: Ref) -> bool:
        """Say whether players may see all that it covers; nobody knows of what does not resolve."""
        if not self.withheld:
            return True
        span = self.span(ref)
        return span is not None and not any(stretch.meets(span) for stretch in self.withheld)

    def hides(self, ref: Ref) -> bool:
        """Say whether all that it covers is kept from players."""
        span = self.span(ref) if self.withheld else None
        return span is not None and any(one.start <= span.start and span.stop <= one.stop for one in self.withheld)

    def stretches(self, record: Mapping[str, Any]) -> frozenset[Stretch]:
        """Return what the record cites; what does not resolve is nowhere."""
        spans = (self.span(ref) for ref in record["source_refs"])
        return frozenset(Stretch(span.start, span.stop) for span in spans if span is not None)

    def standing(self, kept: KeptRecord) -> frozenset[Stretch]:
        """Return where the lines of a kept record stand."""
        if kept in self._standing:
            return self._standing[kept]
        return self.stretches({"source_refs": [{"start_unit_id": a, "end_unit_id": b} for a, b in kept.refs]})

    def said(self, refs: Sequence[Ref]) -> Folded:
        """Return what the references cite."""
        spans = [span for ref in refs if (span := self.span(ref)) is not None]
        if self._said is None or self._said[0] != spans:
            self._said = (spans, Folded.of("\n".join(self._units[at][1] for span in spans for at in span)))
        return self._said[1]

    def order(self, ref: Ref) -> tuple[int, int]:
        """Return what places stand in order by; what does not resolve stands last."""
        span = self.span(ref)
        return (span.start, span.stop) if span is not None else (len(self._units), 0)
