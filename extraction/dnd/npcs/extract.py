"""What the model sees of a chunk, and what it answers."""

from __future__ import annotations

from extraction.dnd.artifacts.npcs import Npc
from extraction.dnd.shared.evidence import cited_refs
from extraction.dnd.shared.reply import RangeReply, Reply
from extraction.framework import (
    Chunk,
    JsonValue,
    Scope,
    comparison_key,
    context_material,
    npc_id,
    transcript_material,
)

MAPPING_POLICY = "npcs.mapping.v1"


class NpcReply(Reply):
    name: str
    source_refs: list[RangeReply]


class NpcsReply(Reply):
    npcs: list[NpcReply]


def materials(scope: Scope, chunk: Chunk) -> dict[str, JsonValue]:
    """Return the roster, the glossary, the chunk's units, and the units around it that may not be cited."""
    return {
        "gm": scope.table.get("gm", {}),
        "party": scope.table.get("party", []),
        "glossary": scope.table.get("glossary", []),
        "context": context_material(scope.index, chunk),
        "transcript": transcript_material(scope.index, chunk),
    }


def read(reply: NpcsReply, scope: Scope) -> list[Npc]:
    """Return the reply's records with ids derived and endpoints in order; nothing else is mended."""
    return [
        Npc(npc_id(comparison_key(given.name)), given.name, cited_refs(given.source_refs, scope.index))
        for given in reply.npcs
    ]
