"""The durable list of combat turns, `notarius.dnd.combat-turns.v1`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from extraction.dnd.artifacts.common import Evidence, SourceModel, Strict
from extraction.framework import JsonValue, SourceRef

TurnKind = Literal["turn", "reaction", "legendary_action", "lair_action", "other"]
Category = Literal["attack", "spell", "movement", "item", "ability_check", "saving_throw", "condition", "other"]
Words = Annotated[str, Field(min_length=1)]


@dataclass(frozen=True, slots=True)
class CombatAction:
    """What was declared and what came of it at once; `resolution` is None where the passage does not say."""

    category: str
    declaration: str
    targets: tuple[str, ...]
    resolution: str | None

    def as_json(self) -> dict[str, JsonValue]:
        return {
            "category": self.category,
            "declaration": self.declaration,
            "targets": list(self.targets),
            "resolution": self.resolution,
        }


@dataclass(frozen=True, slots=True)
class CombatTurn:
    """A turn, or an event that interrupts one. `round` is None unless it was said or cannot be another."""

    actor: str
    turn_kind: str
    round: int | None
    actions: tuple[CombatAction, ...]
    summary: str
    source_refs: tuple[SourceRef, ...]

    def as_json(self) -> dict[str, JsonValue]:
        return {
            "actor": self.actor,
            "turn_kind": self.turn_kind,
            "round": self.round,
            "actions": [action.as_json() for action in self.actions],
            "summary": self.summary,
            "source_refs": [ref.as_json() for ref in self.source_refs],
        }


class CombatActionModel(Strict):
    category: Category
    declaration: Words
    targets: list[Words]
    resolution: Words | None


class CombatTurnModel(Strict):
    actor: Words
    turn_kind: TurnKind
    round: Annotated[int, Field(ge=1)] | None
    actions: Annotated[list[CombatActionModel], Field(min_length=1)]
    summary: Words
    source_refs: Evidence


class CombatTurnsArtifact(Strict):
    schema_: Annotated[Literal["notarius.dnd.combat-turns.v1"], Field(alias="schema")]
    source: SourceModel
    turns: list[CombatTurnModel]
