"""Attacks on enemies: declared by a player, judged by the GM, and the damage that is said of them.

Who has the turn, and what counts as a declaration, is what the reader of combat turns says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from extraction.llm.rules.combat_actions import declared
from extraction.llm.rules.combat_course import Course
from extraction.llm.rules.combat_facts import facts_of
from extraction.llm.rules.combat_lines import Line, Lines
from extraction.llm.rules.combat_people import People
from extraction.llm.rules.enemies import Enemies, declares_attack, described, is_monster
from extraction.llm.rules.enemy_damage import (
    Amount,
    amounts_said,
    asks_for_damage,
    damage_dealt,
    damage_repeated,
    damage_settled,
)
from extraction.llm.rules.enemy_memory import Memory
from extraction.llm.rules.enemy_words import ROLL

# How many units an attack waits after the last word about it, and how near its damage is said again.
_ATTACK_UNITS = 8
_AGAIN_UNITS = 3
_BARE_ROLL = 4
_LAST_BLOWS = 4
_SPOKEN_UNITS = 4
_OBJECT = re.compile(r"\b(?:him|her|his)\b")
_ASKED_OF = re.compile(r"\b(?:him|her|his|he|she)\b")
_AIMS = re.compile(r"^(?:(?:and|then|okay|right|again)[, ]+)*(?:at|on|into|against|towards?)\b")
_DOES_TO = re.compile(r"\bi(?:'m|'ll| am)?\b (?!don't|can't)[^,]{2,40}\b(?P<whom>him|her)\b")
_YOURS = re.compile(r"\byour?\b")
# What always hits.
_SURE = re.compile(r"\bnatural (?:20|twenty)\b")
_CALLS_FOR_ROLL = re.compile(r"\b(?:saving throws?|saves?|check)\b")


@dataclass(slots=True)
class Blow:
    """Damage done to an enemy; the GM's next words may settle its amount."""

    enemy: str
    actor: str | None
    amount: Amount
    places: list[int]


@dataclass(slots=True)
class Attack:
    """An attack or several by one character: its enemy may be unknown, and it counts once the GM says that it hits.

    `hits` are the units of those hits that wait for their damage, `active` the unit of the last word about it.
    """

    actor: str
    enemy: str | None
    at: int
    active: int
    hits: list[int] = field(default_factory=list)
    landed: bool = False
    missed: bool = False
    blows: list[Blow] = field(default_factory=list)


class Acting:
    """Who acts in each sentence, by its number: `turns` are those whose turn it is, `all` has interruptions too."""

    def __init__(self, course: Course) -> None:
        self.turns: dict[int, str] = {}
        interruptions: dict[int, str] = {}
        for stretch in course.stretches():
            into = interruptions if stretch.interrupts else self.turns
            into |= {line.number: stretch.actor for line in stretch.lines}
        self.all = self.turns | interruptions


