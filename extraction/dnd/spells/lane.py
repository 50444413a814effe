"""The lane `dnd/spells`."""

from __future__ import annotations

from collections.abc import Sequence

from extraction.dnd.artifacts.spells import SpellCast
from extraction.dnd.shared.name_book import NAME_POLICY
from extraction.dnd.shared.npc_names import NPCS_SLOT, chunk_with_npc_names
from extraction.dnd.shared.references import validate_canonical_refs, validate_record_order, validate_source_refs
from extraction.dnd.shared.scene_chunks import SCENES, SCENES_SLOT, by_scene
from extraction.dnd.spells.extract import MAPPING_POLICY, SpellsReply, read
from extraction.dnd.spells.normalize import NORMALIZATION_POLICY, normalize
from extraction.dnd.spells.validators import validate_relatedness, validate_shape
from extraction.framework import Extract, JsonValue, Lane, Scope, Slot, concatenate


def publish(records: Sequence[SpellCast], scope: Scope) -> dict[str, JsonValue]:
    return {"spells": [record.as_json() for record in records]}


SPELLS: Lane[SpellCast] = Lane(
    key="dnd/spells",
    version=1,
    records_key="spells",
    policies=(MAPPING_POLICY, NORMALIZATION_POLICY, NAME_POLICY),
    slots={SCENES_SLOT: SCENES, NPCS_SLOT: Slot("dnd/npcs")},
    chunk=by_scene,
    extract=Extract(
        prompt="dnd/spells.extract",
        reply=SpellsReply,
        materials=chunk_with_npc_names,
        read=read,
        validators=(validate_shape, validate_source_refs, validate_canonical_refs),
    ),
    merge=concatenate,
    normalize=normalize,
    proposal=None,
    validators=(
        validate_shape,
        validate_source_refs,
        validate_canonical_refs,
        validate_record_order,
        validate_relatedness,
    ),
    publish=publish,
)
