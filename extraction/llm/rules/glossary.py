"""The terms a group wrote down, and how a transcript mishears them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from extraction.identity import comparison_key
from extraction.llm.rules.materials import GlossaryEntry
from extraction.llm.rules.names import Span
from extraction.llm.rules.tokens import Word, words


class Glossary:
    """The terms a group wrote down, and the forms a transcript has for them by mishearing."""

    def __init__(self, entries: Sequence[GlossaryEntry]) -> None:
        self._terms = {comparison_key(entry.term) for entry in entries}
        self._heard: dict[tuple[str, ...], str] = {}
        for entry in entries:
            for form in entry.heard_as:
                keys = tuple(word.key for word in words(form))
                if keys and comparison_key(form) not in self._terms:
                    self._heard.setdefault(keys, entry.term)
        self._starts: dict[str, list[tuple[str, ...]]] = {}
        for keys in sorted(self._heard, key=lambda form: (-len(form), form)):
            self._starts.setdefault(keys[0], []).append(keys)

    def is_term(self, name: str) -> bool:
        return comparison_key(name) in self._terms

    def corrected(self, text: Sequence[Word]) -> str:
        """Return the words as one name, with misheard forms replaced by their terms."""
        parts: list[str] = []
        at = 0
        while at < len(text):
            form = self._form_at(text, at)
            parts.append(self._heard[form] if form else text[at].text)
            at += len(form) if form else 1
        return " ".join(parts)

    def mended(self, text: Sequence[Word]) -> tuple[Word, ...]:
        """Return the words of a text with misheard forms replaced by the words of their terms."""
        if not self._starts:
            return tuple(text)
        found: list[Word] = []
        at = 0
        while at < len(text):
            form = self._form_at(text, at)
            term = list(words(self._heard[form])) if form else []
            if form and term:
                first, last = text[at], text[at + len(form) - 1]
                term[0] = replace(term[0], gap=first.gap, opens=first.opens)
                term[-1] = replace(term[-1], clitic=last.clitic, after=last.after)
                found += (replace(word, quoted=first.quoted) for word in term)
            else:
                found.append(text[at])
            at += len(form) if form and term else 1
        return tuple(found)

    def spans(self, text: Sequence[Word], covered: Set[int]) -> Iterator[Span]:
        """Return the misheard forms of a text, whatever their capitals, that share no word with `covered`."""
        at = 0
        while self._starts and at < len(text):
            form = None if at in covered else self._form_at(text, at)
            last = at + len(form) - 1 if form else at
            if form and covered.isdisjoint(range(at, last + 1)):
                yield Span(at, at, last, (), 0)
            at = last + 1

    def _form_at(self, text: Sequence[Word], at: int) -> tuple[str, ...] | None:
        for form in self._starts.get(text[at].key, ()):
            if tuple(word.key for word in text[at : at + len(form)]) == form:
                return form
        return None
