"""Which names a text says. Case, accents and plurals do not count; else nothing here guesses at spellings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from campaigns.spelling import name_key, plain
from extraction.identity import comparison_key

# Words of names that say nothing about whose name it is.
COMMON = frozenset(
    """
    the and von van der des del lord lady sir dame king queen prince princess captain master mistress mother father
    brother sister saint old new great little young
    """.split()  # noqa: SIM905 - a list of strings would be ten lines
)
LEAST = 3


@dataclass(frozen=True, slots=True)
class Folded:
    """A text without what does not count, for whoever looks through it more than once.

    Only its user keeps it: these are words of people, who may take them back.
    """

    text: str

    @classmethod
    def of(cls, text: str) -> Folded:
        return cls(plain(comparison_key(text)))


class Mentions:
    """Some names, each standing for something: `named` finds whole names, `hinted` also their telling words.

    A longer name is taken before a shorter one inside of it. A name may stand in the plural or as a possessive. A
    telling word begins with a capital letter in the name and is none that many names have; it may go on. With `apart`
    a word tells nothing that stands for more than one.
    """

    def __init__(self, pairs: Iterable[tuple[str, str]], *, apart: bool = False) -> None:
        self._owners: dict[str, set[str]] = {}
        self._words: dict[str, set[str]] = {}
        for name, owner in pairs:
            if key := name_key(name):
                self._owners.setdefault(key, set()).add(owner)
            for word in telling_words(name):
                self._words.setdefault(word, set()).add(owner)
        if apart:
            self._words = {word: owners for word, owners in self._words.items() if len(owners) == 1}
        for key, owners in list(self._owners.items()):
            for form in _plurals(key):
                # A name that is another's plural is first of all itself.
                self._owners.setdefault(form, owners)
        self._whole = _pattern(self._owners, r"(?!\w)")
        self._hints = _pattern(self._words, "")

    @classmethod
    def of(cls, names: Iterable[str]) -> Mentions:
        """Return the names, each standing for its comparison key."""
        return cls((name, comparison_key(name)) for name in names)

    def named(self, text: str | Folded) -> set[str]:
        """Return what the whole names in the text stand for."""
        return _found(self._whole, self._owners, _read(text))

    def hinted(self, text: str | Folded) -> set[str]:
        """Return what the names and telling words in the text stand for."""
        read = _read(text)
        return _found(self._whole, self._owners, read) | _found(self._hints, self._words, read)


def telling_words(name: str) -> list[str]:
    words = re.findall(r"[^\W\d_]+", unicodedata.normalize("NFKC", name))
    return [key for word in words if word[0].isupper() and len(key := plain(word)) >= LEAST and key not in COMMON]


def _read(text: str | Folded) -> str:
    return (text if isinstance(text, Folded) else Folded.of(text)).text


def _plurals(key: str) -> Iterator[str]:
    yield from (f"{key}s", f"{key}es")
    if key.endswith("y"):
        yield f"{key[:-1]}ies"


def _pattern(keys: Iterable[str], end: str) -> re.Pattern[str] | None:
    ordered = sorted(keys, key=lambda key: (-len(key), key))
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, ordered))}){end}") if ordered else None


def _found(pattern: re.Pattern[str] | None, owners: Mapping[str, set[str]], text: str) -> set[str]:
    if pattern is None:
        return set()
    return {owner for match in pattern.finditer(text) for owner in owners[match[0]]}
