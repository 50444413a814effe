"""What the model answers for a chunk."""

from __future__ import annotations

from extraction.dnd.artifacts.registry import Entity
from extraction.dnd.locations.identity import identify
from extraction.dnd.shared.registry import EntityReply, read_entities
from extraction.dnd.shared.reply import Reply
from extraction.framework import Scope

MAPPING_POLICY = "locations.mapping.v1"


class LocationsReply(Reply):
    locations: list[EntityReply]


def read(reply: LocationsReply, scope: Scope) -> list[Entity]:
    """Return the reply's records with ids derived and endpoints in order; nothing else is mended."""
    return read_entities(reply.locations, scope, identify)
