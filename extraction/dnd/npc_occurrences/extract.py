"""What the model sees of a chunk, and what it answers."""

from __future__ import annotations

from extraction.dnd.artifacts.occurrences import NpcKind, NpcOccurrence
from extraction.dnd.npc_occurrences.resolve import resolve_npc
from extraction.dnd.shared.bound import bound_entities, by_key
from extraction.dnd.shared.evidence import cited_refs
from extraction.dnd.shared.materials import chunk_materials
from extraction.dnd.shared.npc_names import NPCS_SLOT
from extraction.dnd.shared.occurrences import UNRESOLVED, names_only
from extraction.dnd.shared.reply import RangeReply, Reply
from extraction.framework import Chunk, JsonValue, Scope

MAPPING_POLICY = "npc-occurrences.mapping.v1"


class NpcOccurrenceReply(Reply):
    name: str
    kind: NpcKind
    source_refs: list[RangeReply]


class NpcOccurrencesReply(Reply):
    occurrences: list[NpcOccurrenceReply]


def materials(scope: Scope, chunk: Chunk) -> dict[str, JsonValue]:
    """Return the chunk as every lane shows it, and the registry's names."""
    return {**chunk_materials(scope, chunk), "npcs": names_only(bound_entities(scope, NPCS_SLOT))}


def read(reply: NpcOccurrencesReply, scope: Scope) -> list[NpcOccurrence]:
    """Return the reply's records under the registry's names and ids, with endpoints in order.

    A record whose name means no entry keeps the name it came with and gets no id.
    """
    named = by_key(bound_entities(scope, NPCS_SLOT))
    records = []
    for given in reply.occurrences:
        entity = resolve_npc(given.name, named)
        records.append(
            NpcOccurrence(
                npc_id=entity.id if entity else UNRESOLVED,
                name=entity.name if entity else given.name,
                kind=given.kind,
                source_refs=cited_refs(given.source_refs, scope.index),
            )
        )
    return records
