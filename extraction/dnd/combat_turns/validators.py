"""What a combat turn must be. These collect; nothing is repaired here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import get_args

from extraction.dnd.artifacts.combat_turns import Category, CombatAction, CombatTurn, TurnKind
from extraction.dnd.combat_turns.normalize import sameness, tidy
from extraction.dnd.shared.name_book import NameBook
from extraction.dnd.shared.npc_names import NPCS_SLOT
from extraction.dnd.shared.shape import shape_validator
from extraction.framework import Code, Finding, Scope, Validator, comparison_key, rejection

_KINDS = frozenset(get_args(TurnKind))
_CATEGORIES = frozenset(get_args(Category))


def validate_names(records: Sequence[CombatTurn], scope: Scope) -> list[Finding]:
    """Return a rejection for each actor or target without a comparison key."""
    return [
        rejection(Code.RECORD_NAME_EMPTY, f"record[{number}].{field}")
        for number, record in enumerate(records)
        for field, name in _placed_names(record)
        if not comparison_key(name)
    ]


def validate_normalized(records: Sequence[CombatTurn], scope: Scope) -> list[Finding]:
    """Return a rejection for each record that is not tidy or has a name the registry writes in another way."""
    book = NameBook.of(scope, NPCS_SLOT)
    return [
        rejection(Code.IDENTITY_MISMATCH, f"record[{number}]")
        for number, record in enumerate(records)
        if tidy(record, book, scope).record != record
    ]


def validate_no_duplicates(records: Sequence[CombatTurn], scope: Scope) -> list[Finding]:
    """Return a rejection for each record that an earlier one equals in actor, kind, round and whole evidence."""
    first: dict[object, int] = {}
    return [
        rejection(Code.IDENTITY_DUPLICATE, f"record[{number}]")
        for number, record in enumerate(records)
        if first.setdefault(sameness(record), number) != number
    ]


def _misshapen(record: CombatTurn) -> Iterator[str]:
    if record.turn_kind not in _KINDS:
        yield "turn_kind"
    if record.round is not None and record.round < 1:
        yield "round"
    if not record.summary.strip():
        yield "summary"
    if not record.actions:
        yield "actions"
    for at, action in enumerate(record.actions):
        for field, wrong in _wrong_fields(action).items():
            if wrong:
                yield f"actions[{at}].{field}"


def _wrong_fields(action: CombatAction) -> Mapping[str, bool]:
    return {
        "category": action.category not in _CATEGORIES,
        "declaration": not action.declaration.strip(),
        "resolution": action.resolution is not None and not action.resolution.strip(),
    }


def _placed_names(record: CombatTurn) -> Iterator[tuple[str, str]]:
    yield "actor", record.actor
    for at, action in enumerate(record.actions):
        for place, target in enumerate(action.targets):
            yield f"actions[{at}].targets[{place}]", target


validate_shape: Validator[CombatTurn] = shape_validator(_misshapen)
"""Rejects each field that is empty, out of its values, or no positive round."""
