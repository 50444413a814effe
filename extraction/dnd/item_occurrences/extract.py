"""What the model sees of a chunk, and what it answers."""

from __future__ import annotations

from extraction.dnd.artifacts.occurrences import ItemKind, ItemOccurrence
from extraction.dnd.item_occurrences.resolve import resolve_item
from extraction.dnd.shared.bound import bound_entities, by_key
from extraction.dnd.shared.evidence import cited_refs
from extraction.dnd.shared.materials import chunk_materials
from extraction.dnd.shared.occurrences import UNRESOLVED, names_only
from extraction.dnd.shared.reply import RangeReply, Reply
from extraction.framework import Chunk, JsonValue, Scope

MAPPING_POLICY = "item-occurrences.mapping.v1"
ITEMS_SLOT = "items"


class ItemOccurrenceReply(Reply):
    name: str
    kind: ItemKind
    actor: str | None
    recipient: str | None
    detail: str | None
    source_refs: list[RangeReply]


class ItemOccurrencesReply(Reply):
    occurrences: list[ItemOccurrenceReply]


def materials(scope: Scope, chunk: Chunk) -> dict[str, JsonValue]:
    """Return the chunk as every lane shows it, and the registry's names."""
    return {**chunk_materials(scope, chunk), "items": names_only(bound_entities(scope, ITEMS_SLOT))}


def read(reply: ItemOccurrencesReply, scope: Scope) -> list[ItemOccurrence]:
    """Return the reply's records under the registry's names and ids, with endpoints in order.

    A record whose name means no entry keeps the name it came with and gets no id.
    """
    named = by_key(bound_entities(scope, ITEMS_SLOT))
    records = []
    for given in reply.occurrences:
        entity = resolve_item(given.name, named)
        records.append(
            ItemOccurrence(
                item_id=entity.id if entity else UNRESOLVED,
                name=entity.name if entity else given.name,
                kind=given.kind,
                actor=given.actor,
                recipient=given.recipient,
                detail=given.detail,
                source_refs=cited_refs(given.source_refs, scope.index),
            )
        )
    return records
