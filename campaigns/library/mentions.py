"""Which names a text says. Exact words alone, as everywhere: nothing here guesses at spellings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from extraction.identity import comparison_key

ARTICLES = re.compile(r"^(?:the|a|an) ")
# Words of names that say nothing about whose name it is.
COMMON = frozenset(
    """
    the and von van der des del lord lady sir dame king queen prince princess captain master mistress mother father
    brother sister saint old new great little young
    """.split()  # noqa: SIM905 - a list of strings would be ten lines
)
LEAST = 3


class Mentions:
    """Some names, each standing for something: `named` finds whole names, `hinted` also their telling words.

    A longer name is taken before a shorter one inside of it. A telling word begins with a capital letter in the name
    and is none that many names have; it may go on, as in a plural. With `apart` a word tells nothing that stands for
    more than one.
    """

    def __init__(self, pairs: Iterable[tuple[str, str]], *, apart: bool = False) -> None:
        self._owners: dict[str, set[str]] = {}
        self._words: dict[str, set[str]] = {}
        for name, owner in pairs:
            key = ARTICLES.sub("", comparison_key(name))
            if key:
                self._owners.setdefault(key, set()).add(owner)
            for word in telling_words(name):
                self._words.setdefault(word, set()).add(owner)
        if apart:
            self._words = {word: owners for word, owners in self._words.items() if len(owners) == 1}
        self._whole = _pattern(self._owners, r"(?!\w)")
        self._hints = _pattern(self._words, "")

    @classmethod
    def of(cls, names: Iterable[str]) -> Mentions:
        """Return the names, each standing for its comparison key."""
        return cls((name, comparison_key(name)) for name in names)

    def named(self, text: str) -> set[str]:
        """Return what the whole names in the text stand for."""
        return _found(self._whole, self._owners, comparison_key(text))

    def hinted(self, text: str) -> set[str]:
        """Return what the names and telling words in the text stand for."""
        key = comparison_key(text)
        return _found(self._whole, self._owners, key) | _found(self._hints, self._words, key)


def telling_words(name: str) -> list[str]:
    words = re.findall(r"[^\W\d_]+", name)
    return [
        key for word in words if word[0].isupper() and len(key := comparison_key(word)) >= LEAST and key not in COMMON
    ]


def _pattern(keys: Iterable[str], end: str) -> re.Pattern[str] | None:
    ordered = sorted(keys, key=lambda key: (-len(key), key))
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, ordered))}){end}") if ordered else None


def _found(pattern: re.Pattern[str] | None, owners: Mapping[str, set[str]], text: str) -> set[str]:
    if pattern is None:
        return set()
    return {owner for match in pattern.finditer(text) for owner in owners[match[0]]}
