"""Lane key to lane. The only file that imports `extraction.dnd`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from extraction.dnd.npcs.lane import NPCS
from extraction.lanes.lane import AnyLane

LANES: Mapping[str, AnyLane] = MappingProxyType({lane.key: lane for lane in (NPCS,)})
