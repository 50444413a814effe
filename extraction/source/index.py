"""The only judge of order in a document."""

from __future__ import annotations

from functools import cached_property

from extraction.source.documents import SourceDocument, SourceUnit


class DocumentIndex:
    """Maps unit ids to positions (from 0) of one document. Nothing else may compare unit ids.

    Raises ValueError for a document whose unit ids are not unique and positive.
    """

    def __init__(self, document: SourceDocument) -> None:
        self.document = document
        self._positions = {unit.unit_id: at for at, unit in enumerate(document.units)}
        if len(self._positions) != len(document.units) or any(unit_id < 1 for unit_id in self._positions):
            raise ValueError("unit ids must be unique positive integers")

    @property
    def source_id(self) -> str:
        return self.document.source_id

    def __len__(self) -> int:
        return len(self.document.units)

    def __contains__(self, unit_id: int) -> bool:
        return unit_id in self._positions

    def position(self, unit_id: int) -> int:
        """Return the unit's position from 0; KeyError for an id the document does not have."""
        return self._positions[unit_id]

    def find(self, unit_id: int) -> int | None:
        """Return the unit's position from 0, or None."""
        return self._positions.get(unit_id)

    def unit_at(self, position: int) -> SourceUnit:
        return self.document.units[position]

    def clamp(self, position: int) -> int:
        """Return the nearest position that exists."""
        return max(0, min(position, len(self) - 1))

    def between(self, first: int, last: int) -> tuple[SourceUnit, ...]:
        """Return the units from position `first` to position `last`, both included."""
        return self.document.units[first : last + 1]

    @cached_property
    def unit_ids(self) -> tuple[int, ...]:
        """All unit ids in document order."""
        return tuple(unit.unit_id for unit in self.document.units)