class Attacks:
    """Follows the sentences in order; `blows` is what was done so far, `current` the attack that is told of."""

    def __init__(self, lines: Lines, people: People, enemies: Enemies, memory: Memory, acting: Acting):
        self._people, self._enemies, self._memory, self._acting = people, enemies, memory, acting
        self._of_unit: dict[int, list[Line]] = {}
        for line in lines.lines:
            self._of_unit.setdefault(line.position, []).append(line)
        self._spoken: dict[str, tuple[str, int]] = {}
        self.current: Attack | None = None
        self.blows: list[Blow] = []

    def played(self, line: Line, previous: Line | None) -> None:
        """Take in a player's whole unit, at its first sentence."""
        actor = line.character
        if actor is None or not line.first:
            return
        said = self._of_unit[line.position]
        self._declare(actor, said)
        attack = self.current
        if attack is None or attack.actor != actor or attack.enemy is None:
            return
        answer = self._of_unit.get(line.position + 1, ())
        for amount in amounts_said(said, previous, answer, asked=bool(attack.hits)):
            self._strike(attack, amount, line.position)

    def told(self, line: Line, previous: Line | None) -> None:
        """Take in a sentence of the GM: whether the attack hits, and damage that the GM says."""
        attack = self.current
        if attack is not None and line.position - attack.active > _ATTACK_UNITS and not self._has_turn(attack, line):
            self.current = attack = None
        self._judge(line, previous)
        attack = self.current
        if attack is not None and attack.enemy is None and _YOURS.search(line.low):
            attack.enemy = self._enemies.target(line.text, lambda _: None)
        if (dealt := damage_dealt(line)) is not None:
            self._deal(line, *dealt)
        elif attack is not None and attack.enemy is not None:
            if (amount := damage_repeated(line, previous)) is not None:
                self._repeat(attack, amount, line.position)
            elif (amount := damage_settled(line)) is not None and attack.blows:
                self._settle(attack.blows[-1], amount, line.position)

    def _declare(self, actor: str, said: Sequence[Line]) -> None:
        """Note the attack that a player's unit declares, or at whom the one before is aimed."""
        position = said[0].position
        attack = self.current if self.current is not None and self.current.actor == actor else None
        stated = [line for line in said if not line.asks]
        kinds_of = [(line, set(self._kinds(line, actor))) for line in stated]
        kinds = {kind for _, of_line in kinds_of for kind in of_line}
        telling = sorted((one for one in kinds_of if one[1] or _AIMS.match(one[0].low)), key=lambda one: not one[1])
        attacked = attack.enemy if attack is not None else None
        named = [name for name in _others(said) if name != attacked]
        enemy = next((found for line, _ in telling if (found := self._target(line, named, attacked))), None)
        if kinds:
            declaring = stated if "attack" not in kinds else [line for line, of_line in kinds_of if of_line]
            if enemy is None and any(
                one.is_character and one.name != actor for line in declaring for one in line.named
            ):
                self.current = None
                return
            self.current = Attack(actor, enemy or self._understood(actor, said, attack), position, position)
        elif attack is not None:
            attack.active = position
            enemy = enemy or (self._turned_to(attack, stated) if attack.enemy else self._spoken_of(stated))
            if enemy is not None and attack.enemy is None:
                attack.enemy, attack.at = enemy, position
            elif enemy is not None and enemy != attack.enemy and not attack.hits:
                self.current = Attack(actor, enemy, position, position)
        if self.current is not None and self.current.actor == actor and any(_SURE.search(line.low) for line in stated):
            self.current.landed = True
        if (spoken := self._spoken_of(said)) is not None:
            self._spoken[actor] = (spoken, position)

    def _understood(self, actor: str, said: Sequence[Line], attack: Attack | None) -> str | None:
        """Return whom an attack is at that names nobody: whom its player spoke of or attacked just before."""
        position = said[0].position
        if (named := self._spoken_of(said)) is not None:
            return named
        spoken = self._spoken.get(actor)
        recent = spoken if spoken is not None and position - spoken[1] <= _SPOKEN_UNITS else None
        turn = self._acting.turns.get(said[0].number)
        if turn is not None and self._enemies.is_hostile(turn):
            return turn
        if attack is not None and (position - attack.active <= _ATTACK_UNITS or self._has_turn(attack, said[0])):
            return recent[0] if recent is not None and recent[1] > attack.at else attack.enemy
        return recent[0] if recent is not None else self._enemies.sole

    def _turned_to(self, attack: Attack, said: Sequence[Line]) -> str | None:
        """Return the other enemy that a pronoun must mean, where it cannot be the one attacked so far."""
        for line in said:
            found = _DOES_TO.search(line.low)
            if found is not None and attack.enemy and not self._memory.fits(attack.enemy, found["whom"]):
                return self._memory.meant(found["whom"], line.position)
        return None

    def _kinds(self, line: Line, actor: str) -> Iterator[str]:
        for action in declared(line, actor, self._people):
            if action.category in {"attack", "spell"}:
                yield action.category
        if declares_attack(line):
            yield "attack"

    def _target(self, line: Line, named: Sequence[str], attacked: str | None) -> str | None:
        """Return whom the sentence aims at; a pronoun means one of `named`, the one attacked, or one of late."""

        def meant(pronoun: str) -> str | None:
            fitting = (name for name in named if self._memory.is_likely(name, pronoun))
            if (name := next(fitting, None)) is not None:
                return name
            same = attacked is not None and self._memory.fits(attacked, pronoun)
            return attacked if same else self._memory.meant(pronoun, line.position)

        return self._enemies.target(line.text, meant)

    def _spoken_of(self, said: Sequence[Line]) -> str | None:
        """Return whom the unit names or means without aiming at anybody."""
        for line in said:
            for one in line.named:
                if self._enemies.is_fought(one.name):
                    return one.name
            if (phrase := described(line.text)) is not None and is_monster(phrase):
                return phrase
        here = _others(said)
        for pronoun in dict.fromkeys(
            word for line in said for word in (_ASKED_OF if line.asks else _OBJECT).findall(line.low)
        ):
            known = next((name for name in here if self._memory.is_meant(name, pronoun)), None)
            if (enemy := known or self._memory.meant(pronoun, said[0].position)) is not None:
                return enemy
        return None

    def _judge(self, line: Line, previous: Line | None) -> None:
        facts = facts_of(line, previous, played=True)
        if self.current is not None and "misses" in facts:
            self.current.missed, self.current.active = not self.current.hits, line.position
        rolls = asks_for_damage(line)
        if not rolls and "hits" not in facts and "the save fails" not in facts:
            if self.current is not None and _CALLS_FOR_ROLL.search(line.low):
                self.current.hits.clear()
            return
        attack = self._answered(line, asked=rolls)
        if attack is None:
            return
        self.current = attack
        attack.active, attack.missed = line.position, False
        attack.landed = True
        if not attack.hits or not (rolls or attack.hits[-1] == line.position):
            attack.hits.append(line.position)

    def _answered(self, line: Line, *, asked: bool) -> Attack | None:
        """Return the attack that the GM judges: the one told of, else an unsaid one of the player who rolled.

        An unsaid one is at the only enemy there is, or at the only one named of late before a roll without any other
        words.
        """
        before = self._of_unit.get(line.position - 1, ())
        roller = next((one.character for one in before if one.character is not None and ROLL.search(one.low)), None)
        attack = self.current
        if attack is not None and roller in {None, attack.actor}:
            return attack
        acting = self._acting.all.get(line.number)
        theirs = acting is not None and not self._people.is_character(acting)
        if roller is None or (theirs and not asked):
            return attack
        if attack is not None and acting == attack.actor:
            return attack
        enemy = self._unsaid(line, before)
        return Attack(roller, enemy, line.position - 1, line.position) if enemy is not None else attack

    def _unsaid(self, line: Line, before: Sequence[Line]) -> str | None:
        near = self._memory.near(line.position)
        bare = sum(len(one.low.split()) for one in before) <= _BARE_ROLL
        only = next(iter(near)) if len(near) == 1 and bare else None
        fought = only if only is not None and self._enemies.is_fought(only) else None
        return (
            self._enemies.sole
            or fought
            or (self._spoken_of(before) if any(_DOES_TO.search(one.low) for one in before) else None)
        )

    def _strike(self, attack: Attack, amount: Amount, position: int) -> None:
        """Add what the player says to the attack's blows, unless it is the same one again."""
        enemy = attack.enemy
        same = [blow for blow in attack.blows[-_LAST_BLOWS:] if blow.amount.number == amount.number]
        near = [blow for blow in same if position - blow.places[-1] <= _AGAIN_UNITS]
        if enemy is None or attack.missed or (near and amount.which is None and not attack.hits):
            return
        if amount.which == "first" and attack.blows and attack.blows[-1].amount.which is None:
            self._settle(attack.blows[-1], amount, position)
            return
        if not attack.hits and (not attack.landed or (amount.open and amount.which is None)):
            return
        hit = attack.hits.pop(0) if attack.hits else None
        places = [attack.at, *([hit] if hit is not None else []), position]
        self._add(attack, Blow(enemy, attack.actor, amount, places), position)

    def _repeat(self, attack: Attack, amount: Amount, position: int) -> None:
        """Take the GM's figure for a blow: for the one just said, or for a hit whose roll was all that was said."""
        recent = [blow for blow in attack.blows[-_LAST_BLOWS:] if position - blow.places[-1] <= _AGAIN_UNITS]
        if recent:
            new = all(amount.number != blow.amount.number for blow in recent)
            if new and amount.which is None and position - recent[-1].places[-1] <= 1:
                self._settle(recent[-1], amount, position)
        elif attack.hits and attack.enemy is not None:
            places = [attack.at, attack.hits.pop(0), position]
            self._add(attack, Blow(attack.enemy, attack.actor, amount, places), position)

    def _settle(self, blow: Blow, amount: Amount, position: int) -> None:
        if position - blow.places[-1] <= _AGAIN_UNITS:
            blow.amount = amount
            blow.places.append(position)

    def closed_by(self, actor: str | None) -> None:
        """Forget the attack once somebody else has the turn."""
        if self.current is not None and self.current.actor != actor:
            self.current = None

    def _deal(self, line: Line, amount: Amount, before: str, whom: str | None) -> None:
        """Add the damage that the GM deals, or settle the blow that was rolled for it."""
        attack = self.current
        if whom is not None:
            struck = [one.name for one in self._people.named_in(whom) if not one.is_character]
        else:
            pronoun = next((word for word in ("he", "she") if re.search(rf"\b{word}$", before.strip().lower())), "it")
            enemy = attack.enemy if attack is not None else None
            meant = enemy if enemy is not None and self._memory.fits(enemy, pronoun) else None
            meant = meant or self._memory.meant(pronoun, line.position)
            subject = self._enemies.subject(before, meant) if attack is not None and before.strip() else None
            struck = [subject] if subject is not None else []
        for enemy in dict.fromkeys(struck):
            last = attack.blows[-1] if attack is not None and attack.blows else None
            if whom is None and last is not None and last.enemy == enemy and line.position - last.places[-1] <= 4:
                self._settle(last, amount, line.position)
                continue
            actor = self._doer(line)
            places = [attack.at, line.position] if attack is not None and attack.actor == actor else [line.position]
            self._add(attack, Blow(enemy, actor, amount, places), line.position)

    def _doer(self, line: Line) -> str | None:
        acting = self._acting.all.get(line.number)
        if self.current is not None:
            return self.current.actor
        return acting if acting is not None and self._people.is_character(acting) else None

    def _add(self, attack: Attack | None, blow: Blow, position: int) -> None:
        self.blows.append(blow)
        if attack is not None:
            attack.blows.append(blow)
            attack.active = position

    def _has_turn(self, attack: Attack, line: Line) -> bool:
        return self._acting.all.get(line.number) == attack.actor


def _others(said: Sequence[Line]) -> list[str]:
    """Return the known names of a unit that are no characters, each once."""
    return list(dict.fromkeys(one.name for line in said for one in line.named if not one.is_character))
