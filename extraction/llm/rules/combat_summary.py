"""One plain sentence about a turn, made of its facts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from extraction.llm.rules.combat_actions import Action

_SAID = {
    "attack": "attacks",
    "spell": "casts a spell",
    "movement": "moves",
    "item": "uses an item",
    "ability_check": "makes a check",
    "saving_throw": "makes a saving throw",
    "condition": "changes condition",
    "other": "acts",
}
_AIMED = {"attack": " ", "spell": " at "}
_MOST_FACTS = 4


def summary_of(actor: str, actions: Sequence[Action]) -> str:
    """Return who did what to whom, with the outcomes that were said."""
    parts = [_part(category, list(same)) for category, same in groupby(actions, key=lambda action: action.category)]
    return f"{actor} {', then '.join(parts)}."


def _part(category: str, actions: Sequence[Action]) -> str:
    targets = list(dict.fromkeys(target for action in actions for target in action.targets))
    facts = list(dict.fromkeys(fact for action in actions for fact in action.facts))[:_MOST_FACTS]
    aimed = _AIMED[category] + " and ".join(targets) if targets and category in _AIMED else ""
    came = f" ({', '.join(facts)})" if facts else ""
    return f"{_SAID[category]}{aimed}{came}"
