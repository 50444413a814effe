"""What the answers about occurrences share: the passage with the names said in it, sentences, and records of places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from extraction.canonical import JsonValue
from extraction.llm.rules import materials as given
from extraction.llm.rules.citing import MAX_RANGES, cite
from extraction.llm.rules.glossary import Glossary
from extraction.llm.rules.known_names import KnownNames, Said
from extraction.llm.rules.materials import Materials, Unit
from extraction.llm.rules.occurrence_words import UNREAL
from extraction.llm.rules.speakers import TableNames, gm_keys, labels
from extraction.llm.rules.tokens import Word, words

# Units of other talk that may lie between the places of one record.
_GAP = 6


@dataclass(frozen=True, slots=True)
class Passage:
    """The units that may be cited, their words with misheard terms mended, who tells the story, and the names said."""

    units: tuple[Unit, ...]
    texts: tuple[tuple[Word, ...], ...]
    narrated: tuple[bool, ...]
    said: tuple[Said, ...]


def people_in(materials: Materials, names: Sequence[str]) -> Passage:
    """Return the passage with the names of a list of people: a part of a name counts where it has one bearer."""
    table = TableNames(materials, given.transcript(materials))
    return _passage(materials, KnownNames(names, table.refuses))


def things_in(materials: Materials, names: Sequence[str]) -> Passage:
    """Return the passage with the names of a list of things or places."""
    return _passage(materials, KnownNames(names))


def _passage(materials: Materials, names: KnownNames) -> Passage:
    units = given.transcript(materials)
    heard = Glossary(given.glossary(materials))
    texts = tuple(heard.mended(words(unit.text)) for unit in units)
    gm = gm_keys(materials, (*units, *given.context(materials)))
    speakers = [labels(unit.speaker) for unit in units]
    narrated = tuple(not gm or not said or any(label in gm for label in said) for said in speakers)
    return Passage(units, texts, narrated, tuple(names.find(texts)))


@dataclass(frozen=True, slots=True)
class Sentence:
    """The words `start` up to `end` of a text, between which no sentence, quotation or bracket begins."""

    start: int
    end: int
    asks: bool


def sentence(text: Sequence[Word], at: int) -> Sentence:
    """Return the sentence that has the word."""
    start = at
    while start and not _begins(text, start):
        start -= 1
    end = at + 1
    while end < len(text) and not _begins(text, end):
        end += 1
    return Sentence(start, end, text[end - 1].after == "?")


def _begins(text: Sequence[Word], at: int) -> bool:
    return text[at].opens or text[at].quoted != text[at - 1].quoted


def is_unreal(text: Sequence[Word], start: int, end: int) -> bool:
    """Whether the words from `start` up to `end` say that what follows is not so, or only might be."""
    return any(
        word.key in UNREAL or (word.clitic == "'d" and word.key in {"i", "we", "you"}) for word in text[start:end]
    )


def verb_place(text: Sequence[Word], last: int) -> int | None:
    """Return the place of the word after a name where its verb is expected, past an adverb; None at a pause."""
    if text[last].clitic:
        return None
    at = last + 1
    if at < len(text) and (text[at].key.endswith("ly") or text[at].key in {"just", "then", "also", "still", "now"}):
        at += 1
    if at >= len(text) or any(text[here].gap != " " for here in range(last + 1, at + 1)):
        return None
    return at


def stretches(positions: Sequence[int]) -> Iterator[Sequence[int]]:
    """Yield the positions in runs whose places follow each other closely, no run longer than a record may cite."""
    run: list[int] = []
    for at in positions:
        if run and (at - run[-1] > _GAP or len(run) >= MAX_RANGES):
            yield run
            run = []
        run.append(at)
    if run:
        yield run


def places(positions: Sequence[int], passage: Passage) -> list[JsonValue]:
    """Return the positions as the ranges of one record."""
    return cite(Counter(positions), passage.units)
