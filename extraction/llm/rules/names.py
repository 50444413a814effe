"""Runs of capitalised words that may be names, and where in a text they stand."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from extraction.llm.rules.tokens import Word
from extraction.llm.rules.words import (
    ABBREVIATIONS,
    FUNCTION_WORDS,
    INTERJECTIONS,
    NAME_PARTICLES,
    NOT_NAMES,
    PLACE_HEADS,
    TITLES,
    VERB_FORMS,
)

_LONGEST_NAME = 4
_BREAKS = FUNCTION_WORDS | VERB_FORMS | INTERJECTIONS
_ORDINARY = NOT_NAMES | PLACE_HEADS


@dataclass(frozen=True, slots=True)
class Span:
    """A possible name: the words `core` to `last` of a text, with the titles it is said with.

    `first` is where the titles start (equal to `core` without). `ordinary` counts the words of the name that are
    also common words.
    """

    first: int
    core: int
    last: int
    titles: tuple[str, ...]
    ordinary: int

    @property
    def length(self) -> int:
        return self.last - self.core + 1


def spans(text: Sequence[Word], common: Collection[str] = ()) -> tuple[Span, ...]:
    """Return the possible names of a text in order. `common` are keys seen in lower case elsewhere."""
    found: list[Span] = []
    at = 0
    while at < len(text):
        end = _run_end(text, at)
        if end > at:
            found += _names_in_run(text, at, end, common)
        at = max(end, at + 1)
    return tuple(found)


def _run_end(text: Sequence[Word], start: int) -> int:
    """Return the position after the run of capitalised words that starts at `start`, or `start` if none does."""
    if not _may_belong(text[start]):
        return start
    end = start + 1
    while end < len(text) and not text[end - 1].clitic:
        if _may_belong(text[end]) and _adjacent(text, end):
            end += 1
        elif _particle_joins(text, end):
            end += 2
        else:
            break
    return end


def _may_belong(word: Word) -> bool:
    return (
        word.capital
        and len(word.text) > 1
        and not word.shouted
        and (word.key not in _BREAKS or word.key in TITLES)
        and not any(part[:1].islower() for part in word.text.split("-")[1:])
    )


def _adjacent(text: Sequence[Word], at: int) -> bool:
    gap = text[at].gap
    return gap == " " or (gap == ". " and text[at - 1].key in ABBREVIATIONS)


def _particle_joins(text: Sequence[Word], at: int) -> bool:
    """Whether a particle stands at `at` between two capitalised words: "Ilse van Oort"."""
    return (
        at + 1 < len(text)
        and text[at].text in NAME_PARTICLES
        and text[at - 1].key not in TITLES
        and text[at].gap == " "
        and text[at + 1].gap == " "
        and _may_belong(text[at + 1])
    )


def _names_in_run(text: Sequence[Word], start: int, end: int, common: Collection[str]) -> Iterator[Span]:
    core = start
    while core < end and text[core].key in TITLES and not text[core].clitic:
        core += 1
    titles = tuple(_as_written(word) for word in text[start:core])
    if not titles and end - start > 1 and text[start].opens and _is_ordinary(text[start], common):
        core = start = start + 1
    if core >= end or end - core > _LONGEST_NAME:
        return
    words = [word for word in text[core:end] if word.capital]
    ordinary = sum(_is_ordinary(word, common) for word in words)
    # A single common word is no name even after a title ("Lady Luck"), nor are several of them.
    if ordinary == len(words):
        return
    yield Span(start, core, end - 1, titles, ordinary)
    if titles and start >= 2 and (partner := _partner_title(text, start)) is not None:
        yield Span(start - 2, core, end - 1, (partner,), ordinary)


def _partner_title(text: Sequence[Word], start: int) -> str | None:
    """Return the first title of "Lord and Lady Reed"."""
    joined = text[start - 1].key == "and" and text[start - 1].gap == " " == text[start].gap
    title = text[start - 2]
    return _as_written(title) if joined and title.capital and title.key in TITLES and not title.clitic else None


def _as_written(title: Word) -> str:
    return title.text + "." * (title.key in ABBREVIATIONS and title.after == ".")


def _is_ordinary(word: Word, common: Collection[str]) -> bool:
    return word.key in _ORDINARY or word.key in common
