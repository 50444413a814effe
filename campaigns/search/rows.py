"""What is indexed of a unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from extraction.canonical import bytes_digest
from extraction.identity import comparison_key


@dataclass(frozen=True, slots=True)
class Row:
    """One unit in the index: its place, its words as they are written, and the mark of who says it."""

    place: int
    words: Sequence[str]
    speaker: str


def speaker_mark(speaker: str | None) -> str:
    """Return the one word that stands for the speaker in the index: equal names are one speaker."""
    key = comparison_key(speaker or "")
    return "s" + bytes_digest(key.encode())[:16] if key else ""
