"""What the model sees of a chunk, and what it answers."""

from __future__ import annotations

from extraction.dnd.artifacts.occurrences import LocationKind, LocationOccurrence
from extraction.dnd.location_occurrences.projection import LOCATIONS_SLOT, contextual
from extraction.dnd.location_occurrences.resolve import resolve_location
from extraction.dnd.shared.bound import bound_entities, by_key
from extraction.dnd.shared.evidence import cited_refs
from extraction.dnd.shared.materials import chunk_materials
from extraction.dnd.shared.occurrences import UNRESOLVED
from extraction.dnd.shared.reply import RangeReply, Reply
from extraction.framework import Chunk, JsonValue, Scope

MAPPING_POLICY = "location-occurrences.mapping.v1"


class LocationOccurrenceReply(Reply):
    """`registry_refs` says which place, `source_refs` proves that it is met here; the two are never joined."""

    name: str
    registry_refs: list[RangeReply]
    kind: LocationKind
    source_refs: list[RangeReply]


class LocationOccurrencesReply(Reply):
    occurrences: list[LocationOccurrenceReply]


def materials(scope: Scope, chunk: Chunk) -> dict[str, JsonValue]:
    """Return the chunk as every lane shows it, and the registry with what tells places of one name apart."""
    locations = contextual(bound_entities(scope, LOCATIONS_SLOT), scope.index)
    return {**chunk_materials(scope, chunk), "locations": locations}


def read(reply: LocationOccurrencesReply, scope: Scope) -> list[LocationOccurrence]:
    """Return the reply's records under the registry's names and ids, with the evidence's endpoints in order.

    A record whose selection means no entry keeps the name it came with and gets no id.
    """
    named = by_key(bound_entities(scope, LOCATIONS_SLOT))
    records = []
    for given in reply.occurrences:
        entity = resolve_location(given.name, given.registry_refs, named, scope.index)
        records.append(
            LocationOccurrence(
                location_id=entity.id if entity else UNRESOLVED,
                name=entity.name if entity else given.name,
                kind=given.kind,
                source_refs=cited_refs(given.source_refs, scope.index),
            )
        )
    return records
