"""What the model sees beside the chunk: the names of a bound NPC registry, and nothing else of it."""

from __future__ import annotations

from extraction.dnd.shared.bound import bound_entities
from extraction.dnd.shared.materials import chunk_materials
from extraction.framework import Chunk, JsonValue, Scope

NPCS_SLOT = "npcs"
PROJECTION_POLICY = "npcs.names-only.v1"


def materials(scope: Scope, chunk: Chunk) -> dict[str, JsonValue]:
    """Return the chunk's materials and the registry's names."""
    return {**chunk_materials(scope, chunk), "npcs": names_only(scope)}


def names_only(scope: Scope) -> list[JsonValue]:
    """Return each entry's canonical name and the names its consolidation joined, in registry order; never an id."""
    return [
        {"name": entity.name, "other_names": [name for name in entity.members if name != entity.name]}
        for entity in bound_entities(scope, NPCS_SLOT)
    ]
