"""Registries bound to a lane: read strictly, looked up by comparison key, and never evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import TypeAdapter

from extraction.dnd.artifacts.common import SourceRefModel, Strict
from extraction.framework import Scope, SourceRef, comparison_key


class _EntityModel(Strict):
    id: str
    name: str
    source_refs: list[SourceRefModel]


_ENTITIES = TypeAdapter(list[_EntityModel])


@dataclass(frozen=True, slots=True)
class BoundEntity:
    """One registry entry, with the names that its consolidation joined."""

    id: str
    name: str
    source_refs: tuple[SourceRef, ...]
    members: tuple[str, ...]

    @property
    def key(self) -> str:
        return comparison_key(self.name)


def bound_entities(scope: Scope, slot: str) -> tuple[BoundEntity, ...]:
    """Return the entries of the registry in the slot, in registry order; none where nothing is bound."""
    known = scope.memo.get(f"entities.{slot}")
    if not isinstance(known, tuple):
        known = scope.memo[f"entities.{slot}"] = _read_entities(scope, slot)
    return known


def _read_entities(scope: Scope, slot: str) -> tuple[BoundEntity, ...]:
    bound = scope.references.get(slot)
    if bound is None:
        return ()
    family = bound.lane.partition("/")[2]
    return tuple(
        BoundEntity(
            entry.id,
            entry.name,
            tuple(SourceRef(ref.source_id, ref.start_unit_id, ref.end_unit_id) for ref in entry.source_refs),
            tuple(bound.members.get(entry.id, ())),
        )
        for entry in _ENTITIES.validate_python(bound.payload[family])
    )


def by_key(entities: tuple[BoundEntity, ...]) -> Mapping[str, tuple[BoundEntity, ...]]:
    """Return the entries under each comparison key of their canonical names."""
    found: dict[str, tuple[BoundEntity, ...]] = {}
    for entity in entities:
        found[entity.key] = (*found.get(entity.key, ()), entity)
    return found
