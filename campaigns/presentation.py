"""How a record of each family reads: a heading, labels and details, from the fields of the durable JSON alone.

A payload has passed its lane's validators; a field that is missing or of another type all the same is left out.
Nothing here is escaped: the templates do that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

Item = Mapping[str, object]
NAMELESS = "Without a name"
SCENES = "scenes"
# What breaks into somebody's turn; an `other` may be anything.
INTERRUPTS = frozenset({"reaction", "legendary_action", "lair_action"})
# Who stands in `actor` of an item occurrence, by its kind.
ITEM_ACTORS = {"acquired": "Got by", "transferred": "From"}


@dataclass(frozen=True, slots=True)
class Fact:
    """One detail. An empty label needs none: the text speaks for itself."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Step:
    """One action of a turn: what was declared, at whom, and what came of it at once (empty where nobody said)."""

    kind: str
    declared: str
    targets: str
    resolved: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A record as a person reads it. `labels` say a turn's `round` too, if anybody did."""

    heading: str
    labels: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
    steps: tuple[Step, ...] = ()
    interrupt: bool = False
    round: int | None = None


def shown(family: str, item: Item) -> Shown:
    """Return how the record reads; one of a family that has no reading of its own shows its name."""
    return READINGS.get(family, _named)(item)


def _named(item: Item) -> Shown:
    return Shown(_text(item, "name") or NAMELESS)


def _scene(item: Item) -> Shown:
    return Shown(_text(item, "title") or NAMELESS, _labels(item, "primary_mode"))


def _occurrence(item: Item) -> Shown:
    return Shown(_text(item, "name") or NAMELESS, _labels(item, "kind"))


def _item_occurrence(item: Item) -> Shown:
    who = ITEM_ACTORS.get(_text(item, "kind"), "By")
    facts = _facts((who, _text(item, "actor")), ("To", _text(item, "recipient")), ("", _text(item, "detail")))
    return Shown(_text(item, "name") or NAMELESS, _labels(item, "kind"), facts)


def _spell(item: Item) -> Shown:
    level = _number(item, "level")
    labels = () if level is None else ("cantrip",) if level == 0 else (f"level {level}",)
    facts = _facts(
        ("Cast by", _text(item, "caster")), ("At", _list(item, "targets")), ("Outcome", _text(item, "outcome"))
    )
    return Shown(_text(item, "spell") or NAMELESS, labels, facts)


def _turn(item: Item) -> Shown:
    kind, number = _text(item, "turn_kind"), _number(item, "round")
    labels = () if kind in ("", "turn") else (_words(kind),)
    if number is not None:
        labels = (*labels, round_label(number))
    actions = item.get("actions")
    given = actions if isinstance(actions, list) else ()
    steps = tuple(_step(action) for action in given if isinstance(action, Mapping))
    facts = _facts(("", _text(item, "summary")))
    return Shown(_text(item, "actor") or NAMELESS, labels, facts, steps, kind in INTERRUPTS, number)


def round_label(number: int) -> str:
    return f"round {number}"


def _step(action: Item) -> Step:
    kind = _words(_text(action, "category"))
    return Step(kind, _text(action, "declaration"), _list(action, "targets"), _text(action, "resolution"))


def _event(item: Item) -> Shown:
    facts = _facts(("", _text(item, "detail")), ("By", _text(item, "actor")))
    return Shown(_text(item, "enemy") or NAMELESS, _labels(item, "kind"), facts)


READINGS: Mapping[str, Callable[[Item], Shown]] = {
    SCENES: _scene,
    "npc-occurrences": _occurrence,
    "item-occurrences": _item_occurrence,
    "location-occurrences": _occurrence,
    "spells": _spell,
    "combat-turns": _turn,
    "enemy-events": _event,
}


def _text(item: Item, name: str) -> str:
    value = item.get(name)
    return value if isinstance(value, str) else ""


def _number(item: Item, name: str) -> int | None:
    value = item.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _list(item: Item, name: str) -> str:
    value = item.get(name)
    return ", ".join(part for part in value if isinstance(part, str)) if isinstance(value, list) else ""


def _labels(item: Item, name: str) -> tuple[str, ...]:
    value = _words(_text(item, name))
    return (value,) if value else ()


def _facts(*given: tuple[str, str]) -> tuple[Fact, ...]:
    return tuple(Fact(label, text) for label, text in given if text)


def _words(value: str) -> str:
    return value.replace("_", " ")
