"""The lane `dnd/combat-turns`."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from extraction.dnd.artifacts.combat_turns import CombatTurn
from extraction.dnd.combat_turns.extract import MAPPING_POLICY, CombatTurnsReply, read
from extraction.dnd.combat_turns.normalize import NORMALIZATION_POLICY, normalize
from extraction.dnd.combat_turns.relatedness import RELATEDNESS_POLICY, validate_relatedness
from extraction.dnd.combat_turns.validators import (
    validate_names,
    validate_no_duplicates,
    validate_normalized,
    validate_shape,
)
from extraction.dnd.shared.name_book import NAME_POLICY
from extraction.dnd.shared.npc_names import NPCS_SLOT, chunk_of_a_fight
from extraction.dnd.shared.references import validate_canonical_refs, validate_record_order, validate_source_refs
from extraction.dnd.shared.scene_chunks import SCENES, SCENES_SLOT, by_scene
from extraction.framework import Extract, JsonValue, Lane, Scope, Slot, concatenate


def publish(records: Sequence[CombatTurn], scope: Scope) -> dict[str, JsonValue]:
    """Return the artifact's records as JSON."""
    return {"turns": [record.as_json() for record in records]}


COMBAT_TURNS = Lane(
    key="dnd/combat-turns",
    version=1,
    records_key="turns",
    policies=(MAPPING_POLICY, NORMALIZATION_POLICY, NAME_POLICY, RELATEDNESS_POLICY),
    chunk=by_scene,
    extract=Extract(
        prompt="dnd/combat-turns.extract",
        reply=CombatTurnsReply,
        materials=chunk_of_a_fight,
        read=read,
        validators=(validate_shape, validate_names, validate_source_refs, validate_canonical_refs),
    ),
    merge=concatenate,
    normalize=normalize,
    proposal=None,
    validators=(
        validate_shape,
        validate_names,
        validate_normalized,
        validate_no_duplicates,
        validate_source_refs,
        validate_canonical_refs,
        validate_record_order,
        validate_relatedness,
    ),
    publish=publish,
    slots=MappingProxyType({SCENES_SLOT: SCENES, NPCS_SLOT: Slot("dnd/npcs")}),
)
