"""Which location a selection means: by name where one entry has it, by name and full evidence where several do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from extraction.dnd.location_occurrences.projection import selector
from extraction.dnd.shared.bound import BoundEntity
from extraction.dnd.shared.reply import RangeReply
from extraction.framework import DocumentIndex, comparison_key

RESOLUTION_POLICY = "location-occurrences.resolve.name-and-ranges.v1"


def resolve_location(
    name: str,
    registry_refs: Sequence[RangeReply],
    named: Mapping[str, tuple[BoundEntity, ...]],
    index: DocumentIndex,
) -> BoundEntity | None:
    """Return the one entry that was offered under this selector, None where there is none or more than one.

    A name of one entry was offered without ranges, so ranges beside it select nothing. Ranges of a shared name are
    compared as a set and as they came: a selector is no evidence, so no endpoint is swapped.
    """
    found = named.get(comparison_key(name), ())
    given = frozenset((ref.start_unit_id, ref.end_unit_id) for ref in registry_refs)
    if len(found) == 1:
        return None if given else found[0]
    exact = [entity for entity in found if frozenset(selector(entity, index)) == given]
    return exact[0] if len(exact) == 1 else None
