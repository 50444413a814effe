"""What the three registries share on disk: a record with an id, a name and evidence."""

from __future__ import annotations

from dataclasses import dataclass

from extraction.framework import JsonValue, SourceRef


@dataclass(frozen=True, slots=True)
class Entity:
    """One identity of one session, proven by its references."""

    id: str
    name: str
    source_refs: tuple[SourceRef, ...]

    def as_json(self) -> dict[str, JsonValue]:
        return {"id": self.id, "name": self.name, "source_refs": [ref.as_json() for ref in self.source_refs]}
