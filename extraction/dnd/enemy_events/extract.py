"""What the model answers for a chunk, and how its records are read."""

from __future__ import annotations

from extraction.dnd.artifacts.enemy_events import EnemyEvent, EventKind
from extraction.dnd.shared.evidence import cited_refs
from extraction.dnd.shared.reply import RangeReply, Reply
from extraction.framework import Scope

MAPPING_POLICY = "enemy-events.mapping.v1"


class EnemyEventReply(Reply):
    enemy: str
    kind: EventKind
    detail: str
    actor: str | None
    source_refs: list[RangeReply]


class EnemyEventsReply(Reply):
    events: list[EnemyEventReply]


def read(reply: EnemyEventsReply, scope: Scope) -> list[EnemyEvent]:
    """Return the reply's records with endpoints in order; nothing else is mended."""
    return [
        EnemyEvent(event.enemy, event.kind, event.detail, event.actor, cited_refs(event.source_refs, scope.index))
        for event in reply.events
    ]
