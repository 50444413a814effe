"""Durable artifacts read back into records: strictly by their models, for whoever changes one by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from extraction.dnd.artifacts.combat_turns import CombatAction, CombatTurn
from extraction.dnd.artifacts.enemy_events import EnemyEvent
from extraction.dnd.artifacts.occurrences import ItemOccurrence, LocationOccurrence, NpcOccurrence
from extraction.dnd.artifacts.registry import Entity
from extraction.dnd.artifacts.scenes import Scene
from extraction.dnd.artifacts.schemas import ARTIFACTS
from extraction.dnd.artifacts.spells import SpellCast
from extraction.framework import Code, Finding, JsonValue, SourceRef, rejection

Read = Mapping[str, Any]  # Any: JSON that its model has just validated
RECORDS: Mapping[str, Callable[..., Any]] = MappingProxyType(  # Any: the family's own record type
    {
        "scenes": Scene,
        "items": Entity,
        "locations": Entity,
        "npcs": Entity,
        "npc_occurrences": NpcOccurrence,
        "item_occurrences": ItemOccurrence,
        "location_occurrences": LocationOccurrence,
        "combat_turns": CombatTurn,
        "spells": SpellCast,
        "enemy_events": EnemyEvent,
    }
)
"""Asset folder below `assets/dnd` to the type of its records."""


def shape_faults(folder: str, payload: Mapping[str, JsonValue]) -> list[Finding]:
    """Return a rejection for each place where the payload is not of its artifact's shape."""
    try:
        ARTIFACTS[folder].model_validate(payload)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False)
        return [rejection(Code.RECORD_SHAPE, _where(fault["loc"])) for fault in faults]
    return []


def records_of(folder: str, given: Sequence[Read]) -> list[Any]:  # Any: as in RECORDS
    """Return the records of a payload that has its artifact's shape."""
    return [RECORDS[folder](**{name: _value(name, value) for name, value in record.items()}) for record in given]


def _value(name: str, value: Any) -> Any:  # Any: JSON in, a record's field out
    if name == "source_refs":
        return tuple(SourceRef(ref["source_id"], ref["start_unit_id"], ref["end_unit_id"]) for ref in value)
    if name == "actions":
        return tuple(
            CombatAction(action["category"], action["declaration"], tuple(action["targets"]), action["resolution"])
            for action in value
        )
    return tuple(value) if isinstance(value, list) else value


def _where(place: tuple[int | str, ...]) -> str:
    """Return `record[3].actions[0].category` for the place of a fault below the records key."""
    steps = place[1:] if len(place) > 1 and isinstance(place[1], int) else place
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    return f"record{text}" if text.startswith("[") else text.removeprefix(".")
