"""Answer "dnd/enemy-events.extract": what a stretch of transcript tells of the fate of enemies."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from extraction.canonical import JsonValue
from extraction.llm.rules import materials as given
from extraction.llm.rules.citing import cite
from extraction.llm.rules.combat_cues import CueKind, cue_in
from extraction.llm.rules.combat_facts import facts_of
from extraction.llm.rules.combat_lines import Line, Lines
from extraction.llm.rules.combat_people import People
from extraction.llm.rules.enemies import Enemies, damage_said, declares_attack, described
from extraction.llm.rules.enemy_words import (
    CONDITION,
    CREATURES,
    DEFEATED,
    FINISHED,
    FLEES,
    HEALS,
    NOT_SO,
    OTHER_SUBJECT,
    ROLL,
    SAYS_SURRENDER,
    SURRENDERS,
    UNSAID,
)
from extraction.llm.rules.materials import Materials, Unit
from extraction.llm.rules.spoken_numbers import NUMBER

# How many units a declared attack waits for its damage, a pronoun for its enemy, and one end follows another.
_ATTACK_UNITS = 8
_SAME_UNITS = 12
_PRONOUN_UNITS = 1
_BARE_ROLL = 4
_NAMES_KEPT = 12
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
_ENDINGS = frozenset({"defeated", "flees", "surrenders"})


@dataclass(slots=True)
class _Attack:
    """An attack that was declared: its enemy may be unknown, and it counts once the GM says that it hits."""

    actor: str
    enemy: str | None
    at: int
    hit_at: int | None = None
    hurt: bool = False


@dataclass(frozen=True, slots=True)
class _Event:
    enemy: str
    kind: str
    detail: str
    actor: str | None
    places: tuple[int, ...]


def extract_enemy_events(materials: Materials) -> JsonValue:
    """Return `{"events": [...]}` for the units of the transcript, in their order."""
    around = given.fields(materials.get("context"))
    before, cited = given.units(around.get("before")), given.transcript(materials)
    every = (*before, *cited)
    people = People(materials, every)
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
    """Walks the sentences once, with the enemy spoken of last and the attack that waits for its outcome."""

    def __init__(self, units: Sequence[Unit], lines: Lines, people: People) -> None:
        self._units, self._lines, self._people = units, lines, people
        self._enemies = Enemies(lines, people)
        self._attack: _Attack | None = None
        self._last: tuple[str, int] | None = None
        self._here = 0
        self._named: deque[tuple[str, int]] = deque(maxlen=_NAMES_KEPT)
        self._of_unit: dict[int, list[Line]] = {}
        for line in lines.lines:
            self._of_unit.setdefault(line.position, []).append(line)
        self._ended: dict[tuple[str, str], int] = {}

    def events(self) -> list[_Event]:
        """Return the events in the order they are told."""
        found: list[_Event] = []
        previous: Line | None = None
        for line in self._lines.lines:
            self._here = line.position
            if self._lines.is_fighting(line.position, _SIGNS):
                found += self._told(line, previous) if line.gm else self._played(line, previous)
                self._remember(line)
            previous = line
        return self._once(sorted((*self._newcomers(), *found), key=lambda event: min(event.places)))

    def _played(self, line: Line, previous: Line | None) -> Iterator[_Event]:
        """Note the attack that a player's unit declares, and yield the damage it says once an attack hit."""
        if line.character is None or not line.first:
            return
        said = self._of_unit[line.position]
        if any(declares_attack(one) for one in said):
            aimed = (self._enemies.target(one.text, self._meant) for one in said if not one.asks)
            enemy = next((enemy for enemy in aimed if enemy is not None), None) or self._still_attacked(line)
            self._attack = _Attack(line.character, enemy, line.position)
        attack = self._attack
        if attack is None or attack.actor != line.character or attack.hit_at is None or attack.enemy is None:
            return
        detail = damage_said(said, previous, self._of_unit.get(line.position + 1, ()))
        if detail is not None:
            places = (attack.at, attack.hit_at, line.position)
            attack.hit_at, attack.hurt = None, True
            yield _Event(attack.enemy, "damaged", f"takes {detail}", attack.actor, places)

    def _meant(self, pronoun: str) -> str | None:
        """Return the one enemy named of late that the pronoun fits, None where there are several."""
        sign = {"him": "m", "her": "f"}.get(pronoun)
        near = {name for name, at in self._named if self._here - at <= _SAME_UNITS}
        fitting = {name for name in near if sign is None or self._enemies.gender(name) in (sign, None)}
        return next(iter(fitting)) if len(fitting) == 1 else None

    def _still_attacked(self, line: Line) -> str | None:
        """Return whom the same player attacked just before."""
        attack = self._attack
        same = attack is not None and attack.actor == line.character and line.position - attack.at <= _ATTACK_UNITS
        return attack.enemy if attack is not None and same else None

    def _told(self, line: Line, previous: Line | None) -> Iterator[_Event]:
        """Yield what the GM tells in a sentence, and note what it says of the attack that waits."""
        attack = self._attack
        if attack is not None and line.position - attack.at > _ATTACK_UNITS:
            self._attack = attack = None
        if "hits" in facts_of(line, previous, played=True):
            attack = self._attack = attack or self._unsaid_attack(line)
            if attack is not None:
                attack.hit_at = line.position
        if FINISHED.search(line.low) and attack is not None and attack.enemy is not None:
            yield _Event(attack.enemy, "defeated", "is finished off", attack.actor, (attack.at, line.position))
        if not line.asks:
            yield from self._befalls(line)
        if line.first:
            yield from self._says_surrender(line)
        if (cue := cue_in(line, self._people, fighting=True)) is not None and cue.kind is not CueKind.INITIATIVE:
            self._attack = None

    def _unsaid_attack(self, line: Line) -> _Attack | None:
        """Return the attack of the player whose roll the GM answers, where only one enemy can be meant.

        That is the only enemy there is, or the only one named of late before a roll without any other words.
        """
        before = self._of_unit.get(line.position - 1, ())
        actor = next((one.character for one in before if one.character is not None and ROLL.search(one.low)), None)
        named = {enemy for enemy, at in self._named if line.position - at <= _SAME_UNITS}
        bare = sum(len(one.low.split()) for one in before) <= _BARE_ROLL
        only = next(iter(named)) if len(named) == 1 and bare else None
        enemy = self._enemies.sole or (only if only is not None and self._enemies.is_fought(only) else None)
        return _Attack(actor, enemy, line.position - 1) if actor is not None and enemy is not None else None

    def _befalls(self, line: Line) -> Iterator[_Event]:
        for kind, pattern in _TOLD:
            match = pattern.search(line.low)
            if match is None or NOT_SO.search(line.low[max(0, match.start() - 40) : match.start()]):
                continue
            meant = self._attacked() or self._recent(line)
            enemy = self._enemies.subject(line.text[: match.start()], meant)
            if enemy is None:
                continue
            self._last = (enemy, line.position)
            actor, places = self._doer(kind, enemy, line)
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
        attack = self._attack
        if kind == "defeated" and attack is not None and attack.enemy == enemy and (attack.hurt or attack.hit_at):
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
        called = {line.position for line in self._lines.lines if self._calls(line)}
        for line in self._lines.lines:
            near = any(line.position + more in called for more in range(_BEFORE_INITIATIVE + 1))
            if near and line.gm and not line.asks and not self._calls(line) and not NOT_SO.search(line.low):
                yield line

    def _calls(self, line: Line) -> bool:
        cue = cue_in(line, self._people, fighting=True) if line.gm else None
        return cue is not None and cue.kind is CueKind.INITIATIVE

    def _appearing(self, line: Line) -> Iterator[str]:
        yield from self._enemies.hostile_names(line.text)
        for match in _NEWCOMER.finditer(line.low):
            if match["head"] in CREATURES:
                one = match["count"] in {"a", "an", "another"}
                yield f"the {match['noun'] if one else match['count'] + ' ' + match['noun']}{match['with'] or ''}"

    def _recent(self, line: Line) -> str | None:
        """Return the enemy that the GM spoke of just now, whom a pronoun may mean."""
        if self._last is None or line.position - self._last[1] > _PRONOUN_UNITS:
            return None
        return self._last[0]

    def _attacked(self) -> str | None:
        """Return the enemy that was hurt last, where the GM's next words are about it."""
        return self._attack.enemy if self._attack is not None and self._attack.hurt else None

    def _remember(self, line: Line) -> None:
        others = [one.name for one in self._people.named_in(line.text) if not one.is_character]
        enemy = others[0 if line.gm else -1] if others else described(line.text)
        if enemy is not None:
            self._named.append((enemy, line.position))
        if others and enemy is not None and not self._enemies.is_hostile(enemy):
            self._last = None
        elif enemy is not None:
            self._last = (enemy, line.position)
        elif line.gm and OTHER_SUBJECT.match(line.low):
            self._last = None

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


def _shortened(text: str) -> str:
    text = text.strip(" .!,\u2014-")
    if len(text) <= _LONGEST_DETAIL:
        return text
    return text[: text.rindex(" ", 0, _LONGEST_DETAIL)] if " " in text[:_LONGEST_DETAIL] else text[:_LONGEST_DETAIL]
