"""One transcript as the players' edition is worked out with it: where its units stand, what they say, what is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from campaigns.library.stretches import Stretch

Ref = Mapping[str, Any]


class Page:
    """`units` gives unit ids and texts in transcript order when they are needed; `withheld` is kept from players."""

    def __init__(self, units: Callable[[], Sequence[tuple[int, str]]], withheld: Sequence[Stretch] = ()) -> None:
        self._read = units
        self.withheld = withheld

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

    def said(self, refs: Sequence[Ref]) -> str:
        """Return what the references cite, a unit a line."""
        spans = [span for ref in refs if (span := self.span(ref)) is not None]
        return "\n".join(self._units[at][1] for span in spans for at in span)

    def order(self, ref: Ref) -> tuple[int, int]:
        """Return what places stand in order by; what does not resolve stands last."""
        span = self.span(ref)
        return (span.start, span.stop) if span is not None else (len(self._units), 0)
