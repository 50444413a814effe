"""All names of a campaign's registries at once, for those who look through them."""

from __future__ import annotations

from dataclasses import dataclass

from campaigns.library.editions import stored_edition
from campaigns.library.registry import joined
from campaigns.library.sight import Sight
from campaigns.library.sources import KINDS
from campaigns.models import RegistryEntry


@dataclass(frozen=True, slots=True)
class Name:
    """One entry as it may be called: `also_called` are the names of consolidated records that the sight may know."""

    kind: str
    entity_id: str
    name: str
    also_called: list[str]
    sessions: list[int]


def names(sight: Sight) -> list[Name]:
    """Return every entry of every registry, in one query where the registry is stored as the sight sees it."""
    if sight.latest or sight.as_of is not None:
        return [
            Name(kind, entry.entity_id, entry.name, entry.also_called, entry.sessions)
            for kind in KINDS
            for entry in joined(sight, kind)
        ]
    rows = RegistryEntry.objects.filter(campaign=sight.campaign, edition=stored_edition(sight)).order_by()
    return [Name(*row) for row in rows.values_list("kind", "entity_id", "name", "also_called", "sessions")]
