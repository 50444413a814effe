"""Who speaks: labels of a turn, names of the people at the table, and which of them is the game master."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from extraction.identity import comparison_key
from extraction.llm.rules import materials as given
from extraction.llm.rules.materials import Materials, Unit
from extraction.llm.rules.tokens import words
from extraction.llm.rules.words import GM_PHRASES, NOT_NAMES

_JOINED = re.compile(r"\s*(?:&|,|/|\+|\band\b)\s*")
_BRACKETS = re.compile(r"\([^()]*\)")
# One cue phrase of a game master counts as much as this many spoken words.
_PHRASE_WORTH = 25


def labels(speaker: str | None) -> tuple[str, ...]:
    """Return the keys of the people a speaker label names: "ANA & BO" is two."""
    if speaker is None:
        return ()
    keys = (comparison_key(_BRACKETS.sub(" ", part)) for part in _JOINED.split(speaker))
    return tuple(key for key in keys if key)


def infer_gm(units: Iterable[Unit], players: Collection[str] = ()) -> frozenset[str]:
    """Return the label of the speaker with most words and most phrases of a game master, none of the `players`.

    Empty where nobody says such a phrase: who merely talks most is no game master.
    """
    weights: Counter[str] = Counter()
    phrases: Counter[str] = Counter()
    for unit in units:
        said = labels(unit.speaker)
        if len(said) != 1 or said[0] in players:
            continue
        lowered = unit.text.lower()
        cues = sum(phrase in lowered for phrase in GM_PHRASES)
        phrases[said[0]] += cues
        weights[said[0]] += len(lowered.split()) + _PHRASE_WORTH * cues
    likely = [key for key in weights if phrases[key]]
    return frozenset({min(likely, key=lambda key: (-weights[key], key))}) if likely else frozenset()


def gm_keys(materials: Materials, units: Sequence[Unit]) -> frozenset[str]:
    """Return the labels of the game master as given, with an inferred one only where the roster speaks nowhere.

    A roster that shares no label with the units was made for another transcript of the table.
    """
    known = frozenset(key for label in given.gm_labels(materials) for key in labels(label))
    players = {key for label in given.player_labels(materials) for key in labels(label)}
    speaking = {label for unit in units for label in labels(unit.speaker)}
    if known & speaking or (given.gm_speaker_labels(materials) and players & speaking):
        return known
    return known | infer_gm(units, players)


class TableNames:
    """The names nobody may be reported under: the party, the players, the game master, whoever speaks.

    A name is refused if it is one of theirs in full, or a single word that is a part of one; "Ana Reed" at the table
    does not refuse "Bo Reed" in the story.
    """

    def __init__(self, materials: Materials, units: Iterable[Unit]) -> None:
        spoken = {label for unit in units for label in labels(unit.speaker)}
        full = [*given.roster_names(materials), *given.gm_labels(materials), *sorted(spoken)]
        self._full = {comparison_key(name) for name in full}
        self._parts = {part for name in full for part in _name_parts(name)}

    def refuses(self, name: str) -> bool:
        key = comparison_key(name)
        first, *others = key.split() or [""]
        return key in self._full or first in self._full or (not others and first in self._parts)

    def is_table_word(self, key: str) -> bool:
        """Whether a single word names somebody at the table."""
        return key in self._full or key in self._parts


def _name_parts(name: str) -> Iterable[str]:
    """Words of a name of three letters or more, and the pieces an apostrophe or hyphen makes: "Tha'lia" -> "tha"."""
    for word in words(name):
        for part in (word.key, *re.split(r"['-]", word.key)):
            if len(part) >= 3 and part not in NOT_NAMES:
                yield part
