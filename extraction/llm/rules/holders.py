"""Who does something to a thing, and who gets it: characters through their players' words, and names as written."""

from __future__ import annotations

from collections.abc import Sequence

from extraction.identity import comparison_key
from extraction.llm.rules import materials as given
from extraction.llm.rules.materials import Materials, Unit
from extraction.llm.rules.names import Span, spans
from extraction.llm.rules.speakers import labels
from extraction.llm.rules.tokens import Word

_FIRST_PERSON = frozenset({"i"})
_PREPOSITIONS = frozenset({"to", "of", "with", "at", "in", "from", "for", "on", "by", "about", "near", "behind"})


class Holders:
    """Knows the table's characters by their names and by who speaks for them."""

    def __init__(self, materials: Materials) -> None:
        self._speaks_for: dict[str, str] = {}
        self._character: dict[str, str] = {}
        for item in given.entries(materials.get("party")):
            member = given.fields(item)
            name = given.text_of(member.get("character"))
            if name is None:
                continue
            spoken = [*given.strings(member.get("speaker_labels")), given.text_of(member.get("player")) or ""]
            self._speaks_for |= {comparison_key(label): name for label in spoken if label}
            for form in (name, *given.strings(member.get("other_names"))):
                self._character[comparison_key(form)] = name

    def speaker(self, unit: Unit) -> str | None:
        """Return the character of the one player who speaks."""
        said = labels(unit.speaker)
        return self._speaks_for.get(said[0]) if len(said) == 1 else None

    def subject(self, text: Sequence[Word], start: int, verb: int, unit: Unit) -> str | None:
        """Return who does what the verb says: the nearest "I" or name before it; None for "you", "she" and nobody."""
        names = {span.last: span for span in spans(text[start:verb])}
        for at in range(verb - 1, start - 1, -1):
            if text[at].key in _FIRST_PERSON and not text[at].quoted:
                return self.speaker(unit)
            if text[at].key in {"you", "he", "she", "they", "we", "it"}:
                return None
            span = names.get(at - start)
            if span is not None and not text[at].clitic and not _after_preposition(text, start + span.first, start):
                return self._name(text[start:verb], span)
        return None

    def receiver(self, text: Sequence[Word], verb: int, first: int, last: int, end: int) -> str | None:
        """Return who gets the thing at `first` to `last`: "hands X the lamp", "gives the lamp to X"."""
        between = text[verb + 1 : first]
        for span in spans(between):
            return self._name(between, span)
        if last + 2 < end and text[last + 1].key in {"to", "over"}:
            after = text[last + 1 : end]
            for span in spans(after):
                return self._name(after, span) if span.first <= 2 else None
        return None

    def _name(self, text: Sequence[Word], span: Span) -> str:
        written = " ".join(word.text for word in text[span.first : span.last + 1])
        core = " ".join(word.text for word in text[span.core : span.last + 1])
        return self._character.get(comparison_key(core), written)


def _after_preposition(text: Sequence[Word], at: int, start: int) -> bool:
    return at > start and text[at - 1].key in _PREPOSITIONS
