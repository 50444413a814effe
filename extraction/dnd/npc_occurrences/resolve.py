"""Which NPC a name in a reply means: the one entry with that comparison key, or none."""

from __future__ import annotations

from collections.abc import Mapping

from extraction.dnd.shared.bound import BoundEntity
from extraction.framework import comparison_key

RESOLUTION_POLICY = "npc-occurrences.resolve.canonical-name.v1"


def resolve_npc(name: str, named: Mapping[str, tuple[BoundEntity, ...]]) -> BoundEntity | None:
    """Return the entry under the name's comparison key; None where there is none, or more than one.

    Canonical names alone resolve: they are what the model was shown. A name that a consolidation joined does not.
    """
    found = named.get(comparison_key(name), ())
    return found[0] if len(found) == 1 else None
