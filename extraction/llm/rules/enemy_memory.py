"""Whom a fight was about just now: the enemies named of late, and whom a pronoun may mean."""

from __future__ import annotations

import re
from collections import deque

from extraction.llm.rules.combat_lines import Line
from extraction.llm.rules.enemies import Enemies, described, is_monster
from extraction.llm.rules.enemy_words import OTHER_SUBJECT
from extraction.llm.rules.person_names import parse

# How many units a pronoun of a player, and one of the GM, may stand after the enemy's name.
_SAME_UNITS = 12
_PRONOUN_UNITS = 1
_NAMES_KEPT = 12
# "He is ready to smash the little one": told of an enemy, who is another.
_STRUCK = re.compile(r"^(?:(?!\byou).)*\b(?:to|and) (?:smash|hit|strike|crush|attack|kill|eat|grab) (?:the|that|this) ")
_SIGN_OF = {"him": "m", "he": "m", "his": "m", "her": "f", "she": "f"}


class Memory:
    """Keeps the enemies named last; told every sentence in order."""

    def __init__(self, enemies: Enemies) -> None:
        self._enemies = enemies
        self._last: tuple[str, int] | None = None
        self._named: deque[tuple[str, int]] = deque(maxlen=_NAMES_KEPT)

    def keep(self, enemy: str, position: int) -> None:
        """Note the enemy that a sentence turned out to be about."""
        self._last = (enemy, position)

    def take_in(self, line: Line) -> None:
        others = [one.name for one in line.named if not one.is_character]
        enemy = others[0 if line.gm else -1] if others else described(line.text)
        if enemy is not None and not others and (_STRUCK.search(line.low) or not (line.gm or is_monster(enemy))):
            return
        self._named.extend((name, line.position) for name in (others or ([enemy] if enemy is not None else [])))
        if others and enemy is not None and not self._enemies.is_hostile(enemy):
            self._last = None
        elif enemy is not None:
            self._last = (enemy, line.position)
        elif line.gm and OTHER_SUBJECT.match(line.low):
            self._last = None

    def recent(self, position: int) -> str | None:
        """Return the enemy spoken of just now, whom a pronoun of the GM may mean."""
        if self._last is None or position - self._last[1] > _PRONOUN_UNITS:
            return None
        return self._last[0]

    def near(self, position: int) -> set[str]:
        """Return the enemies named of late."""
        return {name for name, at in self._named if position - at <= _SAME_UNITS}

    def meant(self, pronoun: str, position: int) -> str | None:
        """Return the one enemy named of late that the pronoun fits, None where there are several."""
        near = {name for name in self.near(position) if self.fits(name, pronoun) and self._is_known(name, pronoun)}
        known = {name for name, _ in self._named if self.fits(name, pronoun) and self._may_be_fought(name)}
        sure = {name for name in near if self._enemies.gender(name) is not None}
        fitting = next((names for names in (near, sure, near & known) if len(names) == 1), known)
        if len(fitting) == 1:
            (enemy,) = fitting
            if self._enemies.is_hostile(enemy) or not enemy.startswith("the ") or known <= {enemy}:
                return enemy
        sole = self._enemies.sole
        return sole if sole is not None and self.fits(sole, pronoun) else None

    def is_likely(self, name: str, pronoun: str) -> bool:
        """Return whether the pronoun may well stand for somebody named with it: by gender, or as an enemy."""
        return self.is_meant(name, pronoun) or (self._enemies.is_hostile(name) and self.fits(name, pronoun))

    def _is_known(self, name: str, pronoun: str) -> bool:
        """Return whether more than one chance word speaks for the name: it is fought, or its title has the gender."""
        return self._enemies.is_fought(name) or parse(name).gender == _SIGN_OF.get(pronoun, "")

    def _may_be_fought(self, name: str) -> bool:
        return self._enemies.is_hostile(name) or (name.startswith("the ") and is_monster(name))

    def is_meant(self, enemy: str, pronoun: str) -> bool:
        """Return whether the pronoun says what is known of the enemy."""
        return pronoun in _SIGN_OF and self._enemies.gender(enemy) == _SIGN_OF[pronoun]

    def fits(self, enemy: str, pronoun: str) -> bool:
        """Return whether the pronoun may stand for the enemy."""
        if pronoun == "it":
            return enemy.startswith("the ")
        gender = self._enemies.gender(enemy)
        return gender is None or pronoun not in _SIGN_OF or _SIGN_OF[pronoun] == gender
