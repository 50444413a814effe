"""Where the entries of a registry occur, session by session, and with whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeAlias

from campaigns.joining import Citation
from campaigns.library.editions import payloads, records_of
from campaigns.library.places import Scenes, positions_of
from campaigns.library.registry import Line, entry, leads
from campaigns.library.sight import Sight
from campaigns.library.sources import KINDS
from campaigns.models import ArtifactVersion

SCENES = "scenes"
Shown: TypeAlias = "Mapping[tuple[int, str], tuple[ArtifactVersion, dict[str, Any]]]"


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


@dataclass(frozen=True, slots=True)
class _Told:
    """A record that tells of an occurrence, and the scene it lies in; `entity_id` is as the record has it."""

    kind: str
    entity_id: str
    session_id: int
    session: int
    index: int
    record: dict[str, Any]
    scene: int | None

    @property
    def at(self) -> tuple[int, int] | None:
        """Return the scene among all of the campaign."""
        return None if self.scene is None else (self.session, self.scene)


def occurrences_of(sight: Sight, kind: str, entity_id: str) -> list[Occurrence]:
    """Return where the entry occurs, by session and by place in the transcript; NotFound where there is no entry."""
    found = entry(sight, kind, entity_id)
    mine = {found.entity_id, *found.other_ids}
    return [_occurrence(told) for told in _told(sight, (kind,), mine)]


def first_and_last(occurrences: Sequence[Occurrence]) -> tuple[Occurrence, Occurrence] | None:
    """Return the first and the last of an entry's occurrences, which stand in order; None where there are none."""
    return (occurrences[0], occurrences[-1]) if occurrences else None


def presence(sight: Sight, kind: str) -> Mapping[str, Mapping[int, int]]:
    """Return by entry and session number how often it occurs; an entry that never does is left out."""
    known = leads(sight, kind)
    counted: dict[str, Counter[int]] = {}
    for (session, _), (_, payload) in _read(sight, [KINDS[kind].occurrences]).items():
        for record in records_of(payload):
            line = known.get(record[KINDS[kind].id_field])
            if line is not None:
                counted.setdefault(line.entity_id, Counter())[session] += 1
    return counted


def companions(sight: Sight, kind: str, entity_id: str, *, kinds: Collection[str] = tuple(KINDS)) -> list[Companion]:
    """Return who and what else of these kinds occurs in the entry's scenes, those of most shared scenes first."""
    own = entry(sight, kind, entity_id)
    known = {each: leads(sight, each) for each in {kind, *kinds}}
    scenes = _scenes_by_entry(_told(sight, known), known)
    here = scenes.pop((kind, own.entity_id), set())
    found = [
        Companion(other, each, known[other][each].name, len(shared))
        for (other, each), there in scenes.items()
        if other in kinds and (shared := here & there)
    ]
    return sorted(found, key=lambda one: (-one.scenes, one.name.casefold(), one.entity_id))


def meetings(sight: Sight, kind: str) -> Mapping[tuple[str, str], int]:
    """Return by pair of entry ids, the smaller one first, the number of scenes in which both occur."""
    known = {kind: leads(sight, kind)}
    present: dict[tuple[int, int], list[str]] = {}
    for (_, entity_id), there in _scenes_by_entry(_told(sight, (kind,)), known).items():
        for at in there:
            present.setdefault(at, []).append(entity_id)
    return Counter(pair for found in present.values() for pair in combinations(sorted(found), 2))


def _scenes_by_entry(
    told: Iterable[_Told], known: Mapping[str, Mapping[str, Line]]
) -> dict[tuple[str, str], set[tuple[int, int]]]:
    found: dict[tuple[str, str], set[tuple[int, int]]] = {}
    for each in told:
        line = known[each.kind].get(each.entity_id)
        if line is not None and each.at is not None:
            found.setdefault((each.kind, line.entity_id), set()).add(each.at)
    return found


def _told(sight: Sight, kinds: Iterable[str], only: Collection[str] | None = None) -> list[_Told]:
    """Return every occurrence of these kinds in the order of sessions and, within one, of the artifact.

    With `only` those of the entries with these ids: in a long campaign a thousandth of all, so that nothing else is
    looked up.
    """
    sources = {KINDS[kind].occurrences: kind for kind in kinds}
    found = _read(sight, [*sources, SCENES])
    scenes = {session: records_of(payload) for (session, family), (_, payload) in found.items() if family == SCENES}
    rows = {
        at: _numbered(records_of(payload), KINDS[sources[at[1]]].id_field, only)
        for at, (_, payload) in found.items()
        if at[1] in sources
    }
    wanted: dict[int, set[int]] = {}
    for at, records in rows.items():
        if records and at[0] in scenes:
            units = wanted.setdefault(found[at][0].transcript_id, set())
            units.update(_start(record) for _, record in records)
            units.update(scene["start_unit_id"] for scene in scenes[at[0]])
    places = positions_of(wanted)
    told = []
    for (session, family), records in rows.items():
        version, kind = found[session, family][0], sources[family]
        plan = Scenes.of(scenes.get(session, []), version.transcript_id, places)
        for index, record in records:
            scene = plan.at(places.get((version.transcript_id, _start(record))))
            entity_id = record[KINDS[kind].id_field]
            told.append(_Told(kind, entity_id, version.artifact.session_id, session, index, record, scene))
    return told


def _read(sight: Sight, families: Collection[str]) -> Shown:
    """Return what the sight may read of the families; a page that asks more than once reads each once."""
    known: dict[str, Shown] = sight.memo.setdefault("occurrences", {})
    missing = [family for family in families if family not in known]
    if missing:
        read = payloads(sight, missing)
        known |= {family: {at: one for at, one in read.items() if at[1] == family} for family in missing}
    found = {at: one for family in families for at, one in known[family].items()}
    return {at: found[at] for at in sorted(found)}


def _numbered(
    records: Sequence[dict[str, Any]], id_field: str, only: Collection[str] | None
) -> list[tuple[int, dict[str, Any]]]:
    return [(at, record) for at, record in enumerate(records) if only is None or record[id_field] in only]


def _start(record: Mapping[str, Any]) -> int:
    unit: int = record["source_refs"][0]["start_unit_id"]
    return unit


def _occurrence(told: _Told) -> Occurrence:
    record = told.record
    return Occurrence(
        told.session,
        KINDS[told.kind].occurrences,
        record["kind"],
        record["name"],
        record.get("detail"),
        record.get("actor"),
        record.get("recipient"),
        [
            Citation(told.session_id, told.session, ref["source_id"], ref["start_unit_id"], ref["end_unit_id"])
            for ref in record["source_refs"]
        ],
        told.scene,
        told.index,
    )
