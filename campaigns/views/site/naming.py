"""What evenings and fights are called."""

from __future__ import annotations

import re
from typing import Protocol

from campaigns.library.fights import Fight


class Numbered(Protocol):
    @property
    def number(self) -> int: ...
    @property
    def title(self) -> str: ...


def own_title(evening: Numbered) -> str:
    """Return the title without the session's number, which files often begin their titles with."""
    return re.sub(rf"^session\s+0*{evening.number}\b[\s:.,\-\u2013\u2014]*", "", evening.title, flags=re.IGNORECASE)


def title_of(evening: Numbered) -> str:
    """Return the number and, where it has one, the title: "Session 2: The Silvering Hall"."""
    title = own_title(evening)
    return f"Session {evening.number}: {title}" if title else f"Session {evening.number}"


def facts_of_fight(fight: Fight) -> str:
    """Return how many turns and rounds the fight has, in words."""
    turns = len(list(fight.turns))
    rounds = len({each.number for each in fight.rounds if each.number is not None})
    told = f"{turns} turn{'' if turns == 1 else 's'}"
    return f"{told} in {rounds} round{'' if rounds == 1 else 's'}" if rounds else f"{told}, no round said aloud"
