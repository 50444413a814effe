"""The parts of a person's name: titles, the proper name, a trailing descriptor."""

from __future__ import annotations

from dataclasses import dataclass

from extraction.identity import comparison_key
from extraction.llm.rules.words import ABBREVIATIONS, FEMALE_TITLES, MALE_TITLES, TITLES

_DESCRIPTOR_STARTS = frozenset({"the", "of", "from"})


@dataclass(frozen=True, slots=True)
class PersonName:
    """Comparison keys of a name's words: "Captain Ada Reed the bold" has titles, core and descriptor."""

    titles: tuple[str, ...]
    core: tuple[str, ...]
    descriptor: tuple[str, ...]

    @property
    def gender(self) -> str | None:
        """Return "m" or "f" where the titles say so, else None."""
        for title in self.titles:
            if title in MALE_TITLES:
                return "m"
            if title in FEMALE_TITLES:
                return "f"
        return None


def parse(name: str) -> PersonName:
    """Return the parts of a name. A name that is all titles ("the Captain") has an empty core."""
    keys = [_bare(key) for key in comparison_key(name).split()]
    if keys and keys[0] in {"the", "a", "an"}:
        keys = keys[1:]
    start = 0
    while start < len(keys) and keys[start] in TITLES:
        start += 1
    end = start
    while end < len(keys) and not (end > start and keys[end] in _DESCRIPTOR_STARTS):
        end += 1
    return PersonName(tuple(keys[:start]), tuple(keys[start:end]), tuple(keys[end:]))


def _bare(key: str) -> str:
    """Return the word without a comma, and without the stop of a title's abbreviation."""
    return key.rstrip(".,") if key.rstrip(".,") in ABBREVIATIONS else key.strip(",")
