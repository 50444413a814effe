"""A transcript as the pipeline sees it: ordered units with names of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from extraction.canonical import JsonValue, digest


@dataclass(frozen=True, slots=True)
class SourceUnit:
    """One utterance. `unit_id` is a name, not a position: ids may fall, jump and leave gaps."""

    unit_id: int
    speaker: str | None
    text: str
    start_ms: int | None = None
    end_ms: int | None = None

    def as_json(self) -> dict[str, JsonValue]:
        return {
            "unit_id": self.unit_id,
            "speaker": self.speaker,
            "text": self.text,
            "start_ms": self.start_ms,
            "end_ms": self.end_ms,
        }


def units_digest(units: Sequence[SourceUnit]) -> str:
    """Return the SHA-256 of the canonical JSON of all units in order, nulls present (contracts, Words)."""
    return digest([unit.as_json() for unit in units])


@dataclass(frozen=True)
class SourceDocument:
    """`source_id` is `<campaign slug>.s<session number>.t<transcript revision>`."""

    source_id: str
    units: tuple[SourceUnit, ...]
    title: str | None = None

    @cached_property
    def digest(self) -> str:
        return units_digest(self.units)

    @property
    def scope(self) -> str:
        """Return `<campaign>.s<n>`: the source without its transcript revision."""
        return self.source_id.rpartition(".t")[0]
