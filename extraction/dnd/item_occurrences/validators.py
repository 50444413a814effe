"""Validators of what an item occurrence says besides which item it is. They only collect."""

from __future__ import annotations

from collections.abc import Sequence

from extraction.dnd.artifacts.occurrences import ItemOccurrence
from extraction.framework import Code, Finding, Scope, comparison_key, rejection

WITHOUT_ACTOR = frozenset({"mentioned"})
WITH_RECIPIENT = frozenset({"transferred"})


def validate_fields(records: Sequence[ItemOccurrence], scope: Scope) -> list[Finding]:
    """Return a rejection for each field that is blank, or that the record's kind does not have.

    Nobody does anything in a mere mention, and only what is handed over has a recipient.
    """
    return [
        rejection(Code.RECORD_SHAPE, f"record[{number}].{field}")
        for number, record in enumerate(records)
        for field in _faults(record)
    ]


def _faults(record: ItemOccurrence) -> list[str]:
    given = {"actor": record.actor, "recipient": record.recipient, "detail": record.detail}
    faults = [field for field, text in given.items() if text is not None and not comparison_key(text)]
    if record.actor is not None and record.kind in WITHOUT_ACTOR and "actor" not in faults:
        faults.append("actor")
    if record.recipient is not None and record.kind not in WITH_RECIPIENT and "recipient" not in faults:
        faults.append("recipient")
    return faults
