"""Who may act in a fight: characters with their players, and the names of a bound registry."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass

from extraction.identity import comparison_key
from extraction.llm.rules import materials as given
from extraction.llm.rules.materials import Materials, Unit
from extraction.llm.rules.speakers import gm_keys, labels
from extraction.llm.rules.tokens import words
from extraction.llm.rules.words import NOT_NAMES, TITLES

_ROLE = re.compile(r"\b[Tt]he ([A-Z][a-z]{2,})\b(?! [A-Z])")


@dataclass(frozen=True, slots=True)
class Somebody:
    """A known name in a text: the words `first` to `last` mean `name`."""

    name: str
    is_character: bool
    first: int
    last: int


class People:
    """Knows the table's characters and the registry's names. A form that two of them share means nobody."""

    def __init__(self, materials: Materials, units: Sequence[Unit]) -> None:
        self._gm = gm_keys(materials, units)
        self._character_of: dict[str, str] = {}
        meant: dict[tuple[str, ...], set[tuple[str, bool]]] = {}
        parts: dict[tuple[str, ...], set[tuple[str, bool]]] = {}
        for name, spoken, said in _party(materials):
            self._character_of |= dict.fromkeys(spoken, name)
            for form in (name, *said):
                _learn(form, (name, True), meant, parts)
        characters = set(self._character_of.values())
        for name, others in _registry(materials):
            if name not in characters:
                for form in (name, *others):
                    _learn(form, (name, False), meant, parts)
        for entry in given.glossary(materials):
            known = meant.get(_keys(entry.term)) or parts.get(_keys(entry.term))
            for heard in entry.heard_as if known else ():
                meant.setdefault(_keys(heard), set()).update(known or ())
        for keys, owners in parts.items():
            meant.setdefault(keys, owners)
        self._meant = {keys: next(iter(owners)) for keys, owners in meant.items() if len(owners) == 1 and keys}
        self._longest = max((len(keys) for keys in self._meant), default=0)

        told = Counter(role for unit in units if self.is_gm(unit.speaker) for role in _ROLE.findall(unit.text))
        self._roles = {role for role, times in told.items() if times > 1 and not self.named_in(role)}

    def role_in(self, text: str) -> str | None:
        """Return a role that the GM uses as a name again and again, such as "the Warden"."""
        return next((f"the {role}" for role in _ROLE.findall(text) if role in self._roles), None)

    def with_characters(self, names: Collection[str]) -> People:
        """Return the same people with these names of the registry as characters too, whoever plays them."""
        known = copy(self)
        known._meant = {keys: (name, played or name in names) for keys, (name, played) in self._meant.items()}
        return known

    def is_gm(self, speaker: str | None) -> bool:
        return any(label in self._gm for label in labels(speaker))

    def character(self, speaker: str | None) -> str | None:
        """Return the character of the one player who speaks; None for the GM, several or unknown speakers."""
        said = labels(speaker)
        return self._character_of.get(said[0]) if len(said) == 1 and said[0] not in self._gm else None

    def is_character(self, name: str) -> bool:
        return name in self._character_of.values()

    def named_in(self, text: str) -> list[Somebody]:
        """Return the known names of a text in order, the longest form at each place."""
        spoken = words(text)
        keys = [word.key for word in spoken]
        found: list[Somebody] = []
        at = 0
        while at < len(keys):
            size = self._form_at(keys, at) if spoken[at].capital or spoken[at].key in {"the", "a"} else 0
            if size:
                name, is_character = self._meant[tuple(keys[at : at + size])]
                found.append(Somebody(name, is_character, at, at + size - 1))
            at += size or 1
        return found

    def _form_at(self, keys: Sequence[str], at: int) -> int:
        for size in range(min(self._longest, len(keys) - at), 0, -1):
            if tuple(keys[at : at + size]) in self._meant:
                return size
        return 0


def _learn(
    form: str,
    owner: tuple[str, bool],
    meant: dict[tuple[str, ...], set[tuple[str, bool]]],
    parts: dict[tuple[str, ...], set[tuple[str, bool]]],
) -> None:
    keys = _keys(form)
    meant.setdefault(keys, set()).add(owner)
    for part in keys if len(keys) > 1 else ():
        if part in TITLES:
            parts.setdefault(("the", part), set()).add(owner)
        elif len(part) > 2 and part not in NOT_NAMES:
            parts.setdefault((part,), set()).add(owner)


def _keys(form: str) -> tuple[str, ...]:
    return tuple(word.key for word in words(form))


def _party(materials: Materials) -> Iterator[tuple[str, set[str], tuple[str, ...]]]:
    """Yield each character's name, the labels its player speaks under, and what else it is called."""
    for item in given.entries(materials.get("party")):
        member = given.fields(item)
        name = given.text_of(member.get("character"))
        if name is None:
            continue
        player = given.text_of(member.get("player"))
        spoken = (*given.strings(member.get("speaker_labels")), *((player,) if player else ()))
        yield name, {comparison_key(label) for label in spoken}, (*given.strings(member.get("other_names")), *spoken)


def _registry(materials: Materials) -> Iterable[tuple[str, tuple[str, ...]]]:
    rows = (given.fields(item) for item in given.entries(materials.get("npcs")))
    return [(name, given.strings(row.get("other_names"))) for row in rows if (name := given.text_of(row.get("name")))]
