"""The durable list of spells cast, `notarius.dnd.spells.v1`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from extraction.dnd.artifacts.common import Evidence, SourceModel, Strict
from extraction.framework import JsonValue, SourceRef

Words = Annotated[str, Field(min_length=1)]


@dataclass(frozen=True, slots=True)
class SpellCast:
    """One casting. `level` is the slot's level where it was said, 0 for a cantrip that was called one."""

    caster: str
    spell: str
    level: int | None
    targets: tuple[str, ...]
    outcome: str | None
    source_refs: tuple[SourceRef, ...]

    def as_json(self) -> dict[str, JsonValue]:
        return {
            "caster": self.caster,
            "spell": self.spell,
            "level": self.level,
            "targets": list(self.targets),
            "outcome": self.outcome,
            "source_refs": [ref.as_json() for ref in self.source_refs],
        }


class SpellCastModel(Strict):
    caster: Words
    spell: Words
    level: Annotated[int, Field(ge=0, le=9)] | None
    targets: list[Words]
    outcome: Words | None
    source_refs: Evidence


class SpellsArtifact(Strict):
    schema_: Annotated[Literal["notarius.dnd.spells.v1"], Field(alias="schema")]
    source: SourceModel
    spells: list[SpellCastModel]
