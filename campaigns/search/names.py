"""The names of a registry, as somebody may see them: which a query finds, and which it may have meant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz, process
from rapidfuzz.distance import JaroWinkler

from campaigns.library.names import Name
from campaigns.search.queries import Prefix, Query
from campaigns.search.words import spelled, words_of
from extraction.identity import comparison_key

MOST_SUGGESTIONS = 3
# How much two names share that a recogniser could take for one another, of a hundred; and two words, of one, where
# beginnings count more: those it hears best.
ALIKE, ALIKE_WORDS = 78, 0.87
SHORTEST_GUESS = 4
LIKENESS = JaroWinkler.normalized_similarity


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A name that was perhaps meant, and the query that has it in its place."""

    name: str
    query: str


@dataclass(frozen=True, slots=True)
class NamedEntry:
    """An entry that was found: by its name, or as `alias`, another that it has."""

    entry: Name
    rank: int
    alias: str | None

    @property
    def order(self) -> tuple[int, str, str, str]:
        return self.rank, comparison_key(self.entry.name), self.entry.kind, self.entry.entity_id


def found_entries(book: Sequence[Name], query: Query, *, kind: str, session: int | None) -> list[NamedEntry]:
    """Return those entries of the book that the query finds, in their order.

    First those whose whole name was typed, then those with every word as it was typed, then those with other forms of
    the words, last those of another name; in each the order of names.
    """
    asked = [entry for entry in book if kind in ("", entry.kind) and (session is None or session in entry.sessions)]
    found = [each for entry in asked if (each := _named(entry, query)) is not None]
    return sorted(found, key=lambda each: each.order)


def suggestions(book: Sequence[Name], text: str, query: Query) -> list[Suggestion]:
    """Return what was perhaps meant: the whole query as one name of the book, or single words as words of names.

    A word that is part of a name already is left as it is.
    """
    typed = spelled(text)
    known = {word: name for name in _all_names(book) for word in spelled(name)}
    if known.keys() >= set(typed) or any(isinstance(term, Prefix) for term in query.terms):
        return []
    made = [*_whole(book, "".join(typed)), *_by_word(text, known)]
    unique = {comparison_key(each.query): each for each in reversed(made)}
    return list(reversed(unique.values()))[:MOST_SUGGESTIONS]


def _named(entry: Name, query: Query) -> NamedEntry | None:
    words = spelled(entry.name)
    if query.fits(words):
        whole = {term.exact for term in query.plain} == set(words)
        rank = 0 if whole else 1 if query.fits_exactly(words) else 2
        return NamedEntry(entry, rank, None)
    for alias in entry.also_called:
        if query.fits(spelled(alias)):
            return NamedEntry(entry, 3, alias)
    return None


def _all_names(book: Sequence[Name]) -> Iterator[str]:
    for entry in book:
        yield entry.name
        yield from entry.also_called


def _whole(book: Sequence[Name], typed: str) -> Iterator[Suggestion]:
    """Yield names that are like all of what was typed, whose spaces a recogniser may have put elsewhere."""
    if len(typed) < SHORTEST_GUESS:
        return
    joined = {name: "".join(spelled(name)) for name in _all_names(book)}
    for _, _, name in process.extract(typed, joined, scorer=fuzz.ratio, score_cutoff=ALIKE, limit=MOST_SUGGESTIONS):
        yield Suggestion(name, name)


def _by_word(text: str, known: dict[str, str]) -> Iterator[Suggestion]:
    """Yield the query with one of its words as the word of a name that is most like it."""
    guesses: Sequence[str] = [word for word in known if len(word) >= SHORTEST_GUESS]
    for word in words_of(text):
        if len(word.exact) < SHORTEST_GUESS or word.exact in known:
            continue
        for guess, _, _ in process.extract(word.exact, guesses, scorer=LIKENESS, score_cutoff=ALIKE_WORDS, limit=1):
            written = next(name for name in words_of(known[guess]) if name.exact == guess)
            meant = known[guess][written.start : written.end]
            yield Suggestion(meant, text[: word.start] + meant + text[word.end :])
