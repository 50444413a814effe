"""The lane `dnd/npcs`."""

from __future__ import annotations

from extraction.dnd.npcs.extract import MAPPING_POLICY, NpcsReply, read
from extraction.dnd.npcs.identity import IDENTITY_POLICY, identify
from extraction.dnd.npcs.normalize import NORMALIZATION_POLICY, normalize
from extraction.dnd.shared.registry_lane import registry_lane

NPCS = registry_lane(
    "dnd/npcs",
    version=1,
    policies=(MAPPING_POLICY, NORMALIZATION_POLICY, IDENTITY_POLICY),
    reply=NpcsReply,
    read=read,
    normalize=normalize,
    identify=identify,
)
