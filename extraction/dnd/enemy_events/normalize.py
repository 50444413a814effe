"""Normalization of events: white space, exact NPC names, exact repeats. Deterministic, and nothing is guessed."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from extraction.dnd.artifacts.enemy_events import EnemyEvent
from extraction.dnd.shared.name_book import NameBook
from extraction.dnd.shared.npc_names import NPCS_SLOT
from extraction.dnd.shared.tidying import Tidied, Tidying, collapse_repeats, in_document_order, key_or_none
from extraction.framework import Scope, StageOutcome, canonical, comparison_key

NORMALIZATION_POLICY = "enemy-events.normalize.v1"


def normalize(records: Sequence[EnemyEvent], scope: Scope) -> StageOutcome[tuple[EnemyEvent, ...]]:
    """Return the events in document order, enemies and actors under the registry's names, exact repeats once."""
    book = NameBook.of(scope, NPCS_SLOT)
    return collapse_repeats([_tidy(event, book, scope) for event in in_document_order(records, scope)], _sameness)


def _tidy(event: EnemyEvent, book: NameBook, scope: Scope) -> Tidied[EnemyEvent]:
    tidying = Tidying(book)
    record = EnemyEvent(
        enemy=tidying.name("enemy", event.enemy),
        kind=event.kind,
        detail=tidying.text(event.detail),
        actor=None if event.actor is None else tidying.name("actor", event.actor),
        source_refs=canonical(event.source_refs, scope.index),
    )
    return tidying.of(record)


def _sameness(event: EnemyEvent) -> Hashable:
    """Every field by comparison key, and the full evidence: two blows in one breath may do equal damage."""
    return (
        comparison_key(event.enemy),
        event.kind,
        comparison_key(event.detail),
        key_or_none(event.actor),
        event.source_refs,
    )
