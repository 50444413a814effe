"""A gold label file against its transcript: read strictly, its ranges turned into positions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import ValidationError

from extraction.evaluation.faults import first_fault, refusal
from extraction.evaluation.labels import (
    GoldFile,
    ItemOccurrenceLabel,
    Label,
    LaneLabels,
    LocationOccurrenceLabel,
    NpcOccurrenceLabel,
    Range,
    SceneLabel,
)
from extraction.evaluation.names import NameBook, name_key
from extraction.source.index import DocumentIndex

L = TypeVar("L", bound=Label)

REGISTRY_OF: Mapping[str, str] = {
    "dnd/npc-occurrences": "dnd/npcs",
    "dnd/item-occurrences": "dnd/items",
    "dnd/location-occurrences": "dnd/locations",
}


OCCURRENCES = (NpcOccurrenceLabel, ItemOccurrenceLabel, LocationOccurrenceLabel)


@dataclass(frozen=True, slots=True)
class Labelled(Generic[L]):
    """A label with the positions of its evidence, and of what else may be cited; both within the segment."""

    label: L
    core: frozenset[int]
    wider: frozenset[int]


@dataclass(frozen=True, slots=True)
class Gold:
    file: GoldFile
    index: DocumentIndex

    @property
    def lanes(self) -> tuple[str, ...]:
        """Return the labelled lanes in the format's order."""
        return tuple(self.file.lanes.by_key())

    def segment(self, lane: str) -> frozenset[int]:
        """Return the positions that were labelled for the lane: all of them unless the file says otherwise."""
        labels = self.file.lanes.by_key()[lane]
        ranges = labels.segment or self.file.segment
        return frozenset(range(len(self.index))) if ranges is None else self.positions(ranges)

    def positions(self, ranges: Iterable[Range | SceneLabel]) -> frozenset[int]:
        """Return the positions that the ranges cover."""
        return frozenset(
            at
            for each in ranges
            for at in range(self.index.position(each.start_unit_id), self.index.position(each.end_unit_id) + 1)
        )

    def labelled(self, lane: str, labels: LaneLabels[L]) -> tuple[Labelled[L], ...]:
        """Return the labels that touch the segment, by their earliest unit; equal starts keep the file's order."""
        segment = self.segment(lane)
        cut = [
            Labelled(label, self.positions(label.source_refs) & segment, self.positions(label.also_refs) & segment)
            for label in labels.records
        ]
        return tuple(sorted((each for each in cut if each.core), key=lambda each: min(each.core)))

    def actors(self) -> NameBook:
        """Return who may act: the party, the NPCs and the others, each under all names."""
        npcs = self.file.lanes.npcs
        groups = [[person.name, *person.also] for person in (*self.file.party, *self.file.others)]
        if npcs is not None:
            groups += [[npc.name, *npc.also] for npc in npcs.records]
        return NameBook(groups)

    def registry(self, lane: str) -> NameBook:
        """Return the names of what an occurrence lane is about; an empty book where its registry is not labelled."""
        labels = self.file.lanes.registries().get(REGISTRY_OF[lane])
        return NameBook([] if labels is None else ([each.name, *each.also] for each in labels.records))


def read_gold(data: bytes, index: DocumentIndex, name: str) -> Gold:
    """Return the labels; InputError names the file, the place and the reason in one sentence.

    Every range must exist in the transcript and run forward in it.
    """
    try:
        file = GoldFile.model_validate_json(data.removeprefix(b"\xef\xbb\xbf"))
    except ValidationError as error:
        raise first_fault(name, error) from None
    if file.transcript_digest not in (None, index.document.digest):
        raise refusal(name, "transcript_digest", "the labels were made for a transcript with other units")
    for place, each in _ranges(file):
        fault = _range_fault(each, index)
        if fault:
            raise refusal(name, place, fault)
    _check_scenes(file, index, name)
    _check_names(file, name)
    return Gold(file, index)


def _ranges(file: GoldFile) -> Iterator[tuple[str, Range | SceneLabel]]:
    yield from _numbered("segment", file.segment or ())
    for key, labels in file.lanes.by_key().items():
        yield from _numbered(f"lanes.{key}.segment", labels.segment or ())
        for at, record in enumerate(labels.records):
            place = f"lanes.{key}.records[{at}]"
            if isinstance(record, SceneLabel):
                yield place, record
            elif isinstance(record, Label):
                yield from _numbered(f"{place}.source_refs", record.source_refs)
                yield from _numbered(f"{place}.also_refs", record.also_refs)


def _numbered(place: str, ranges: Iterable[Range]) -> Iterator[tuple[str, Range]]:
    for at, each in enumerate(ranges):
        yield f"{place}[{at}]", each


def _range_fault(each: Range | SceneLabel, index: DocumentIndex) -> str:
    for unit_id in (each.start_unit_id, each.end_unit_id):
        if unit_id not in index:
            return f"the transcript has no unit {unit_id}"
    if index.position(each.start_unit_id) > index.position(each.end_unit_id):
        return f"unit {each.start_unit_id} stands after unit {each.end_unit_id} in the transcript"
    return ""


def _check_scenes(file: GoldFile, index: DocumentIndex, name: str) -> None:
    scenes = [] if file.lanes.scenes is None else file.lanes.scenes.records
    for at in range(1, len(scenes)):
        if index.position(scenes[at].start_unit_id) != index.position(scenes[at - 1].end_unit_id) + 1:
            raise refusal(name, f"lanes.dnd/scenes.records[{at}]", "a scene must begin where the one before it ends")


def _check_names(file: GoldFile, name: str) -> None:
    """Refuse an occurrence of something that the labelled registry does not have: it is a slip of the pen."""
    lanes, registries = file.lanes.by_key(), file.lanes.registries()
    for key, registry in REGISTRY_OF.items():
        if key not in lanes or registry not in registries:
            continue
        known = {name_key(word) for entry in registries[registry].records for word in (entry.name, *entry.also)}
        for at, record in enumerate(lanes[key].records):
            if isinstance(record, OCCURRENCES) and name_key(record.name) not in known:
                raise refusal(name, f"lanes.{key}.records[{at}].name", f"no label of {registry} has this name")
