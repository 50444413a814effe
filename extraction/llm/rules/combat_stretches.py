"""Stretches of a fight in which one participant acts, and how far an interruption reaches."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from extraction.llm.rules.combat_cues import Cue
from extraction.llm.rules.combat_interrupts import Interrupt, interrupt_in
from extraction.llm.rules.combat_lines import HEAT, Line
from extraction.llm.rules.combat_people import People, Somebody
from extraction.llm.rules.combat_words import THIRD_PERSON
from extraction.llm.rules.spoken_numbers import NUMBER

INTERRUPT_UNITS = 8
"""How many units an interruption lasts at most."""
_ROLLED = re.compile(rf"\b{NUMBER}\b")


@dataclass(slots=True)
class Stretch:
    """The sentences in which one participant acts; `told` is the one that says it of an interruption."""

    actor: str
    kind: str
    round: int | None
    lines: list[Line] = field(default_factory=list)
    told: Line | None = None

    @property
    def interrupts(self) -> bool:
        """Whether it breaks into a turn; a lair acts on a count of its own."""
        return self.told is not None and self.kind != "lair_action"


def interruption(
    lines: Sequence[Line],
    cues: Sequence[Cue | None],
    at: int,
    found: Interrupt,
    actor: str,
    acting: str | None,
    people: People,
) -> list[Line]:
    """Return the sentences of the interruption told at `at`, up to a cue, another one, or the turn's own player."""
    told = lines[at].position
    start = at
    while found.by_player and found.actor is None and start and lines[start - 1].position >= told - 2:
        start -= 1
    said: list[Line] = []
    for place in range(start, len(lines)):
        line = lines[place]
        if line.position > told and (
            line.position - told > INTERRUPT_UNITS
            or cues[place] is not None
            or _breaks_in(line, found.kind, acting, people)
            or (line.position > told + 1 and _goes_on(line, acting, actor, people))
        ):
            break
        said.append(line)
    return said


def _breaks_in(line: Line, kind: str, acting: str | None, people: People) -> bool:
    """Whether an interruption of another kind follows."""
    found = interrupt_in(line, people, acting)
    return found is not None and found.kind != kind


def _goes_on(line: Line, acting: str | None, interrupting: str, people: People) -> bool:
    """Whether the one whose turn it is speaks on, and not in answer to the interruption."""
    answers = not people.is_character(interrupting) and HEAT.search(line.low) is not None
    return acting is not None and line.character == acting and not answers


def standing_out(lines: Sequence[Line]) -> str | None:
    """Return the one character who does most of the rolling, None where two are near each other."""
    counts = Counter(line.character for line in lines if line.character and _ROLLED.search(line.low))
    ranked = counts.most_common(2)
    if not ranked or ranked[0][1] < 2 or (len(ranked) > 1 and ranked[1][1] * 2 > ranked[0][1]):
        return None
    return ranked[0][0]


def acts(line: Line, known: Somebody) -> bool:
    """Whether the name is followed by what it does."""
    said = [word.strip(",.!?;") for word in line.low.split()[known.last + 1 : known.last + 6]]
    return any(word in THIRD_PERSON for word in said) or (
        bool(said) and (said[0] in {"is", "goes", "comes", "doesn't", "looks"} or "going" in said)
    )
