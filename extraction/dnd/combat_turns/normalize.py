"""Deterministic tidying: white space, exact registry names, exact duplicates. No prose is merged or made up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from extraction.dnd.artifacts.combat_turns import CombatAction, CombatTurn
from extraction.dnd.combat_turns.projection import NPCS_SLOT
from extraction.dnd.shared.name_book import NameBook
from extraction.framework import (
    Code,
    Finding,
    Scope,
    SourceRef,
    StageOutcome,
    canonical,
    comparison_key,
    earliest,
    warning,
)

NORMALIZATION_POLICY = "combat-turns.normalize.v1"

Sameness: TypeAlias = tuple[str, str, int | None, tuple[SourceRef, ...]]


def merge(chunks: Sequence[Sequence[CombatTurn]], scope: Scope) -> list[CombatTurn]:
    """Return the chunks' records by earliest range, equal ones in chunk order and in the order of the reply."""
    records = [record for records in chunks for record in records]
    return sorted(records, key=lambda record: earliest(record.source_refs, scope.index))


def normalize(records: Sequence[CombatTurn], scope: Scope) -> StageOutcome[tuple[CombatTurn, ...]]:
    """Return the records tidied and named as the registry names them; of exact duplicates the first is kept.

    Each record that changed gives one warning a kind of change, each collapsed record one. Names that are ambiguous
    or that the registry does not have stay as they are.
    """
    book = NameBook.of(scope, NPCS_SLOT)
    kept: dict[Sameness, CombatTurn] = {}
    findings: list[Finding] = []
    for number, record in enumerate(records):
        where = f"record[{number}]"
        tidied = tidy(record, scope)
        if tidied != record:
            findings.append(warning(Code.TEXT_TIDIED, where))
        named, rewritten = _named(tidied, book)
        if rewritten:
            findings.append(warning(Code.NAME_REWRITTEN, where, names=rewritten))
        if kept.setdefault(sameness(named), named) is not named:
            findings.append(warning(Code.DUPLICATE_COLLAPSED, where))
    return StageOutcome(tuple(kept.values()), tuple(findings))


def sameness(record: CombatTurn) -> Sameness:
    """Return what two records have in common when they are one: actor, kind, round and the whole evidence."""
    return comparison_key(record.actor), record.turn_kind, record.round, record.source_refs


def tidy(record: CombatTurn, scope: Scope) -> CombatTurn:
    """Return the record with display white space tidied and evidence in canonical order."""
    return replace(
        record,
        actor=_spaced(record.actor),
        actions=tuple(
            CombatAction(
                action.category,
                _spaced(action.declaration),
                tuple(_spaced(target) for target in action.targets),
                None if action.resolution is None else _spaced(action.resolution),
            )
            for action in record.actions
        ),
        summary=_spaced(record.summary),
        source_refs=canonical(record.source_refs, scope.index),
    )


def _named(record: CombatTurn, book: NameBook) -> tuple[CombatTurn, int]:
    """Return the record with registry names, and how many of its names were written anew."""
    named = replace(
        record,
        actor=book.canonical(record.actor),
        actions=tuple(
            replace(action, targets=tuple(book.canonical(target) for target in action.targets))
            for action in record.actions
        ),
    )
    return named, sum(old != new for old, new in zip(names(record), names(named), strict=True))


def names(record: CombatTurn) -> tuple[str, ...]:
    """Return the actor and every target in the order they stand."""
    return (record.actor, *(target for action in record.actions for target in action.targets))


def _spaced(text: str) -> str:
    return " ".join(text.split())
