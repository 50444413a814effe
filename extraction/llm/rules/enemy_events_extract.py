"""Answer "dnd/enemy-events.extract": what a stretch of transcript tells of the fate of enemies."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from extraction.canonical import JsonValue
from extraction.llm.rules import materials as given
from extraction.llm.rules.citing import cite
from extraction.llm.rules.combat_course import Course
from extraction.llm.rules.combat_cues import CueKind, calls_initiative, cue_in
from extraction.llm.rules.combat_lines import Line, Lines
from extraction.llm.rules.combat_people import People
from extraction.llm.rules.enemies import Enemies, played_names
from extraction.llm.rules.enemy_attacks import Acting, Attacks
from extraction.llm.rules.enemy_memory import Memory
from extraction.llm.rules.enemy_words import (
    CONDITION,
    CREATURES,
    DEFEATED,
    FINISHED,
    FLEES,
    HEALS,
    NOT_SO,
    SAYS_SURRENDER,
    SURRENDERS,
    UNSAID,
)
from extraction.llm.rules.materials import Materials, Unit
from extraction.llm.rules.spoken_numbers import NUMBER

# How near the same end or state of an enemy is told again.
_SAME_UNITS = 12
_BEFORE_INITIATIVE = 2
_SIGNS = 2
_LONGEST_DETAIL = 120

_NEWCOMER = re.compile(
    r"\b(?P<count>a|an|another|two|three|four|five|six|seven|eight|several)\s+"
    r"(?P<noun>(?:[\w'-]+ ){0,2}?(?P<head>[\w'-]+))\b"
    r"(?P<with> (?:with|in) (?:a|an|the) (?:(?:red|black|white|green|blue|grey|brown|long|big|old|dark) )?[\w'-]+)?"
)
_TOLD = (
    ("defeated", DEFEATED),
    ("surrenders", SURRENDERS),
    ("flees", FLEES),
    ("condition", CONDITION),
    ("healed", HEALS),
)
_SUBJECT = re.compile(r"\b(?:he|she)\b")
_ENDINGS = frozenset({"defeated", "flees", "surrenders"})


@dataclass(frozen=True, slots=True)
class _Event:
    enemy: str
    kind: str
    detail: str
    actor: str | None
    places: tuple[int, ...]


def extract_enemy_events(materials: Materials) -> JsonValue:
    """Return `{"events": [...]}` for the units of the transcript, in their order."""
    (before, _), cited = given.context_sides(materials), given.transcript(materials)
    every = (*before, *cited)
    people = People(materials, every)
    people = people.with_characters(played_names(people, every))
    events = _Fight(every, Lines(before, cited, people), people).events()
    own = range(len(before), len(every))
    return {"events": [_record(event, every, own) for event in events if event.places[-1] in own]}


def _record(event: _Event, every: Sequence[Unit], own: range) -> JsonValue:
    return {
        "enemy": event.enemy,
        "kind": event.kind,
        "detail": event.detail,
        "actor": event.actor,
        "source_refs": cite({at: 5 for at in event.places if at in own}, every),
    }


class _Fight:
    """Walks the sentences once, with the enemies spoken of last and the attack that waits for its outcome."""

    def __init__(self, units: Sequence[Unit], lines: Lines, people: People) -> None:
        self._units, self._lines, self._people = units, lines, people
        self._enemies = Enemies(lines, people)
        self._memory = Memory(self._enemies)
        course = Course(lines, people)
        self._attacks = Attacks(lines, people, self._enemies, self._memory, Acting(course))
        self._fallen: set[str] = set()
        self._ended: dict[tuple[str, str], int] = {}

    def events(self) -> list[_Event]:
        """Return the events in the order they are told."""
        found: list[_Event] = []
        previous: Line | None = None
        for line in self._lines.lines:
            if line.gm:
                found += self._told(line, previous)
            else:
                self._attacks.played(line, previous)
            self._memory.take_in(line)
            previous = line
        damaged = (
            _Event(blow.enemy, "damaged", f"takes {blow.amount.detail}", blow.actor, tuple(blow.places))
            for blow in self._attacks.blows
        )
        return self._once(sorted((*self._newcomers(), *damaged, *found), key=_order))

    def _told(self, line: Line, previous: Line | None) -> Iterator[_Event]:
        """Yield what the GM tells in a sentence, and note what it says of the attack that waits."""
        self._attacks.told(line, previous)
        attack = self._attacks.current
        if FINISHED.search(line.low) and attack is not None and attack.enemy is not None:
            yield _Event(attack.enemy, "defeated", "is finished off", attack.actor, (attack.at, line.position))
        if not self._lines.is_fighting(line.position, _SIGNS):
            return
        if not line.asks:
            yield from self._befalls(line)
        if line.first:
            yield from self._says_surrender(line)
        if (cue := cue_in(line, self._people, fighting=True)) is not None and cue.kind is not CueKind.INITIATIVE:
            self._attacks.closed_by(cue.actor)

    def _befalls(self, line: Line) -> Iterator[_Event]:
        for kind, pattern in _TOLD:
            match = pattern.search(line.low)
            if match is None or NOT_SO.search(line.low[max(0, match.start() - 40) : match.start()]):
                continue
            meant = self._meant(line, line.low[: match.start()])
            enemy = self._enemies.subject(line.text[: match.start()], meant)
            if enemy is None:
                continue
            self._memory.keep(enemy, line.position)
            actor, places = self._doer(kind, enemy, line)
            if kind == "defeated":
                self._fallen.add(enemy)
            yield _Event(enemy, kind, self._detail(kind, line, match), actor, places)
            return

    def _says_surrender(self, line: Line) -> Iterator[_Event]:
        """Yield the surrender that an enemy speaks in the GM's voice, unless the GM takes it back at once."""
        text = self._units[line.position].text
        match = SAYS_SURRENDER.search(text)
        others = [one.name for one in self._people.named_in(text) if not one.is_character]
        if match is not None and others and UNSAID.search(text, match.end()) is None:
            yield _Event(others[0], "surrenders", "gives up", None, (line.position,))

    def _detail(self, kind: str, line: Line, match: re.Match[str]) -> str:
        if kind == "condition":
            return match["state"] or match["fallen"]
        if kind == "healed":
            number = re.search(rf"\b{NUMBER}\b(?: hit)?(?: points?)?", line.low[match.end() :])
            return f"{match.group()} {number.group()}" if number is not None else match.group()
        return _shortened(line.text)

    def _doer(self, kind: str, enemy: str, line: Line) -> tuple[str | None, tuple[int, ...]]:
        """Return who brought an enemy down, where the attack on it is the one that waits."""
        attack = self._attacks.current
        if kind == "defeated" and attack is not None and attack.enemy == enemy and attack.landed:
            return attack.actor, (attack.at, line.position)
        return None, (line.position,)

    def _newcomers(self) -> Iterator[_Event]:
        """Yield who comes into sight in the GM's words just before "roll initiative"."""
        seen: set[str] = set()
        for told in self._before_initiative():
            for enemy in self._appearing(told):
                if enemy not in seen:
                    seen.add(enemy)
                    yield _Event(enemy, "appears", _shortened(told.text), None, (told.position,))

    def _before_initiative(self) -> Iterator[Line]:
        """Yield the GM's statements in the units that end in a call for initiative."""
        called = {line.position for line in self._lines.lines if calls_initiative(line)}
        for line in self._lines.lines:
            near = any(line.position + more in called for more in range(_BEFORE_INITIATIVE + 1))
            if near and line.gm and not line.asks and not calls_initiative(line) and not NOT_SO.search(line.low):
                yield line

    def _appearing(self, line: Line) -> Iterator[str]:
        yield from self._enemies.hostile_names(line.text)
        for match in _NEWCOMER.finditer(line.low):
            if match["head"] in CREATURES:
                one = match["count"] in {"a", "an", "another"}
                yield f"the {match['noun'] if one else match['count'] + ' ' + match['noun']}{match['with'] or ''}"

    def _meant(self, line: Line, before: str) -> str | None:
        """Return whom a pronoun before the verb, or nothing at all, means: never one who has fallen."""
        pronoun = found.group() if (found := _SUBJECT.search(before)) is not None else ""
        attack = self._attacks.current
        aimed = attack.enemy if attack is not None and pronoun else None
        for enemy in (self._attacked(), self._memory.recent(line.position), aimed):
            if enemy is not None and enemy not in self._fallen and self._memory.fits(enemy, pronoun):
                return enemy
        return None

    def _attacked(self) -> str | None:
        """Return the enemy that was hurt last, where the GM's next words are about it."""
        attack = self._attacks.current
        return attack.enemy if attack is not None and attack.blows else None

    def _once(self, events: Sequence[_Event]) -> list[_Event]:
        """Return the events without those that tell the same end or state of an enemy again soon after."""
        kept: list[_Event] = []
        for event in events:
            key, at = (event.enemy, event.kind + (event.detail if event.kind == "condition" else "")), event.places[-1]
            if event.kind in _ENDINGS | {"condition"} and at - self._ended.get(key, -_SAME_UNITS - 1) <= _SAME_UNITS:
                continue
            self._ended[key] = at
            kept.append(event)
        return kept


def _order(event: _Event) -> int:
    return min(event.places)


def _shortened(text: str) -> str:
    text = text.strip(" .!,\u2014-")
    if len(text) <= _LONGEST_DETAIL:
        return text
    return text[: text.rindex(" ", 0, _LONGEST_DETAIL)] if " " in text[:_LONGEST_DETAIL] else text[:_LONGEST_DETAIL]
