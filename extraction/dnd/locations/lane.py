"""The lane `dnd/locations`."""

from __future__ import annotations

from extraction.dnd.locations.extract import MAPPING_POLICY, LocationsReply, read
from extraction.dnd.locations.identity import IDENTITY_POLICY, identify
from extraction.dnd.locations.normalize import NORMALIZATION_POLICY, normalize
from extraction.dnd.shared.registry_lane import registry_lane

LOCATIONS = registry_lane(
    "dnd/locations",
    version=1,
    policies=(MAPPING_POLICY, NORMALIZATION_POLICY, IDENTITY_POLICY),
    reply=LocationsReply,
    read=read,
    normalize=normalize,
    identify=identify,
)
