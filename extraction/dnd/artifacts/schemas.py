"""JSON Schemas of the durable artifacts, made from their models; each stands in its family's asset folder."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import cast

import orjson
from pydantic import BaseModel

from extraction.dnd.artifacts.combat_turns import CombatTurnsArtifact
from extraction.dnd.artifacts.enemy_events import EnemyEventsArtifact
from extraction.dnd.artifacts.items import ItemsArtifact
from extraction.dnd.artifacts.locations import LocationsArtifact
from extraction.dnd.artifacts.npcs import NpcsArtifact
from extraction.dnd.artifacts.occurrences import (
    ItemOccurrencesArtifact,
    LocationOccurrencesArtifact,
    NpcOccurrencesArtifact,
)
from extraction.dnd.artifacts.scenes import ScenesArtifact
from extraction.dnd.artifacts.spells import SpellsArtifact
from extraction.framework import JsonValue

DIALECT = "https://json-schema.org/draft/2020-12/schema"
ARTIFACTS: Mapping[str, type[BaseModel]] = MappingProxyType(
    {
        "scenes": ScenesArtifact,
        "items": ItemsArtifact,
        "locations": LocationsArtifact,
        "npcs": NpcsArtifact,
        "npc_occurrences": NpcOccurrencesArtifact,
        "item_occurrences": ItemOccurrencesArtifact,
        "location_occurrences": LocationOccurrencesArtifact,
        "combat_turns": CombatTurnsArtifact,
        "spells": SpellsArtifact,
        "enemy_events": EnemyEventsArtifact,
    }
)
"""Asset folder below `assets/dnd` to the model of its artifact."""

# Pydantic's own names of classes and fields, and docstrings, which speak to programmers.
_NOISE = frozenset({"title", "description"})
_NAMED = frozenset({"properties", "$defs"})


def durable_schema(model: type[BaseModel]) -> dict[str, JsonValue]:
    """Return the draft 2020-12 schema of an artifact; its `$id` is the value of the model's field `schema`."""
    schema = cast(dict[str, JsonValue], _plain(model.model_json_schema(by_alias=True)))
    properties = cast(Mapping[str, Mapping[str, JsonValue]], schema["properties"])
    name = str(properties["schema"]["const"])
    family = name.removeprefix("notarius.dnd.").rpartition(".")[0]
    return {"$schema": DIALECT, "$id": name, "title": f"Notarius: {family}", **schema}


def schema_file(model: type[BaseModel]) -> bytes:
    """Return the content of the model's schema file."""
    return orjson.dumps(durable_schema(model), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _plain(node: JsonValue) -> JsonValue:
    """Return the schema without noise. What stands below `properties` is a field's name and never noise."""
    if isinstance(node, Mapping):
        return {
            key: {name: _plain(part) for name, part in value.items()}
            if key in _NAMED and isinstance(value, Mapping)
            else _plain(value)
            for key, value in node.items()
            if key not in _NOISE
        }
    return [_plain(item) for item in node] if isinstance(node, list) else node
