"""Normalization of casts: white space, exact NPC names, exact repeats. Deterministic, and nothing is guessed."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from extraction.dnd.artifacts.spells import SpellCast
from extraction.dnd.shared.name_book import NameBook
from extraction.dnd.shared.npc_names import NPCS_SLOT
from extraction.dnd.shared.tidying import Tidied, Tidying, collapse_repeats, in_document_order, key_or_none
from extraction.framework import Scope, StageOutcome, canonical, comparison_key

NORMALIZATION_POLICY = "spells.normalize.v1"


def normalize(records: Sequence[SpellCast], scope: Scope) -> StageOutcome[tuple[SpellCast, ...]]:
    """Return the casts in document order, casters and targets under the registry's names, exact repeats once."""
    book = NameBook.of(scope, NPCS_SLOT)
    return collapse_repeats([_tidy(cast, book, scope) for cast in in_document_order(records, scope)], _sameness)


def _tidy(cast: SpellCast, book: NameBook, scope: Scope) -> Tidied[SpellCast]:
    tidying = Tidying(book)
    record = SpellCast(
        caster=tidying.name("caster", cast.caster),
        spell=tidying.text(cast.spell),
        level=cast.level,
        targets=tidying.names("targets", cast.targets),
        outcome=tidying.text_or_none(cast.outcome),
        source_refs=canonical(cast.source_refs, scope.index),
    )
    return tidying.of(record)


def _sameness(cast: SpellCast) -> Hashable:
    """Every field by comparison key, and the full evidence: a spell may well be cast twice in one breath."""
    return (
        comparison_key(cast.caster),
        comparison_key(cast.spell),
        cast.level,
        tuple(comparison_key(target) for target in cast.targets),
        key_or_none(cast.outcome),
        cast.source_refs,
    )
