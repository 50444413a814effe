"""What else a session tells of the time of its fights."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from campaigns.library.editions import payloads, records_of
from campaigns.library.fights import FAMILY, Fight
from campaigns.library.places import Positions, positions_of
from campaigns.library.sight import Sight

Records = Mapping[str, list[dict[str, Any]]]


def during(sight: Sight, number: int, fight: Fight, families: Collection[str]) -> Records:
    """Return by family the records that begin between the fight's first and last cited unit.

    A family that was read from another revision of the transcript than the fight tells nothing.
    """
    found = payloads(sight, (FAMILY, *families), [number])
    empty: dict[str, list[dict[str, Any]]] = {family: [] for family in families}
    if (number, FAMILY) not in found:
        return empty
    transcript = found[number, FAMILY][0].transcript_id
    ends = [unit for turn in fight.turns for ref in turn.refs for unit in (ref.start_unit_id, ref.end_unit_id)]
    told = {
        family: records_of(payload)
        for (_, family), (version, payload) in found.items()
        if family in empty and version.transcript_id == transcript
    }
    units = {*ends, *(_start(record) for records in told.values() for record in records)}
    places = positions_of({transcript: units})
    span = _span(ends, transcript, places)
    return empty | {
        family: [record for record in records if places.get((transcript, _start(record))) in span]
        for family, records in told.items()
    }


def _start(record: Mapping[str, Any]) -> int:
    start: int = record["source_refs"][0]["start_unit_id"]
    return start


def _span(ends: Sequence[int], transcript: int, places: Positions) -> range:
    placed = [places[transcript, unit] for unit in ends if (transcript, unit) in places]
    return range(min(placed), max(placed) + 1) if placed else range(0)
