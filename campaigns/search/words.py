"""What a word is: the same for what is indexed and what is asked, and the same under both databases.

Case, accents and kinds of apostrophe do not count. Every word is kept as it is written and as its English stem.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import snowballstemmer

from campaigns.spelling import plain

# Letters and digits, each with the accents that may follow it as signs of their own.
WORD = re.compile(r"(?:[^\W_][\u0300-\u036f]*)+")
LONGEST = 64
# PostgreSQL keeps this many places of one word in a row; what comes after has no place in either index.
MOST_PLACES = 255
GAP = "_"


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text and where it stands in it."""

    exact: str
    start: int
    end: int


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...


class _Stemmers(threading.local):
    """A stemmer works on a buffer of its own, so that each thread needs one."""

    def __init__(self) -> None:
        self.english: _Stemmer = snowballstemmer.stemmer("english")


_stemmers = _Stemmers()


@lru_cache(maxsize=100_000)
def fold(word: str) -> str:
    """Return the word without case and accents; empty where nothing is left that could be looked for."""
    return "".join(letter for letter in plain(word) if letter.isalnum())[:LONGEST]


@lru_cache(maxsize=100_000)
def stem(exact: str) -> str:
    """Return the English stem of a folded word; a word of other letters is its own."""
    return _stemmers.english.stemWord(exact) if exact.isascii() else exact


def words_of(text: str) -> Iterator[Word]:
    """Yield the words of the text in their order."""
    for found in WORD.finditer(text):
        exact = fold(found.group())
        if exact:
            yield Word(exact, found.start(), found.end())


@lru_cache(maxsize=50_000)
def spelled(name: str) -> tuple[str, ...]:
    """Return the words of a name, which is looked at again with every search."""
    return tuple(word.exact for word in words_of(name))


def indexed(text: str) -> list[str]:
    """Return the text's words as they are indexed; GAP stands for a word that has no more places."""
    seen: dict[str, int] = {}
    kept = []
    for word in words_of(text):
        seen[word.exact] = seen.get(word.exact, 0) + 1
        kept.append(word.exact if seen[word.exact] <= MOST_PLACES else GAP)
    return kept
