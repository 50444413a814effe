"""Lane key to lane. The only file that imports `extraction.dnd`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pydantic import BaseModel

from extraction.dnd.npcs.lane import NPCS
from extraction.lanes.lane import AnyLane

LANES: Mapping[str, AnyLane] = MappingProxyType({lane.key: lane for lane in (NPCS,)})

CHUNK_REPLIES: Mapping[str, type[BaseModel]] = MappingProxyType(
    {lane.extract.prompt: lane.extract.reply for lane in LANES.values() if lane.shares_chunks}
)
"""The reply types that may share one schema: those of the prompts that begin with the same chunk."""
