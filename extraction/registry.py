"""Lane key to lane. The only file that imports `extraction.dnd`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pydantic import BaseModel

from extraction.dnd.combat_turns.lane import COMBAT_TURNS
from extraction.dnd.enemy_events.lane import ENEMY_EVENTS
from extraction.dnd.item_occurrences.lane import ITEM_OCCURRENCES
from extraction.dnd.items.lane import ITEMS
from extraction.dnd.location_occurrences.lane import LOCATION_OCCURRENCES
from extraction.dnd.locations.lane import LOCATIONS
from extraction.dnd.npc_occurrences.lane import NPC_OCCURRENCES
from extraction.dnd.npcs.lane import NPCS
from extraction.dnd.scenes.lane import SCENES
from extraction.dnd.spells.lane import SPELLS
from extraction.lanes.lane import AnyLane

LANES: Mapping[str, AnyLane] = MappingProxyType(
    {
        lane.key: lane
        for lane in (
            SCENES,
            NPCS,
            ITEMS,
            LOCATIONS,
            NPC_OCCURRENCES,
            ITEM_OCCURRENCES,
            LOCATION_OCCURRENCES,
            SPELLS,
            COMBAT_TURNS,
            ENEMY_EVENTS,
        )
    }
)

CHUNK_REPLIES: Mapping[str, type[BaseModel]] = MappingProxyType(
    {lane.extract.prompt: lane.extract.reply for lane in LANES.values() if lane.shares_chunks}
)
"""The reply types that may share one schema: those of the prompts that begin with the same chunk."""
