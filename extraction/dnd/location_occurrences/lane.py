"""The lane `dnd/location-occurrences`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from extraction.dnd.artifacts.occurrences import LocationKind, LocationOccurrence
from extraction.dnd.location_occurrences.extract import MAPPING_POLICY, LocationOccurrencesReply, materials, read
from extraction.dnd.location_occurrences.normalize import NORMALIZATION_POLICY, normalize
from extraction.dnd.location_occurrences.projection import LOCATIONS_SLOT, PROJECTION_POLICY, check_selectors
from extraction.dnd.location_occurrences.resolve import RESOLUTION_POLICY
from extraction.dnd.shared.occurrences import (
    by_scene_unless_empty,
    kind_validator,
    pairs_validator,
    relatedness_validator,
)
from extraction.dnd.shared.references import validate_canonical_refs, validate_record_order, validate_source_refs
from extraction.dnd.shared.scene_chunks import SCENES, SCENES_SLOT
from extraction.framework import Extract, JsonValue, Lane, Scope, Slot, Validator, concatenate


def location_id_of(record: LocationOccurrence) -> str:
    return record.location_id


def publish(records: Sequence[LocationOccurrence], scope: Scope) -> dict[str, JsonValue]:
    return {"occurrences": [record.as_json() for record in records]}


validate_kind: Validator[LocationOccurrence] = kind_validator(frozenset(get_args(LocationKind)))
validate_registry_pairs = pairs_validator(LOCATIONS_SLOT, location_id_of)

LOCATION_OCCURRENCES: Lane[LocationOccurrence] = Lane(
    key="dnd/location-occurrences",
    version=1,
    records_key="occurrences",
    policies=(MAPPING_POLICY, PROJECTION_POLICY, RESOLUTION_POLICY, NORMALIZATION_POLICY),
    slots={SCENES_SLOT: SCENES, LOCATIONS_SLOT: Slot("dnd/locations", required=True)},
    check=check_selectors,
    chunk=by_scene_unless_empty(LOCATIONS_SLOT),
    extract=Extract(
        prompt="dnd/location-occurrences.extract",
        reply=LocationOccurrencesReply,
        materials=materials,
        read=read,
        validators=(validate_kind, validate_registry_pairs, validate_source_refs, validate_canonical_refs),
    ),
    merge=concatenate,
    normalize=normalize,
    proposal=None,
    validators=(
        validate_kind,
        validate_registry_pairs,
        validate_source_refs,
        validate_canonical_refs,
        validate_record_order,
        relatedness_validator(LOCATIONS_SLOT, location_id_of),
    ),
    publish=publish,
)
