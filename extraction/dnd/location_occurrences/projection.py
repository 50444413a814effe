"""What the model sees of the location registry: enough to tell places of one name apart, and no id.

Every entry is `{name, registry_refs, context}`. A name that only one entry has needs nothing else: both lists are
empty, and the entry may come from another transcript. Entries that share a name are told apart by their evidence:
`registry_refs` is the entry's full list of unit ranges, which a reply repeats to select it, and `context` holds what
some of those units say, so that the choice is one of meaning and not of numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from extraction.dnd.shared.bound import BoundEntity, bound_entities, by_key
from extraction.framework import Code, DocumentIndex, Finding, JsonValue, Scope, SourceRef, canonical, rejection, span

LOCATIONS_SLOT = "locations"
CONTEXT_UNITS = 12
"""Units of transcript shown for one entry at most: the first, the last, and evenly spaced ones of those it cites."""
PROJECTION_POLICY = f"location-occurrences.contextual.{CONTEXT_UNITS}-units-evenly.v1"

Selector = tuple[tuple[int, int], ...]


def contextual(entities: Sequence[BoundEntity], index: DocumentIndex) -> list[JsonValue]:
    """Return the entries in registry order as `{name, registry_refs, context}`.

    For entries that `check_selectors` accepts; the ranges are selectors and never evidence of an occurrence.
    """
    shared = {entity.id for _, entity in _sharing_a_name(entities)}
    return [_entry(entity, index, shared=entity.id in shared) for entity in entities]


def selector(entity: BoundEntity, index: DocumentIndex) -> Selector:
    """Return the entry's ranges in canonical order, as unit ids."""
    return tuple((ref.start_unit_id, ref.end_unit_id) for ref in canonical(entity.source_refs, index))


def check_selectors(scope: Scope) -> list[Finding]:
    """Return a rejection for each entry that shares its name and cannot be selected with this transcript.

    Its ranges have to resolve here, forward and under this source's id, and to differ from those of the others.
    Entries with a name of their own are not judged.
    """
    entities = bound_entities(scope, LOCATIONS_SLOT)
    sharing = list(_sharing_a_name(entities))
    alike = Counter((entity.key, frozenset(selector(entity, scope.index))) for _, entity in sharing)
    findings: list[Finding] = []
    for number, entity in sharing:
        where = f"locations[{number}]"
        if not entity.source_refs or any(_positions(ref, scope.index) is None for ref in entity.source_refs):
            findings.append(rejection(Code.REFERENCE_UNRESOLVABLE, where))
        elif alike[entity.key, frozenset(selector(entity, scope.index))] > 1:
            findings.append(rejection(Code.REFERENCE_INDISTINCT, where))
    return findings


def _sharing_a_name(entities: Sequence[BoundEntity]) -> Iterator[tuple[int, BoundEntity]]:
    named = by_key(tuple(entities))
    return ((number, entity) for number, entity in enumerate(entities) if len(named[entity.key]) > 1)


def _entry(entity: BoundEntity, index: DocumentIndex, *, shared: bool) -> JsonValue:
    if not shared:
        return {"name": entity.name, "registry_refs": [], "context": []}
    return {
        "name": entity.name,
        "registry_refs": [{"start_unit_id": start, "end_unit_id": end} for start, end in selector(entity, index)],
        "context": [
            {"unit_id": unit.unit_id, "text": unit.text}
            for unit in map(index.unit_at, _evenly(_cited_positions(entity, index), CONTEXT_UNITS))
        ],
    }


def _cited_positions(entity: BoundEntity, index: DocumentIndex) -> list[int]:
    spans = (_positions(ref, index) for ref in entity.source_refs)
    return sorted({at for found in spans if found is not None for at in range(found[0], found[1] + 1)})


def _positions(ref: SourceRef, index: DocumentIndex) -> tuple[int, int] | None:
    """Return the positions of a forward range of this document, None for anything else."""
    found = span(ref, index)
    return found if found is not None and found[0] <= found[1] else None


def _evenly(positions: Sequence[int], most: int) -> list[int]:
    if len(positions) <= most:
        return list(positions)
    return [positions[round(step * (len(positions) - 1) / (most - 1))] for step in range(most)]
