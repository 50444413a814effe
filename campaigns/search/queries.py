"""What is asked for. Words must all be there, `"words in quotes"` stand beside each other, `star*` begins a word.

Everything else in a query is punctuation: there is nothing that a person could type wrongly.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from campaigns.errors import ActionError
from campaigns.search.words import WORD, Word, stem, words_of

LONGEST = 200
MOST_TERMS = 12
SHORTEST_PREFIX = 2
_PART = re.compile(r'"([^"]*)"?|([^\s"]+)')


@dataclass(frozen=True, slots=True)
class Plain:
    """A word in this or another form of it."""

    exact: str

    @property
    def stem(self) -> str:
        return stem(self.exact)


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words exactly as they are, one after the other."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Prefix:
    """A word that begins so."""

    start: str


Term: TypeAlias = "Plain | Phrase | Prefix"


@dataclass(frozen=True, slots=True)
class Query:
    """`terms` are empty where nothing was asked for."""

    terms: tuple[Term, ...]

    @property
    def plain(self) -> tuple[Plain, ...]:
        return tuple(term for term in self.terms if isinstance(term, Plain))

    def fits(self, words: Sequence[str]) -> bool:
        """Say whether a text of these words is found."""
        return all(_fits(term, words, exactly=False) for term in self.terms)

    def fits_exactly(self, words: Sequence[str]) -> bool:
        """Say whether it is found with every word as it was typed."""
        return all(_fits(term, words, exactly=True) for term in self.terms)

    def marks(self, words: Sequence[Word]) -> set[int]:
        """Return which of the words are why the text was found."""
        exact = [word.exact for word in words]
        return {at for term in self.terms for at in _marked(term, exact)}


def parse(text: str) -> Query:
    """Return what the text asks for; ActionError where it is longer than anybody's question."""
    if len(text) > LONGEST:
        raise ActionError(f"A search is at most {LONGEST} characters long.")
    terms: dict[Term, None] = {}
    for quoted, bare in _PART.findall(text):
        term = _quoted(quoted) if quoted else _bare(bare)
        if term is not None:
            terms[term] = None
    return Query(tuple(terms)[:MOST_TERMS])


def _quoted(text: str) -> Term | None:
    words = tuple(word.exact for word in words_of(text))
    return Phrase(words) if words else None


def _bare(text: str) -> Term | None:
    words = tuple(word.exact for word in words_of(text))
    if len(words) == 1:
        star = text.rstrip(".,;:!?)").endswith("*") and WORD.search(text) is not None
        return Prefix(words[0]) if star and len(words[0]) >= SHORTEST_PREFIX else Plain(words[0])
    # O'Dell and half-elf are several words that belong together.
    return Phrase(words) if words else None


def _fits(term: Term, words: Sequence[str], *, exactly: bool) -> bool:
    if isinstance(term, Plain):
        return term.exact in words or (not exactly and any(stem(word) == term.stem for word in words))
    return bool(_marked(term, words))


def _marked(term: Term, words: Sequence[str]) -> set[int]:
    if isinstance(term, Plain):
        return {at for at, word in enumerate(words) if word == term.exact or stem(word) == term.stem}
    if isinstance(term, Prefix):
        return {at for at, word in enumerate(words) if word.startswith(term.start)}
    length = len(term.words)
    starts = (at for at in range(len(words) - length + 1) if tuple(words[at : at + length]) == term.words)
    return {at + step for at in starts for step in range(length)}
