"""What the occurrence lanes do in exactly the same way. Which entry a selection means is each family's own rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeVar

from extraction.dnd.shared.bound import BoundEntity, bound_entities
from extraction.dnd.shared.relatedness import mentions
from extraction.dnd.shared.scene_chunks import by_scene
from extraction.framework import (
    Chunk,
    ChunkLimits,
    Cited,
    Code,
    Finding,
    JsonValue,
    Scope,
    Validator,
    rejection,
    warning,
)

UNRESOLVED = ""
"""The id of a record whose selection meant no entry, or several: it is kept, for the validators to reject."""


class Occurrence(Cited, Protocol):
    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...


T = TypeVar("T", bound=Occurrence)


def by_scene_unless_empty(slot: str) -> Callable[[Scope, ChunkLimits], tuple[Chunk, ...]]:
    """Return the chunking of a lane that looks for the entries of the registry in the slot."""

    def chunks(scope: Scope, limits: ChunkLimits) -> tuple[Chunk, ...]:
        """Return chunks along the scenes. None for an empty registry: no model is asked, and the artifact is empty."""
        return by_scene(scope, limits) if bound_entities(scope, slot) else ()

    return chunks


def names_only(entities: Iterable[BoundEntity]) -> list[JsonValue]:
    """Return the canonical names in registry order: no id, no evidence, no member name of a consolidation."""
    return [entity.name for entity in entities]


def pairs_validator(slot: str, id_of: Callable[[T], str]) -> Validator[T]:
    """Return the validator that holds id and name of each record against the registry in the slot."""

    def validate_registry_pairs(records: Sequence[T], scope: Scope) -> list[Finding]:
        """Return a rejection for each record without an entry, and for each whose id and name are no entry's pair."""
        pairs = {(entity.id, entity.name) for entity in bound_entities(scope, slot)}
        findings: list[Finding] = []
        for number, record in enumerate(records):
            if id_of(record) == UNRESOLVED:
                findings.append(rejection(Code.IDENTITY_UNRESOLVED, f"record[{number}]"))
            elif (id_of(record), record.name) not in pairs:
                findings.append(rejection(Code.IDENTITY_MISMATCH, f"record[{number}]"))
        return findings

    return validate_registry_pairs


def kind_validator(kinds: frozenset[str]) -> Validator[T]:
    """Return the validator that knows the kinds of one artifact."""

    def validate_kind(records: Sequence[T], scope: Scope) -> list[Finding]:
        """Return a rejection for each record whose kind is none of the artifact's."""
        return [
            rejection(Code.RECORD_SHAPE, f"record[{number}].kind")
            for number, record in enumerate(records)
            if record.kind not in kinds
        ]

    return validate_kind


def relatedness_validator(slot: str, id_of: Callable[[T], str]) -> Validator[T]:
    """Return the advisory check of cited text against the names that an entry is known by."""

    def validate_relatedness(records: Sequence[T], scope: Scope) -> list[Finding]:
        """Return a warning for each record whose cited units nowhere say a word of any name of its entry."""
        known = {entity.id: entity.members for entity in bound_entities(scope, slot)}
        return [
            warning(Code.EVIDENCE_UNRELATED, f"record[{number}]", references=len(record.source_refs))
            for number, record in enumerate(records)
            if not any(
                mentions(name, record.source_refs, scope.index) for name in (record.name, *known.get(id_of(record), ()))
            )
        ]

    return validate_relatedness
