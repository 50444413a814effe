"""Normalization of turns: white space, exact NPC names, exact repeats. Deterministic, and no prose is made up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from extraction.dnd.artifacts.combat_turns import CombatAction, CombatTurn
from extraction.dnd.shared.name_book import NameBook
from extraction.dnd.shared.npc_names import NPCS_SLOT
from extraction.dnd.shared.tidying import Tidied, Tidying, collapse_repeats, in_document_order
from extraction.framework import Scope, SourceRef, StageOutcome, canonical, comparison_key

NORMALIZATION_POLICY = "combat-turns.normalize.v1"

Sameness: TypeAlias = tuple[str, str, int | None, tuple[SourceRef, ...]]


def normalize(records: Sequence[CombatTurn], scope: Scope) -> StageOutcome[tuple[CombatTurn, ...]]:
    """Return the turns in document order, actors and targets under the registry's names, exact repeats once.

    Names that are ambiguous or that the registry does not have stay as they are.
    """
    book = NameBook.of(scope, NPCS_SLOT)
    return collapse_repeats([tidy(turn, book, scope) for turn in in_document_order(records, scope)], sameness)


def tidy(turn: CombatTurn, book: NameBook, scope: Scope) -> Tidied[CombatTurn]:
    """Return the turn with its texts tidied, its names as the registry writes them, its evidence in canonical order."""
    tidying = Tidying(book)
    record = CombatTurn(
        actor=tidying.name("actor", turn.actor),
        turn_kind=turn.turn_kind,
        round=turn.round,
        actions=tuple(
            CombatAction(
                action.category,
                tidying.text(action.declaration),
                tidying.names(f"actions[{at}].targets", action.targets),
                tidying.text_or_none(action.resolution),
            )
            for at, action in enumerate(turn.actions)
        ),
        summary=tidying.text(turn.summary),
        source_refs=canonical(turn.source_refs, scope.index),
    )
    return tidying.of(record)


def sameness(record: CombatTurn) -> Sameness:
    """Return what two records have in common when they are one: actor, kind, round and the whole evidence."""
    return comparison_key(record.actor), record.turn_kind, record.round, record.source_refs
