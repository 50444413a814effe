"""What makes an NPC record acceptable. Each check collects findings and changes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from extraction.dnd.artifacts.npcs import Npc
from extraction.dnd.shared.relatedness import mentions
from extraction.framework import Code, Finding, Scope, comparison_key, npc_id, rejection, warning


def validate_names(records: Sequence[Npc], scope: Scope) -> list[Finding]:
    """Return a rejection for each record whose name has no comparison key."""
    return [
        rejection(Code.RECORD_NAME_EMPTY, f"record[{number}]")
        for number, record in enumerate(records)
        if not comparison_key(record.name)
    ]


def validate_identity(records: Sequence[Npc], scope: Scope) -> list[Finding]:
    """Return a rejection for each record whose id is not that of its name, or whose id another record has."""
    findings = [
        rejection(Code.IDENTITY_MISMATCH, f"record[{number}]")
        for number, record in enumerate(records)
        if record.id != npc_id(comparison_key(record.name))
    ]
    counts = Counter(record.id for record in records)
    findings += [
        rejection(Code.IDENTITY_DUPLICATE, f"record[{number}]")
        for number, record in enumerate(records)
        if counts[record.id] > 1
    ]
    return findings


def validate_relatedness(records: Sequence[Npc], scope: Scope) -> list[Finding]:
    """Return a warning for each record whose cited units nowhere say a word of its name."""
    return [
        warning(Code.EVIDENCE_UNRELATED, f"record[{number}]", references=len(record.source_refs))
        for number, record in enumerate(records)
        if not mentions(record.name, record.source_refs, scope.index)
    ]
