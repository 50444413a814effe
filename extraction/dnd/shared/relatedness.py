"""Does the cited text mention the name at all? An advisory check: it only warns."""

from __future__ import annotations

import re
from collections.abc import Iterable

from extraction.framework import DocumentIndex, SourceRef, comparison_key, span

WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


def mentions(name: str, refs: Iterable[SourceRef], index: DocumentIndex) -> bool:
    """Return whether any word of the name occurs in any of the cited units' texts, by comparison key."""
    wanted = set(WORD.findall(comparison_key(name)))
    for ref in refs:
        positions = span(ref, index)
        if positions is None:
            continue
        for unit in index.between(*positions):
            if wanted & set(WORD.findall(comparison_key(unit.text))):
                return True
    return False
