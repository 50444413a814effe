"""Which of several places of one name a record is about, told by where that place is first met."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson

from campaigns.models import ArtifactVersion, Unit
from extraction.identity import comparison_key

if TYPE_CHECKING:
    from campaigns.querysets import ArtifactVersionQuerySet

Item = Mapping[str, object]
REGISTRY, OCCURRENCES = "locations", "location-occurrences"
SHORT_ID = 8


@dataclass(frozen=True, slots=True)
class Place:
    """One place of a registry; `anchor` is the unit that its earliest evidence begins with, if it is known."""

    key: str
    place_id: str
    anchor: int | None


def whereabouts(version: ArtifactVersion, family: str, items: Sequence[Item]) -> Mapping[int, str]:
    """Return a sentence for each record, by its number, whose place shares its name with another place."""
    if family == REGISTRY:
        mine = [_place(item, "id") for item in items]
        known = mine
    elif family == OCCURRENCES:
        mine = [_place(item, "location_id") for item in items]
        known = [*_registry(version), *mine]
    else:
        return {}
    shared = _shared(known)
    asked = {number: place for number, place in enumerate(mine) if place.key in shared}
    if not asked:
        return {}
    anchors = {place.place_id: place.anchor for place in reversed(known) if place.anchor is not None}
    told = _tell(version, {anchors[place.place_id] for place in asked.values() if place.place_id in anchors})
    start = "First met" if family == REGISTRY else "The one first met"
    return {
        number: f"{start} at {told[anchors[place.place_id]]}."
        if place.place_id in anchors
        else f"The place with the id {place.place_id.rpartition(':')[2][:SHORT_ID]}."
        for number, place in asked.items()
    }


def _place(item: Item, id_field: str) -> Place:
    """Return the place that the record names; an occurrence's own evidence is no anchor of its place."""
    refs = item.get("source_refs")
    first = refs[0] if id_field == "id" and isinstance(refs, list) and refs else None
    anchor = first["start_unit_id"] if first else None
    return Place(comparison_key(str(item.get("name", ""))), str(item.get(id_field, "")), anchor)


def _shared(places: Iterable[Place]) -> set[str]:
    ids: dict[str, set[str]] = {}
    for place in places:
        ids.setdefault(place.key, set()).add(place.place_id)
    return {key for key, found in ids.items() if len(found) > 1}


def _registry(version: ArtifactVersion) -> list[Place]:
    """Return the places of the session's usable registries, the newest first."""
    payloads = _usable(version, "dnd/locations").order_by("-number").values_list("payload", flat=True)
    return [_place(item, "id") for payload in payloads for item in orjson.loads(payload)["locations"]]


def _tell(version: ArtifactVersion, anchors: set[int]) -> Mapping[int, str]:
    """Return what to call each anchor: the unit, the scene it stands in, and who speaks there."""
    payload = _usable(version, "dnd/scenes").order_by("-number").values_list("payload", flat=True).first()
    scenes = orjson.loads(payload)["scenes"] if payload else []
    starts = {scene["start_unit_id"]: scene["title"] for scene in scenes}
    units = Unit.objects.filter(transcript=version.transcript, unit_id__in=anchors.union(starts))
    found = {unit: (at, who) for unit, at, who in units.values_list("unit_id", "position", "speaker")}
    plan = sorted((found[unit][0], title) for unit, title in starts.items() if unit in found)
    positions = [start for start, _ in plan]
    told = {}
    for anchor in anchors:
        parts = [f"unit {anchor}"]
        if anchor in found:
            position, speaker = found[anchor]
            at = bisect_right(positions, position)
            parts += [f"in the scene “{plan[at - 1][1]}”"] if at else []
            parts += [f"{speaker} speaking"] if speaker else []
        told[anchor] = ", ".join(parts)
    return told


def _usable(version: ArtifactVersion, lane: str) -> ArtifactVersionQuerySet:
    rows = ArtifactVersion.objects.usable()
    return rows.filter(
        artifact__lane=lane, artifact__session=version.artifact.session_id, transcript=version.transcript_id
    )
