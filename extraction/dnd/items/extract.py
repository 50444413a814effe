"""What the model answers for a chunk."""

from __future__ import annotations

from extraction.dnd.artifacts.registry import Entity
from extraction.dnd.items.identity import identify
from extraction.dnd.shared.registry import EntityReply, read_entities
from extraction.dnd.shared.reply import Reply
from extraction.framework import Scope

MAPPING_POLICY = "items.mapping.v1"


class ItemsReply(Reply):
    items: list[EntityReply]


def read(reply: ItemsReply, scope: Scope) -> list[Entity]:
    """Return the reply's records with ids derived and endpoints in order; nothing else is mended."""
    return read_entities(reply.items, scope, identify)
