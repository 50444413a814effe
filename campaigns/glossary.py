"""Names that a recogniser misheard: found by the campaign's glossary, replaced only on request.

What is looked for stands as whole words, in any case. Nothing is approximate: only the spellings that the glossary
lists are found. A term that is written right already is left alone, also where a misheard form is a part of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from campaigns.models import Campaign
from extraction.source.documents import SourceUnit

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """`heard_as` stands `count` times, in the units at these positions; `term` is how it is written."""

    term: str
    heard_as: str
    count: int
    positions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Phrase:
    """A spelling to look for. `readings` are (term, heard_as), empty where it is a term itself."""

    pattern: re.Pattern[str]
    offset: int
    readings: tuple[tuple[str, str], ...]


class Glossary:
    """A campaign's terms with the ways they are misheard."""

    def __init__(self, terms: Iterable[tuple[str, Sequence[str]]]) -> None:
        readings: dict[str, list[tuple[str, str]]] = {}
        spellings: dict[str, str] = {}
        for term, heard in terms:
            readings.setdefault(_key(term), [])
            spellings.setdefault(_key(term), term)
            for heard_as in heard:
                readings.setdefault(_key(heard_as), []).append((term, heard_as))
                spellings.setdefault(_key(heard_as), heard_as)
        self._phrases: dict[tuple[str, ...], list[_Phrase]] = {}
        self._lengths: dict[str, list[int]] = {}
        for key in sorted(readings, key=len, reverse=True):
            words = tuple(word.group().lower() for word in _WORD.finditer(spellings[key]))
            if words:
                self._phrases.setdefault(words, []).append(_phrase(spellings[key], readings[key]))
                self._lengths.setdefault(words[0], []).append(len(words))
        for first, lengths in self._lengths.items():
            self._lengths[first] = sorted(set(lengths), reverse=True)

    @classmethod
    def of(cls, campaign: Campaign) -> Glossary:
        return cls(campaign.glossary.order_by("position", "pk").values_list("term", "heard_as"))

    def suggestions(self, units: Iterable[SourceUnit]) -> list[Suggestion]:
        """Return what may be misheard in the units, in the order of its first occurrence."""
        found: dict[tuple[str, str], list[int]] = {}
        for position, unit in enumerate(units):
            for match, readings in self._found(unit.text):
                for term, heard_as in readings:
                    if match.group() != term:
                        found.setdefault((term, heard_as), []).append(position)
        return [
            Suggestion(term, heard_as, len(positions), tuple(dict.fromkeys(positions)))
            for (term, heard_as), positions in found.items()
        ]

    def corrected(self, text: str, chosen: Mapping[str, str]) -> str:
        """Return the text with each misheard form that is a key of `chosen` written as its term."""
        parts: list[str] = []
        end = 0
        for match, readings in self._found(text):
            term = next((term for term, heard_as in readings if chosen.get(heard_as) == term), None)
            if term is not None:
                parts += (text[end : match.start()], term)
                end = match.end()
        return "".join(parts) + text[end:]

    def _found(self, text: str) -> Iterator[tuple[re.Match[str], tuple[tuple[str, str], ...]]]:
        """Yield the spellings in the text from left to right, the longest first and none inside of another."""
        words = list(_WORD.finditer(text))
        said = [word.group().lower() for word in words]
        end = 0
        for at, word in enumerate(words):
            for phrase in self._starting(said, at):
                start = word.start() - phrase.offset
                match = phrase.pattern.match(text, start) if start >= end else None
                if match is not None:
                    yield match, phrase.readings
                    end = match.end()
                    break

    def _starting(self, said: Sequence[str], at: int) -> Iterator[_Phrase]:
        """Yield the phrases whose words are said from `at` on, the longest first, whatever stands between them."""
        for length in self._lengths.get(said[at], ()):
            yield from self._phrases.get(tuple(said[at : at + length]), ())


def _key(text: str) -> str:
    return " ".join(text.lower().split())


def _phrase(spelling: str, readings: Sequence[tuple[str, str]]) -> _Phrase:
    parts = spelling.split()
    first = _WORD.search(" ".join(parts))
    pattern = r"\s+".join(map(re.escape, parts))
    return _Phrase(
        re.compile(rf"(?<!\w){pattern}(?!\w)", re.IGNORECASE), first.start() if first else 0, tuple(readings)
    )
