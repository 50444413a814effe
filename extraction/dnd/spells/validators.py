"""Validators of casts. They only collect."""

from __future__ import annotations

from collections.abc import Sequence

from extraction.dnd.artifacts.spells import SpellCast
from extraction.dnd.shared.relatedness import mentions
from extraction.framework import Code, Finding, Scope, comparison_key, rejection, warning

LEVELS = range(10)


def validate_shape(records: Sequence[SpellCast], scope: Scope) -> list[Finding]:
    """Return a rejection for each field that is blank, and for each level that no slot and no cantrip has."""
    return [
        rejection(Code.RECORD_SHAPE, f"record[{number}].{field}")
        for number, record in enumerate(records)
        for field in _faults(record)
    ]


def validate_relatedness(records: Sequence[SpellCast], scope: Scope) -> list[Finding]:
    """Return a warning for each cast whose cited units nowhere say a word of the spell's name."""
    return [
        warning(Code.EVIDENCE_UNRELATED, f"record[{number}]", references=len(record.source_refs))
        for number, record in enumerate(records)
        if not mentions(record.spell, record.source_refs, scope.index)
    ]


def _faults(record: SpellCast) -> list[str]:
    texts = {"caster": record.caster, "spell": record.spell}
    texts |= {f"targets[{at}]": target for at, target in enumerate(record.targets)}
    if record.outcome is not None:
        texts["outcome"] = record.outcome
    faults = [field for field, text in texts.items() if not comparison_key(text)]
    return faults if record.level is None or record.level in LEVELS else [*faults, "level"]
