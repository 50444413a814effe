"""Where the entries of a registry occur, session by session, and with whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from campaigns.joining import Citation
from campaigns.library.editions import payloads, records_of
from campaigns.library.outlines import outlines
from campaigns.library.registry import Line, entry, leads
from campaigns.library.sight import Sight
from campaigns.library.sources import KINDS


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record of an evening's occurrences stands: its number there, and that of the scene it lies in."""

    kind: str
    entity_id: str
    session_id: int
    session: int
    index: int
    scene: int | None


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One cited place; `scene` is the number of the scene that its first unit lies in, `index` the record's own."""

    session: int
    family: str
    kind: str
    name: str
    detail: str | None
    actor: str | None
    recipient: str | None
    refs: list[Citation]
    scene: int | None
    index: int = 0


@dataclass(frozen=True, slots=True)
class Companion:
    """Somebody or something that occurs in the same scenes."""

    kind: str
    entity_id: str
    name: str
    scenes: int


def places_of(sight: Sight, kind: str, entity_id: str) -> list[Place]:
    """Return where the entry occurs, by session and by place in the artifact; NotFound where there is no entry."""
    found = entry(sight, kind, entity_id)
    mine = {found.entity_id, *found.other_ids}
    return [
        Place(kind, told, version.artifact.session_id, session, index, scene)
        for (session, _), (version, outline) in outlines(sight, (kind,)).items()
        for index, (told, scene) in enumerate(zip(outline.entity_ids, outline.scenes, strict=True))
        if told in mine
    ]


def occurrences_at(sight: Sight, places: Sequence[Place]) -> list[Occurrence]:
    """Return what is told at these places, in their order; of other sessions nothing is read.

    A place is left out where, since it was looked up, another version of its artifact has come.
    """
    families = {KINDS[place.kind].occurrences for place in places}
    read = payloads(sight, families, {place.session for place in places}) if places else {}
    told = {at: records_of(payload) for at, (_, payload) in read.items()}
    found = []
    for place in places:
        source = KINDS[place.kind]
        records = told.get((place.session, source.occurrences), [])
        if place.index < len(records) and records[place.index][source.id_field] == place.entity_id:
            found.append(_occurrence(place, records[place.index]))
    return found


def occurrences_of(sight: Sight, kind: str, entity_id: str) -> list[Occurrence]:
    """Return all that is told of where the entry occurs; NotFound where there is no entry."""
    return occurrences_at(sight, places_of(sight, kind, entity_id))


def presence(sight: Sight, kind: str) -> Mapping[str, Mapping[int, int]]:
    """Return by entry and session number how often it occurs; an entry that never does is left out."""
    known = leads(sight, kind)
    counted: dict[str, Counter[int]] = {}
    for (session, _), (_, outline) in outlines(sight, (kind,)).items():
        for entity_id, times in Counter(outline.entity_ids).items():
            if entity_id in known:
                counted.setdefault(known[entity_id].entity_id, Counter())[session] += times
    return counted


def companions(sight: Sight, kind: str, entity_id: str, *, kinds: Collection[str] = tuple(KINDS)) -> list[Companion]:
    """Return who and what else of these kinds occurs in the entry's scenes, those of most shared scenes first."""
    own = entry(sight, kind, entity_id)
    known = {each: leads(sight, each) for each in {kind, *kinds}}
    scenes = _scenes_by_entry(sight, known)
    here = scenes.pop((kind, own.entity_id), set())
    found = [
        Companion(other, each, known[other][each].name, len(shared))
        for (other, each), there in scenes.items()
        if other in kinds and (shared := here & there)
    ]
    return sorted(found, key=lambda one: (-one.scenes, one.name.casefold(), one.entity_id))


def meetings(sight: Sight, kind: str) -> Mapping[tuple[str, str], int]:
    """Return by pair of entry ids, the smaller one first, the number of scenes in which both occur."""
    present: dict[tuple[int, int], list[str]] = {}
    for (_, entity_id), there in _scenes_by_entry(sight, {kind: leads(sight, kind)}).items():
        for at in there:
            present.setdefault(at, []).append(entity_id)
    return Counter(pair for found in present.values() for pair in combinations(sorted(found), 2))


def _scenes_by_entry(
    sight: Sight, known: Mapping[str, Mapping[str, Line]]
) -> dict[tuple[str, str], set[tuple[int, int]]]:
    """Return by kind and entry the scenes that it occurs in: session number, and the scene's own."""
    found: dict[tuple[str, str], set[tuple[int, int]]] = {}
    for (session, kind), (_, outline) in outlines(sight, known).items():
        # A pair comes as often as somebody is told of in a scene.
        for entity_id, scene in set(zip(outline.entity_ids, outline.scenes, strict=True)):
            line = known[kind].get(entity_id)
            if line is not None and scene is not None:
                found.setdefault((kind, line.entity_id), set()).add((session, scene))
    return found


def _occurrence(place: Place, record: Mapping[str, Any]) -> Occurrence:
    return Occurrence(
        place.session,
        KINDS[place.kind].occurrences,
        record["kind"],
        record["name"],
        record.get("detail"),
        record.get("actor"),
        record.get("recipient"),
        [
            Citation(place.session_id, place.session, ref["source_id"], ref["start_unit_id"], ref["end_unit_id"])
            for ref in record["source_refs"]
        ],
        place.scene,
        place.index,
    )
