"""The lane `dnd/enemy-events`."""

from __future__ import annotations

from collections.abc import Sequence

from extraction.dnd.artifacts.enemy_events import EnemyEvent
from extraction.dnd.enemy_events.extract import MAPPING_POLICY, EnemyEventsReply, read
from extraction.dnd.enemy_events.normalize import NORMALIZATION_POLICY, normalize
from extraction.dnd.enemy_events.validators import validate_relatedness, validate_shape
from extraction.dnd.shared.name_book import NAME_POLICY
from extraction.dnd.shared.npc_names import NPCS_SLOT, chunk_of_a_fight
from extraction.dnd.shared.references import validate_canonical_refs, validate_record_order, validate_source_refs
from extraction.dnd.shared.scene_chunks import SCENES, SCENES_SLOT, by_scene
from extraction.framework import Extract, JsonValue, Lane, Scope, Slot, concatenate


def publish(records: Sequence[EnemyEvent], scope: Scope) -> dict[str, JsonValue]:
    return {"events": [record.as_json() for record in records]}


ENEMY_EVENTS: Lane[EnemyEvent] = Lane(
    key="dnd/enemy-events",
    version=1,
    records_key="events",
    policies=(MAPPING_POLICY, NORMALIZATION_POLICY, NAME_POLICY),
    slots={SCENES_SLOT: SCENES, NPCS_SLOT: Slot("dnd/npcs")},
    chunk=by_scene,
    extract=Extract(
        prompt="dnd/enemy-events.extract",
        reply=EnemyEventsReply,
        materials=chunk_of_a_fight,
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
