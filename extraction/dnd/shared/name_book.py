"""Canonical names for actors and targets: exact matches of a bound registry, and nothing near them."""

from __future__ import annotations

from collections.abc import Iterable

from extraction.dnd.shared.bound import BoundEntity, bound_entities
from extraction.framework import Scope, comparison_key

NAME_POLICY = "names.registry-exact.v1"


class NameBook:
    """Knows which one entity a name means. A name that two entities go by is ambiguous and means none."""

    def __init__(self, entities: Iterable[BoundEntity]) -> None:
        canonical: dict[str, set[str]] = {}
        for entity in entities:
            for name in (entity.name, *entity.members):
                canonical.setdefault(comparison_key(name), set()).add(entity.name)
        self._names = {key: next(iter(names)) for key, names in canonical.items() if len(names) == 1}

    @classmethod
    def of(cls, scope: Scope, slot: str = "npcs") -> NameBook:
        """Return the book of the registry in the slot; an empty one where nothing is bound."""
        return cls(bound_entities(scope, slot))

    def canonical(self, name: str) -> str:
        """Return the registry's name where the given one is exactly a name or member name of one entry, else itself."""
        return self._names.get(comparison_key(name), name)
