"""Two places of one name: whether the table talks of two, and which town each mention is about."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from extraction.llm.rules.place_words import HEADS, ONES, PAIRS, SITES
from extraction.llm.rules.tokens import Word, words

_REACH = 6
_LIES = frozenset({"in", "at", "of"})


@dataclass(frozen=True, slots=True)
class TownSaid:
    """A place that others may lie in, said as the words `first` to `last` of unit `at`."""

    key: str
    at: int
    first: int
    last: int


def may_be_town(key: str) -> bool:
    """Whether other places may lie in a place of this name: not in an inn or a bridge.

    Callers leave out what mostly has an article besides: "the Gilded Otter" is no town.
    """
    return key.rpartition(" ")[2] not in SITES


def name_keys(name: str) -> tuple[str, ...]:
    """Return the words of a name as they stand in a text, without an article."""
    keys = tuple(word.key for word in words(name))
    return keys[1:] if len(keys) > 1 and keys[0] == "the" else keys


def places_of(text: Sequence[Word], keys: Sequence[str]) -> list[int]:
    """Return where in a text the words of a name start, its plural included."""
    if not keys:
        return []
    *start, end = keys
    ends = {end, end + "s"}
    size = len(keys)
    return [
        at
        for at in range(len(text) - size + 1)
        if text[at + size - 1].key in ends and all(text[at + more].key == key for more, key in enumerate(start))
    ]


def talks_of_two(key: str, texts: Iterable[Sequence[Word]]) -> bool:
    """Whether a unit that says the name says that there are two: "two Xs", "the same name", "the X, the other one"."""
    keys = name_keys(key)
    short = keys[-1:] if len(keys) > 1 and keys[-1] not in HEADS else ()
    return any(_says_two(text, keys) or _says_two(text, short) for text in texts)


def _says_two(text: Sequence[Word], keys: Sequence[str]) -> bool:
    places = places_of(text, keys)
    if not places:
        return False
    # Whoever says "the same name" may name the two towns beside: those stand without an article.
    named_alike = any(one.key == "same" and other.key == "name" for one, other in pairwise(text))
    return any(
        (named_alike and at > 0 and text[at - 1].key in {"the", "two"})
        or _paired(text, at)
        or _contrasted(text, at + len(keys))
        for at in places
    )


def _paired(text: Sequence[Word], start: int) -> bool:
    """As in "two Xs", "the other X", "the original X"."""
    return start > 0 and text[start].gap == " " and text[start - 1].key in PAIRS


def _contrasted(text: Sequence[Word], end: int) -> bool:
    """As in "X, the good one", "X, the Fenmouth one"."""
    following = text[end : end + _REACH]
    return any(
        word.key == "one" and at > 1 and following[at - 2].key == "the" and (before.key in ONES or before.capital)
        for at, (before, word) in enumerate(pairwise(following), start=1)
    )


class Towns:
    """Tells which town a mention is about: the one named with it, else the one that was named last."""

    def __init__(self, said: Iterable[TownSaid], texts: Sequence[Sequence[Word]]) -> None:
        self._said = sorted(said, key=lambda town: (town.at, town.first))
        self._order = [(town.at, town.first) for town in self._said]
        self._texts = texts

    def of(self, key: str, at: int, first: int, last: int, since: int = 0) -> str | None:
        """Return the key of the town that words `first` to `last` of unit `at` are about, None where nothing says.

        Only what is said from unit `since` on counts.
        """
        return self.named_with(key, at, first, last) or self._named_before(key, at, first, since)

    def named_with(self, key: str, at: int, first: int, last: int) -> str | None:
        """Return the town in "the X in Fenmouth", "Fenmouth's X", "the X, the Fenmouth one", None without one."""
        text = self._texts[at]
        start = bisect_left(self._order, (at, max(0, first - _REACH)))
        for place in range(start, len(self._said)):
            town = self._said[place]
            if town.at != at or town.first > last + _REACH:
                return None
            if town.key == key:
                continue
            if town.last == first - 1 and text[town.last].clitic == "'s":
                return town.key
            lies_there = town.first == last + 2 and text[last + 1].key in _LIES and text[last + 1].gap == " "
            one_of_it = last < town.first and town.last + 1 < len(text) and text[town.last + 1].key == "one"
            if lies_there or one_of_it:
                return town.key
        return None

    def _named_before(self, key: str, at: int, first: int, since: int) -> str | None:
        for place in range(bisect_left(self._order, (at, first)) - 1, -1, -1):
            town = self._said[place]
            if town.at < since:
                return None
            if town.key != key:
                return town.key
        return None
