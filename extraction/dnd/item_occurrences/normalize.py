"""Normalization of item occurrences: white space, document order, exact repeats. Nothing is guessed."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from extraction.dnd.artifacts.occurrences import ItemOccurrence
from extraction.dnd.shared.name_book import NameBook
from extraction.dnd.shared.tidying import Tidied, Tidying, collapse_repeats, in_document_order, key_or_none
from extraction.framework import Scope, StageOutcome, canonical

NORMALIZATION_POLICY = "item-occurrences.normalize.v1"
_NO_NAMES = NameBook(())


def normalize(records: Sequence[ItemOccurrence], scope: Scope) -> StageOutcome[tuple[ItemOccurrence, ...]]:
    """Return the occurrences in document order, with white space tidied and exact repeats once.

    Every change has one warning. People stay as they were named: no registry of people is bound to this lane.
    """
    return collapse_repeats([_tidy(record, scope) for record in in_document_order(records, scope)], _sameness)


def _tidy(record: ItemOccurrence, scope: Scope) -> Tidied[ItemOccurrence]:
    tidying = Tidying(_NO_NAMES)
    return tidying.of(
        ItemOccurrence(
            item_id=record.item_id,
            name=record.name,
            kind=record.kind,
            actor=tidying.text_or_none(record.actor),
            recipient=tidying.text_or_none(record.recipient),
            detail=tidying.text_or_none(record.detail),
            source_refs=canonical(record.source_refs, scope.index),
        )
    )


def _sameness(record: ItemOccurrence) -> Hashable:
    """Every field, texts by comparison key, and the full evidence: an item may change hands twice in one unit."""
    texts = tuple(key_or_none(text) for text in (record.actor, record.recipient, record.detail))
    return (record.item_id, record.name, record.kind, texts, record.source_refs)
