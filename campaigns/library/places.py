"""Where units stand in their transcripts, and which scene of a session a position lies in."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.db.models import Q

from campaigns.models import Unit

# As many conditions, and as many unit ids, as any database takes in one query.
TRANSCRIPTS_A_QUERY = 100
UNITS_A_QUERY = 10_000

Positions = Mapping[tuple[int, int], int]


def positions_of(wanted: Mapping[int, Collection[int]]) -> Positions:
    """Return by transcript and unit id where each of these units stands; one that there is not is left out."""
    found: dict[tuple[int, int], int] = {}
    for batch in _batches(wanted):
        here = Q(pk__in=())
        for transcript, unit_ids in batch:
            here |= Q(transcript=transcript, unit_id__in=unit_ids)
        rows = Unit.objects.filter(here).order_by().values_list("transcript", "unit_id", "position")
        found |= {(transcript, unit_id): position for transcript, unit_id, position in rows}
    return found


def _batches(wanted: Mapping[int, Collection[int]]) -> Iterator[list[tuple[int, list[int]]]]:
    """Yield what is wanted in parts that one query may ask for; many units of one transcript are asked for apart."""
    batch: list[tuple[int, list[int]]] = []
    room = UNITS_A_QUERY
    for transcript, unit_ids in wanted.items():
        left = iter(unit_ids)
        while some := list(islice(left, room)):
            batch.append((transcript, some))
            room -= len(some)
            if not room or len(batch) == TRANSCRIPTS_A_QUERY:
                yield batch
                batch, room = [], UNITS_A_QUERY
    if batch:
        yield batch


@dataclass(frozen=True, slots=True)
class Scenes:
    """A session's scenes by where they start; `index` is a scene's number in the artifact."""

    starts: tuple[int, ...] = ()
    indices: tuple[int, ...] = ()

    @classmethod
    def of(cls, records: list[dict[str, Any]], transcript: int, places: Positions) -> Scenes:
        placed = sorted(
            (place, index)
            for index, record in enumerate(records)
            if (place := places.get((transcript, record["start_unit_id"]))) is not None
        )
        return cls(tuple(place for place, _ in placed), tuple(index for _, index in placed))

    def at(self, position: int | None) -> int | None:
        """Return the number of the scene that the position lies in."""
        if position is None:
            return None
        at = bisect_right(self.starts, position) - 1
        return self.indices[at] if at >= 0 else None
