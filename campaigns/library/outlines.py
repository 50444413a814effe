"""Whom an evening tells of, record by record, and in which scene: all that most pages ask of every evening.

Reading the artifacts for it took half a second a page in a campaign of twenty long evenings. An outline is a function
of digests, so each process keeps those that it made; they hold ids and numbers, never a word.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeAlias

from campaigns.library.editions import digest_of, payloads, records_of, shown
from campaigns.library.places import Scenes, positions_of
from campaigns.library.sight import Sight
from campaigns.library.sources import KINDS
from campaigns.models import ArtifactVersion

SCENES = "scenes"
# Some 20 MB a process: thirty long campaigns.
MOST_RECORDS = 500_000

# Transcript, digest of the occurrences, digest of the scenes.
_Key: TypeAlias = "tuple[int, str, str]"


@dataclass(frozen=True, slots=True)
class Outline:
    """Of the occurrences of an artifact, in its order: whose each is, and the number of the scene that it lies in."""

    entity_ids: tuple[str, ...]
    scenes: tuple[int | None, ...]


class _Kept:
    """The outlines that this process made; those longest unused go first."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._outlines: dict[_Key, Outline] = {}
        self._weight = 0

    def get(self, key: _Key) -> Outline | None:
        with self._lock:
            found = self._outlines.pop(key, None)
            if found is not None:
                self._outlines[key] = found
            return found

    def put(self, key: _Key, outline: Outline) -> None:
        with self._lock:
            if key not in self._outlines:
                self._weight += _weight(outline)
            self._outlines[key] = outline
            while self._weight > MOST_RECORDS and len(self._outlines) > 1:
                self._weight -= _weight(self._outlines.pop(next(iter(self._outlines))))

    def clear(self) -> None:
        with self._lock:
            self._outlines.clear()
            self._weight = 0


def _weight(outline: Outline) -> int:
    """Return about how many records' room it takes; one of none takes some too."""
    return len(outline.entity_ids) + 1


_kept = _Kept()


def forget() -> None:
    """Begin as a process does that has just started."""
    _kept.clear()


def outlines(sight: Sight, kinds: Collection[str]) -> Mapping[tuple[int, str], tuple[ArtifactVersion, Outline]]:
    """Return by session number and kind the version of the occurrences that the sight sees, and its outline.

    They are in the order of sessions and, within one, of families. A look that asks more than once reads each once.
    """
    known: dict[str, dict[tuple[int, str], tuple[ArtifactVersion, Outline]]] = sight.memo.setdefault("outlines", {})
    missing = [kind for kind in kinds if kind not in known]
    if missing:
        known |= {kind: {} for kind in missing}
        for (number, kind), one in _outlines(sight, missing).items():
            known[kind][number, kind] = one
    found = {at: one for kind in kinds for at, one in known[kind].items()}
    return {at: found[at] for at in sorted(found, key=lambda at: (at[0], KINDS[at[1]].occurrences))}


def _outlines(sight: Sight, kinds: Collection[str]) -> dict[tuple[int, str], tuple[ArtifactVersion, Outline]]:
    versions = shown(sight, [SCENES, *(KINDS[kind].occurrences for kind in kinds)], whole=False)
    keys = _keys(sight, kinds, versions)
    found = {at: (versions[_artifact(at)], outline) for at, key in keys.items() if (outline := _kept.get(key))}
    missing = keys.keys() - found.keys()
    return found | (_made(sight, missing) if missing else {})


def _artifact(at: tuple[int, str]) -> tuple[int, str]:
    return at[0], KINDS[at[1]].occurrences


def _keys(
    sight: Sight, kinds: Collection[str], versions: Mapping[tuple[int, str], ArtifactVersion]
) -> Mapping[tuple[int, str], _Key]:
    """Return by session and kind what the outline of these versions is kept under."""
    said = {at: digest_of(sight, version) for at, version in versions.items()}
    by_family = {KINDS[kind].occurrences: kind for kind in kinds}
    return {
        (number, by_family[family]): (version.transcript_id, said[number, family], said.get((number, SCENES), ""))
        for (number, family), version in versions.items()
        if family in by_family
    }


def _made(sight: Sight, wanted: Collection[tuple[int, str]]) -> dict[tuple[int, str], tuple[ArtifactVersion, Outline]]:
    """Read the artifacts of these sessions and kinds, and keep the outline of each.

    What was approved since they were asked for is read instead, and kept under its own digest.
    """
    kinds = {kind for _, kind in wanted}
    families = [SCENES, *(KINDS[kind].occurrences for kind in kinds)]
    read = payloads(sight, families, {number for number, _ in wanted})
    versions = {at: version for at, (version, _) in read.items()}
    records = {at: records_of(payload) for at, (_, payload) in read.items()}
    keys = {at: key for at, key in _keys(sight, kinds, versions).items() if at in wanted}
    units: dict[int, set[int]] = {}
    for at in keys:
        mine = units.setdefault(versions[_artifact(at)].transcript_id, set())
        mine.update(_start(record) for record in records[_artifact(at)])
        mine.update(scene["start_unit_id"] for scene in records.get((at[0], SCENES), ()))
    places = positions_of(units)
    found = {}
    for at, key in keys.items():
        version, told = versions[_artifact(at)], records[_artifact(at)]
        plan = Scenes.of(records.get((at[0], SCENES), []), version.transcript_id, places)
        starts = [places.get((version.transcript_id, _start(record))) for record in told]
        # One text an id, however often it comes.
        ids = {entity_id: entity_id for record in told for entity_id in [record[KINDS[at[1]].id_field]]}
        outline = Outline(
            tuple(ids[record[KINDS[at[1]].id_field]] for record in told), tuple(plan.at(start) for start in starts)
        )
        _kept.put(key, outline)
        found[at] = version, outline
    return found


def _start(record: Mapping[str, Any]) -> int:
    unit: int = record["source_refs"][0]["start_unit_id"]
    return unit
