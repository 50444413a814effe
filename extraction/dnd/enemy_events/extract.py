"""What the model sees of a chunk, and what it answers."""

from __future__ import annotations

from extraction.dnd.artifacts.enemy_events import EnemyEvent, EventKind
from extraction.dnd.shared.evidence import cited_refs
from extraction.dnd.shared.materials import chunk_materials
from extraction.dnd.shared.reply import RangeReply, Reply
from extraction.dnd.shared.tidying import npc_names
from extraction.framework import Chunk, JsonValue, Scope

MAPPING_POLICY = "enemy-events.mapping.v1"


class EnemyEventReply(Reply):
    enemy: str
    kind: EventKind
    detail: str
    actor: str | None
    source_refs: list[RangeReply]


class EnemyEventsReply(Reply):
    events: list[EnemyEventReply]


def materials(scope: Scope, chunk: Chunk) -> dict[str, JsonValue]:
    """Return the chunk as every lane shows it, and the names of the NPC registry where one is bound."""
    return {**chunk_materials(scope, chunk), "npcs": npc_names(scope)}


def read(reply: EnemyEventsReply, scope: Scope) -> list[EnemyEvent]:
    """Return the reply's records with endpoints in order; nothing else is mended."""
    return [
        EnemyEvent(event.enemy, event.kind, event.detail, event.actor, cited_refs(event.source_refs, scope.index))
        for event in reply.events
    ]
