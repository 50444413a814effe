"""The lane `dnd/items`."""

from __future__ import annotations

from extraction.dnd.items.extract import MAPPING_POLICY, ItemsReply, read
from extraction.dnd.items.identity import IDENTITY_POLICY, identify
from extraction.dnd.items.normalize import NORMALIZATION_POLICY, normalize
from extraction.dnd.shared.registry_lane import registry_lane

ITEMS = registry_lane(
    "dnd/items",
    version=1,
    policies=(MAPPING_POLICY, NORMALIZATION_POLICY, IDENTITY_POLICY),
    reply=ItemsReply,
    read=read,
    normalize=normalize,
    identify=identify,
)
