"""Does the cited text mention the name at all? An advisory check: it only warns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from extraction.framework import (
    Cited,
    Code,
    DocumentIndex,
    Finding,
    Scope,
    SourceRef,
    Validator,
    comparison_key,
    span,
    warning,
)

T = TypeVar("T", bound=Cited)

WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


def words_of(text: str) -> set[str]:
    """Return the words of the text by comparison key; the possessive of a name is the name."""
    return {word.removesuffix("'s") for word in WORD.findall(comparison_key(text))}


def mentions(name: str, refs: Iterable[SourceRef], index: DocumentIndex) -> bool:
    """Return whether any telling word of the name occurs in any of the cited units' texts, by comparison key.

    Words of up to three letters tell nothing, unless the name has no others.
    """
    words = words_of(name)
    wanted = {word for word in words if len(word) > 3} or words
    for ref in refs:
        positions = span(ref, index)
        if positions is None:
            continue
        for unit in index.between(*positions):
            if wanted & words_of(unit.text):
                return True
    return False


def name_said_validator(name_of: Callable[[T], str]) -> Validator[T]:
    """Return the advisory check of cited text against one name of each record."""

    def validate_relatedness(records: Sequence[T], scope: Scope) -> list[Finding]:
        """Return a warning for each record whose cited units nowhere say a word of the name."""
        return [
            warning(Code.EVIDENCE_UNRELATED, f"record[{number}]", references=len(record.source_refs))
            for number, record in enumerate(records)
            if not mentions(name_of(record), record.source_refs, scope.index)
        ]

    return validate_relatedness
