"""The durable list of what happened to hostile creatures, `notarius.dnd.enemy-events.v1`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from extraction.dnd.artifacts.common import Evidence, SourceModel, Strict
from extraction.framework import JsonValue, SourceRef

EventKind = Literal["appears", "damaged", "healed", "condition", "flees", "surrenders", "defeated", "other"]
Words = Annotated[str, Field(min_length=1)]


@dataclass(frozen=True, slots=True)
class EnemyEvent:
    enemy: str
    kind: str
    detail: str
    actor: str | None
    source_refs: tuple[SourceRef, ...]

    def as_json(self) -> dict[str, JsonValue]:
        return {
            "enemy": self.enemy,
            "kind": self.kind,
            "detail": self.detail,
            "actor": self.actor,
            "source_refs": [ref.as_json() for ref in self.source_refs],
        }


class EnemyEventModel(Strict):
    enemy: Words
    kind: EventKind
    detail: Words
    actor: Words | None
    source_refs: Evidence


class EnemyEventsArtifact(Strict):
    schema_: Annotated[Literal["notarius.dnd.enemy-events.v1"], Field(alias="schema")]
    source: SourceModel
    events: list[EnemyEventModel]
