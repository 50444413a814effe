"""What the model answers for a chunk, and how its records are read."""

from __future__ import annotations

from extraction.dnd.artifacts.combat_turns import Category, CombatAction, CombatTurn, TurnKind
from extraction.dnd.shared.evidence import cited_refs
from extraction.dnd.shared.reply import RangeReply, Reply
from extraction.framework import Scope

MAPPING_POLICY = "combat-turns.mapping.v1"


class ActionReply(Reply):
    category: Category
    declaration: str
    targets: list[str]
    resolution: str | None


class TurnReply(Reply):
    actor: str
    turn_kind: TurnKind
    round: int | None
    actions: list[ActionReply]
    summary: str
    source_refs: list[RangeReply]


class CombatTurnsReply(Reply):
    turns: list[TurnReply]


def read(reply: CombatTurnsReply, scope: Scope) -> list[CombatTurn]:
    """Return the reply's records with endpoints in order; empty texts, round 0 and the like stay for the validators."""
    return [
        CombatTurn(
            actor=turn.actor,
            turn_kind=turn.turn_kind,
            round=turn.round,
            actions=tuple(
                CombatAction(action.category, action.declaration, tuple(action.targets), action.resolution)
                for action in turn.actions
            ),
            summary=turn.summary,
            source_refs=cited_refs(turn.source_refs, scope.index),
        )
        for turn in reply.turns
    ]
