"""The lane `dnd/npc-occurrences`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from extraction.dnd.artifacts.occurrences import NpcKind, NpcOccurrence
from extraction.dnd.npc_occurrences.extract import MAPPING_POLICY, NpcOccurrencesReply, materials, read
from extraction.dnd.npc_occurrences.normalize import NORMALIZATION_POLICY, normalize
from extraction.dnd.npc_occurrences.resolve import RESOLUTION_POLICY
from extraction.dnd.shared.npc_names import NPCS_SLOT
from extraction.dnd.shared.occurrences import (
    by_scene_unless_empty,
    kind_validator,
    pairs_validator,
    relatedness_validator,
)
from extraction.dnd.shared.references import validate_canonical_refs, validate_record_order, validate_source_refs
from extraction.dnd.shared.scene_chunks import SCENES, SCENES_SLOT
from extraction.framework import Extract, JsonValue, Lane, Scope, Slot, Validator, concatenate


def npc_id_of(record: NpcOccurrence) -> str:
    return record.npc_id


def publish(records: Sequence[NpcOccurrence], scope: Scope) -> dict[str, JsonValue]:
    return {"occurrences": [record.as_json() for record in records]}


validate_kind: Validator[NpcOccurrence] = kind_validator(frozenset(get_args(NpcKind)))
validate_registry_pairs = pairs_validator(NPCS_SLOT, npc_id_of)

NPC_OCCURRENCES: Lane[NpcOccurrence] = Lane(
    key="dnd/npc-occurrences",
    version=1,
    records_key="occurrences",
    policies=(MAPPING_POLICY, RESOLUTION_POLICY, NORMALIZATION_POLICY),
    slots={SCENES_SLOT: SCENES, NPCS_SLOT: Slot("dnd/npcs", required=True)},
    chunk=by_scene_unless_empty(NPCS_SLOT),
    extract=Extract(
        prompt="dnd/npc-occurrences.extract",
        reply=NpcOccurrencesReply,
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
        relatedness_validator(NPCS_SLOT, npc_id_of),
    ),
    publish=publish,
)
