"""Validators of enemy events. They only collect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from extraction.dnd.artifacts.enemy_events import EnemyEvent, EventKind
from extraction.dnd.shared.relatedness import mentions
from extraction.framework import Code, Finding, Scope, comparison_key, rejection, warning

KINDS = frozenset(get_args(EventKind))


def validate_shape(records: Sequence[EnemyEvent], scope: Scope) -> list[Finding]:
    """Return a rejection for each field that is blank, and for each kind that is none of the artifact's."""
    return [
        rejection(Code.RECORD_SHAPE, f"record[{number}].{field}")
        for number, record in enumerate(records)
        for field in _faults(record)
    ]


def validate_relatedness(records: Sequence[EnemyEvent], scope: Scope) -> list[Finding]:
    """Return a warning for each event whose cited units nowhere say a word of the enemy's name."""
    return [
        warning(Code.EVIDENCE_UNRELATED, f"record[{number}]", references=len(record.source_refs))
        for number, record in enumerate(records)
        if not mentions(record.enemy, record.source_refs, scope.index)
    ]


def _faults(record: EnemyEvent) -> list[str]:
    texts = {"enemy": record.enemy, "detail": record.detail}
    if record.actor is not None:
        texts["actor"] = record.actor
    faults = [field for field, text in texts.items() if not comparison_key(text)]
    return faults if record.kind in KINDS else [*faults, "kind"]
