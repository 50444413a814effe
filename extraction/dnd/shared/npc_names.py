"""What lanes with an optional NPC registry show of it beside the chunk: its names, and nothing else of it."""

from __future__ import annotations

from extraction.dnd.shared.bound import bound_entities
from extraction.dnd.shared.materials import chunk_materials
from extraction.framework import Chunk, JsonValue, Scope, lead_in_material

NPCS_SLOT = "npcs"


def npc_names(scope: Scope) -> list[JsonValue]:
    """Return each entry's canonical name and the names its consolidation joined, in registry order; never an id."""
    return [
        {"name": entity.name, "other_names": [name for name in entity.members if name != entity.name]}
        for entity in bound_entities(scope, NPCS_SLOT)
    ]


LEAD_IN_UNITS = 30
"""Of the turns of a labelled fight that a chunk's border cuts, all began within as many units before it."""


def chunk_of_a_fight(scope: Scope, chunk: Chunk) -> dict[str, JsonValue]:
    """Return the chunk with the NPC names, and what was going on before it: who is fighting, and whose turn it is."""
    return {**chunk_with_npc_names(scope, chunk), "lead_in": lead_in_material(scope.index, chunk, LEAD_IN_UNITS)}


def chunk_with_npc_names(scope: Scope, chunk: Chunk) -> dict[str, JsonValue]:
    """Return the chunk as every lane shows it, and the names of the NPC registry where one is bound."""
    return {**chunk_materials(scope, chunk), "npcs": npc_names(scope)}
