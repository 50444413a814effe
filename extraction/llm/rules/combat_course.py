"""The course of a fight: whose turn it is, sentence by sentence, and what breaks into it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from extraction.llm.rules.combat_cues import SILENCE, Cue, CueKind, fight_cues, round_said
from extraction.llm.rules.combat_interrupts import Interrupt, interrupt_in, is_lair, non_player_in
from extraction.llm.rules.combat_lines import Line, Lines
from extraction.llm.rules.combat_people import People
from extraction.llm.rules.combat_stretches import INTERRUPT_UNITS, Stretch, acts, interruption, standing_out

# How far ahead the addressed player answers, how near a lair is named to its action, how far back an end looks.
_ANSWER_UNITS = 4
_LAIR_UNITS = 2
_ENDING_UNITS = 6
_THEIRS = re.compile(r"\b(?:his|her|its|their) (?:turn|go)\b")
_TAKEN_BACK = re.compile(r"\btake (?:that|it|the \w+) back\b|\bnever ?mind\b|\bscratch that\b")


class Course:
    """Walks the sentences once. What was not said stays open: no turn is made up to fill an order."""

    def __init__(self, lines: Lines, people: People) -> None:
        self._lines, self._people = lines, people
        self._stretches: list[Stretch] = []
        self._turn: Stretch | None = None
        self._round: int | None = None
        self._leading: list[Line] = []
        self._started = self._has_cues = False
        self._speaker: str | None = None
        self._npc: str | None = None

    def stretches(self) -> list[Stretch]:
        """Return turns and interruptions in the order they begin."""
        every = self._lines.lines
        cues = fight_cues(self._lines, self._people)
        self._has_cues = any(cue is not None for cue in cues)
        for at, (line, cue) in enumerate(zip(every, cues, strict=True)):
            self._new_round(line)
            if cue is not None:
                self._follow(cue, line, at)
            if cue is None or cue.kind is CueKind.END:
                if self._started:
                    self._go_on(line, at, cues, ended=cue is not None)
                else:
                    self._go_in(line, at, cues)
            self._take_back(line)
            self._remember(line)
        return self._stretches

    def _new_round(self, line: Line) -> None:
        begins, number = round_said(line)
        if begins and (self._started or self._lines.is_fighting(line.position, 3)):
            self._round = number

    def _follow(self, cue: Cue, line: Line, at: int) -> None:
        if cue.kind is CueKind.INITIATIVE:
            self._lead(None, "other")
            if self._stretches and self._stretches[-1].lines[-1].position == line.position:
                self._stretches[-1].kind = "other"
            self._turn, self._round, self._started = None, None, True
            return
        if cue.kind is CueKind.END:
            self._lead(self._ended(line), "turn")
            if self._turn is not None:
                self._turn.lines.append(line)
            self._turn, self._started = None, True
            return
        actor = cue.actor or (None if cue.third else self._answering(at) or self._speaker)
        self._lead(None, "turn")
        self._started = True
        if actor is None:
            self._turn = None
        elif self._turn is None or self._turn.actor != actor or self._turn.kind != "turn":
            self._open(actor, "turn", line)
        else:
            self._turn.lines.append(line)

    def _open(self, actor: str, kind: str, line: Line) -> Stretch:
        self._turn = Stretch(actor, kind, self._round, [line])
        self._stretches.append(self._turn)
        if not self._people.is_character(actor):
            self._npc = actor
        return self._turn

    def _go_on(self, line: Line, at: int, cues: Sequence[Cue | None], *, ended: bool) -> None:
        if is_lair(line):
            self._lair(line)
            return
        acting = self._turn.actor if self._turn is not None else None
        found = interrupt_in(line, self._people, acting)
        if found is not None:
            self._interrupt(found, at, cues)
        if ended:
            return
        if self._turn is None:
            actor = self._narrated(line) if found is None else None
            if actor is not None:
                self._open(actor, "turn", line)
        elif found is None and self._takes_over(line):
            self._open(self._named(line) or self._turn.actor, "turn", line)
        elif line.position - self._turn.lines[0].position > SILENCE and not self._lines.heat(
            line.position - SILENCE, line.position + 1
        ):
            self._turn, self._started = None, False
        else:
            self._turn.lines.append(line)

    def _go_in(self, line: Line, at: int, cues: Sequence[Cue | None]) -> None:
        """Take a sentence before the first cue: the passage may begin in the middle of a fight."""
        if self._has_cues and self._lines.is_fighting(line.position, 4):
            if is_lair(line) or (
                line.first and self._narrated(line) and self._lines.heat(line.position, line.position + 1)
            ):
                self._lead(None, "turn")
                self._started = True
                self._go_on(line, at, cues, ended=False)
                return
            if (found := interrupt_in(line, self._people, None)) is not None:
                self._interrupt(found, at, cues)
        self._leading.append(line)

    def _take_back(self, line: Line) -> None:
        """Forget the reaction that its player takes back."""
        if line.character is None or not _TAKEN_BACK.search(line.low):
            return
        for past in reversed(self._stretches[-3:]):
            near = past.told is not None and line.position - past.told.position <= INTERRUPT_UNITS
            if near and past.kind == "reaction" and past.actor == line.character:
                self._stretches.remove(past)

    def _lair(self, line: Line) -> None:
        turn = self._turn
        just_begun = turn is not None and line.position - turn.lines[0].position <= _LAIR_UNITS
        if turn is not None and just_begun and turn.kind == "turn" and not self._people.is_character(turn.actor):
            turn.kind = "lair_action"
        if turn is None or turn.kind != "lair_action":
            turn = self._open("the lair", "lair_action", line)
        else:
            turn.lines.append(line)
        turn.told = turn.told or line

    def _interrupt(self, found: Interrupt, at: int, cues: Sequence[Cue | None]) -> None:
        line = self._lines.lines[at]
        actor = found.actor or (self._speaker if found.by_player else self._npc)
        acting = self._turn.actor if self._turn is not None else None
        if actor is None or (found.kind == "reaction" and actor == acting) or self._is_told(actor, found.kind, line):
            return
        said = interruption(self._lines.lines, cues, at, found, actor, acting, self._people)
        self._stretches.append(Stretch(actor, found.kind, self._round, said, told=line))

    def _is_told(self, actor: str, kind: str, line: Line) -> bool:
        """Whether the sentence goes on about an interruption that is known already."""
        return any(
            past.actor == actor and past.kind == kind and past.lines[-1].position >= line.position
            for past in self._stretches[-4:]
        )

    def _lead(self, actor: str | None, kind: str) -> None:
        """Give the sentences before the first cue to whom they belong, where one participant stands out."""
        leading, self._leading = self._leading, []
        if self._started or not leading:
            return
        first = max(leading[0].position, leading[-1].position - SILENCE)
        leading = [line for line in leading if line.position >= first]
        if self._lines.heat(first, leading[-1].position) < 2:
            return
        actor = actor or standing_out(leading)
        if actor is not None and all(past.actor != actor for past in self._stretches):
            self._stretches.append(Stretch(actor, kind, self._round, leading))

    def _ended(self, line: Line) -> str | None:
        """Return whose turn the sentence ends, where that can be told."""
        named = self._named(line)
        if named is not None:
            return named
        if _THEIRS.search(line.low):
            subjects = {non_player_in(past, self._people) for past in self._leading if past.gm and past.first} - {None}
            return subjects.pop() if len(subjects) == 1 else None
        return self._speaker_before(line)

    def _speaker_before(self, line: Line) -> str | None:
        near = [
            past.character
            for past in self._leading
            if past.character and line.position - past.position <= _ENDING_UNITS
        ]
        return near[-1] if near else None

    def _narrated(self, line: Line) -> str | None:
        """Return the known non-player whom the GM begins to tell of after the last turn has ended."""
        if not line.gm or line.asks:
            return None
        known = line.named
        if not known or known[0].is_character or known[0].first > 6:
            return None
        return known[0].name if acts(line, known[0]) else None

    def _takes_over(self, line: Line) -> bool:
        """Whether the GM goes on to a non-player without a cue: the name opens the unit, and an attack follows."""
        turn = self._turn
        if turn is None or not line.gm or not line.first or line.asks or turn.lines[-1].position == line.position:
            return False
        known = line.named
        if not known or known[0].is_character or known[0].first > 1 or known[0].name == turn.actor:
            return False
        resolved = self._lines.heat(turn.lines[0].position, line.position - 1) > 0
        return resolved and acts(line, known[0]) and self._lines.heat(line.position, line.position + 1) > 0

    def _answering(self, at: int) -> str | None:
        """Return the character whose player speaks next."""
        here = self._lines.lines[at].position
        for line in self._lines.lines[at + 1 :]:
            if line.position > here + _ANSWER_UNITS:
                break
            if line.character is not None:
                return line.character
        return None

    def _named(self, line: Line) -> str | None:
        known = line.named
        return known[0].name if known else None

    def _remember(self, line: Line) -> None:
        if line.character is not None:
            self._speaker = line.character
        if line.gm:
            self._npc = non_player_in(line, self._people) or self._npc
