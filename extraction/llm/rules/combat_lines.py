"""A stretch of transcript as sentences with their places, and how much of a fight is heard around each unit."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from extraction.llm.rules.combat_people import People, Somebody
from extraction.llm.rules.combat_words import ABILITIES, DAMAGE_TYPES
from extraction.llm.rules.materials import Unit
from extraction.llm.rules.spoken_numbers import NUMBER

_APOSTROPHES = str.maketrans(dict.fromkeys("\u2018\u2019\u02bc`\u00b4\u2032\uff07", "'"))
_QUOTED = re.compile(r'"[^"]*"?|\u201c[^\u201d]*\u201d?')
_ASIDE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_SENTENCE = re.compile(r"[^.!?;\u2014]+[.!?;\u2014]*")

HEAT = re.compile(
    rf"\bto hit\b|\b(?:that|both|those|still|just|will|would|does|it|which) hits?\b|\bhits[.!,]|^hits?\b"
    rf"|\bmiss(?:es)?\b"
    rf"|\b{NUMBER}(?: points?)?(?: of)?(?: (?:{DAMAGE_TYPES}))? damage\b|\b{NUMBER} (?:{DAMAGE_TYPES})\b"
    rf"|\b(?:{ABILITIES}) sav(?:e|es|ing)\b|\bsaving throws?\b|\bsneak attack\b|\broll(?: for)? (?:damage"
    rf"|initiative)\b|\b\d{{0,2}}d\d{{1,2}}\b"
    rf"|\bfor (?:your|an|the) attack\b|\battack (?:roll|of opportunity)\b|\bopportunity attack\b|\bbonus action\b"
    rf"|\blegendary action\b|\blair action\b|\breaction\b"
    rf"|\bnatural {NUMBER}\b"
)
# How near signs of a fight must be for a cue to be one of a fight.
_NEAR = 14


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence without quoted speech and stage directions; `low` is its lower case, `named` who is named in it.

    `number` counts the sentences, `position` the units, both from 0 with what stands before the passage.
    """

    number: int
    position: int
    text: str
    low: str
    gm: bool
    character: str | None
    first: bool
    last: bool
    named: tuple[Somebody, ...]

    @property
    def asks(self) -> bool:
        return self.text.endswith("?")


class Lines:
    """All sentences in order. `citable` are the positions that are not context."""

    def __init__(self, before: Sequence[Unit], cited: Sequence[Unit], people: People) -> None:
        every = (*before, *cited)
        self.unit_ids = [unit.unit_id for unit in every]
        self.start = len(before)
        self.lines: list[Line] = []
        for at, unit in enumerate(every):
            self.lines += _sentences(len(self.lines), at, unit, people)
        self._hot = sorted({line.position for line in self.lines if HEAT.search(line.low)})

    def heat(self, first: int, last: int) -> int:
        """Return how many units of the range have a sign of a fight."""
        return bisect_right(self._hot, last) - bisect_left(self._hot, first)

    def is_fighting(self, position: int, signs: int) -> bool:
        return self.heat(position - _NEAR, position + _NEAR) >= signs


def _sentences(number: int, position: int, unit: Unit, people: People) -> list[Line]:
    text = _ASIDE.sub(" ", _QUOTED.sub(" ", unit.text.translate(_APOSTROPHES)))
    parts = [
        part for found in _SENTENCE.findall(text) if (part := " ".join(found.split())).strip(" .!?;,-\u2014\u2026")
    ]
    gm, character = people.is_gm(unit.speaker), people.character(unit.speaker)
    return [
        Line(
            number + at,
            position,
            part,
            part.lower(),
            gm,
            character,
            at == 0,
            at == len(parts) - 1,
            tuple(people.named_in(part)),
        )
        for at, part in enumerate(parts)
    ]
