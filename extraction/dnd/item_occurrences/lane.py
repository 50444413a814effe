"""The lane `dnd/item-occurrences`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from extraction.dnd.artifacts.occurrences import ItemKind, ItemOccurrence
from extraction.dnd.item_occurrences.extract import ITEMS_SLOT, MAPPING_POLICY, ItemOccurrencesReply, materials, read
from extraction.dnd.item_occurrences.normalize import NORMALIZATION_POLICY, normalize
from extraction.dnd.item_occurrences.resolve import RESOLUTION_POLICY
from extraction.dnd.item_occurrences.validators import validate_fields
from extraction.dnd.shared.occurrences import (
    by_scene_unless_empty,
    kind_validator,
    pairs_validator,
    relatedness_validator,
)
from extraction.dnd.shared.references import validate_canonical_refs, validate_record_order, validate_source_refs
from extraction.dnd.shared.scene_chunks import SCENES, SCENES_SLOT
from extraction.framework import Extract, JsonValue, Lane, Scope, Slot, Validator, concatenate


def item_id_of(record: ItemOccurrence) -> str:
    return record.item_id


def publish(records: Sequence[ItemOccurrence], scope: Scope) -> dict[str, JsonValue]:
    return {"occurrences": [record.as_json() for record in records]}


validate_kind: Validator[ItemOccurrence] = kind_validator(frozenset(get_args(ItemKind)))
validate_registry_pairs = pairs_validator(ITEMS_SLOT, item_id_of)

ITEM_OCCURRENCES: Lane[ItemOccurrence] = Lane(
    key="dnd/item-occurrences",
    version=1,
    records_key="occurrences",
    policies=(MAPPING_POLICY, RESOLUTION_POLICY, NORMALIZATION_POLICY),
    slots={SCENES_SLOT: SCENES, ITEMS_SLOT: Slot("dnd/items", required=True)},
    chunk=by_scene_unless_empty(ITEMS_SLOT),
    extract=Extract(
        prompt="dnd/item-occurrences.extract",
        reply=ItemOccurrencesReply,
        materials=materials,
        read=read,
        validators=(
            validate_kind,
            validate_fields,
            validate_registry_pairs,
            validate_source_refs,
            validate_canonical_refs,
        ),
    ),
    merge=concatenate,
    normalize=normalize,
    proposal=None,
    validators=(
        validate_kind,
        validate_fields,
        validate_registry_pairs,
        validate_source_refs,
        validate_canonical_refs,
        validate_record_order,
        relatedness_validator(ITEMS_SLOT, item_id_of),
    ),
    publish=publish,
)
