"""What turns, spells and enemy events are tidied by: white space, exact names of the registry, exact repeats.

All these families warn alike: once for each name written anew, at its field; once for each record whose white space
changed; once for each repeat.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from extraction.dnd.shared.name_book import NameBook
from extraction.framework import (
    Cited,
    Code,
    Finding,
    Scope,
    StageOutcome,
    comparison_key,
    earliest,
    warning,
)

T = TypeVar("T", bound=Cited)


class Tidying:
    """Tidies one record: white space, and names as the registry writes them.

    `rewritten` lists the fields in which a name was written anew, `spaced` says whether any white space changed.
    """

    def __init__(self, book: NameBook) -> None:
        self._book = book
        self.rewritten: list[str] = []
        self.spaced = False

    def text(self, text: str) -> str:
        """Return the text with every run of white space as one space and none around it."""
        tidy = " ".join(text.split())
        self.spaced = self.spaced or tidy != text
        return tidy

    def text_or_none(self, text: str | None) -> str | None:
        return None if text is None else self.text(text)

    def name(self, field: str, name: str) -> str:
        """Return the registry's name where the given one is exactly one it knows, else the name itself, tidied."""
        tidy = self.text(name)
        known = self._book.canonical(tidy)
        if known != tidy:
            self.rewritten.append(field)
        return known

    def names(self, field: str, names: Iterable[str]) -> tuple[str, ...]:
        """Return the names of a list in their order. Repeats stay: three darts may well have two targets."""
        return tuple(self.name(f"{field}[{at}]", name) for at, name in enumerate(names))

    def of(self, record: T) -> Tidied[T]:
        """Return the record with what was done to it."""
        return Tidied(record, tuple(self.rewritten), self.spaced)


@dataclass(frozen=True, slots=True)
class Tidied(Generic[T]):
    """A record after tidying, and what that changed."""

    record: T
    rewritten: tuple[str, ...]
    spaced: bool


def in_document_order(records: Iterable[T], scope: Scope) -> list[T]:
    """Return the records by earliest evidence; those that share it keep the order they came in."""
    return sorted(records, key=lambda record: earliest(record.source_refs, scope.index))


def collapse_repeats(given: Sequence[Tidied[T]], sameness: Callable[[T], Hashable]) -> StageOutcome[tuple[T, ...]]:
    """Return the records without exact repeats: the first of each sameness stays as it is, no prose is merged.

    One warning for each rewritten name, each record whose white space changed and each repeat, placed at the record
    that stands in the result.
    """
    places: dict[Hashable, int] = {}
    kept: list[T] = []
    findings: list[Finding] = []
    for one in given:
        place = places.setdefault(sameness(one.record), len(kept))
        where = f"record[{place}]"
        if one.spaced:
            findings.append(warning(Code.TEXT_TIDIED, where))
        findings += [warning(Code.NAME_REWRITTEN, f"{where}.{field}") for field in one.rewritten]
        if place == len(kept):
            kept.append(one.record)
        else:
            findings.append(warning(Code.DUPLICATE_COLLAPSED, where))
    return StageOutcome(tuple(kept), tuple(findings))


def key_or_none(text: str | None) -> str | None:
    """Return the comparison key of what may be absent."""
    return None if text is None else comparison_key(text)
