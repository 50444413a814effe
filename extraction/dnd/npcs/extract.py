"""What the model sees of a chunk, and what it answers."""

from __future__ import annotations

from extraction.dnd.artifacts.registry import Entity
from extraction.dnd.npcs.identity import identify
from extraction.dnd.shared.registry import EntityReply, read_entities
from extraction.dnd.shared.reply import Reply
from extraction.framework import Scope

MAPPING_POLICY = "npcs.mapping.v1"


class NpcsReply(Reply):
    npcs: list[EntityReply]


def read(reply: NpcsReply, scope: Scope) -> list[Entity]:
    """Return the reply's records with ids derived and endpoints in order; nothing else is mended."""
    return read_entities(reply.npcs, scope, identify)
