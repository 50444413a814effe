"""Durable artifacts as the scores need them: what each lane wrote, with evidence as positions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Generic, TypeVar

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from extraction.evaluation.faults import first_fault, refusal
from extraction.source.index import DocumentIndex

SCHEMA = re.compile(r"^notarius\.dnd\.([a-z-]+)\.v1$")


class Shape(BaseModel):
    """The fields that a score looks at. That an artifact has its whole shape is checked where it is made."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


class Ref(Shape):
    start_unit_id: int
    end_unit_id: int


class CitedRecord(Shape):
    source_refs: Annotated[list[Ref], Field(min_length=1)]


class EntityRecord(CitedRecord):
    id: str
    name: str


class OccurrenceRecord(CitedRecord):
    name: str
    kind: str
    actor: str | None = None
    recipient: str | None = None


class SpellRecord(CitedRecord):
    caster: str
    spell: str
    level: int | None
    targets: list[str]


class ActionRecord(Shape):
    category: str


class TurnRecord(CitedRecord):
    actor: str
    turn_kind: str
    round: int | None
    actions: list[ActionRecord]


class EventRecord(CitedRecord):
    enemy: str
    kind: str
    actor: str | None


class SceneRecord(Shape):
    primary_mode: str
    start_unit_id: int
    end_unit_id: int


RECORDS: Mapping[str, tuple[str, type[Shape]]] = MappingProxyType(
    {
        "dnd/npcs": ("npcs", EntityRecord),
        "dnd/items": ("items", EntityRecord),
        "dnd/locations": ("locations", EntityRecord),
        "dnd/npc-occurrences": ("occurrences", OccurrenceRecord),
        "dnd/item-occurrences": ("occurrences", OccurrenceRecord),
        "dnd/location-occurrences": ("occurrences", OccurrenceRecord),
        "dnd/spells": ("spells", SpellRecord),
        "dnd/combat-turns": ("turns", TurnRecord),
        "dnd/enemy-events": ("events", EventRecord),
        "dnd/scenes": ("scenes", SceneRecord),
    }
)
"""Lane key to the key of the records in its artifact, and their shape."""


class _Source(Shape):
    digest: str


class _Envelope(Shape):
    schema_: Annotated[str, Field(alias="schema")]
    source: _Source


R = TypeVar("R", bound=Shape)


@dataclass(frozen=True, slots=True)
class Found(Generic[R]):
    """A record of an artifact: its place there, and the positions that it cites."""

    at: int
    record: R
    units: frozenset[int]


@dataclass(frozen=True, slots=True)
class FoundArtifact:
    """`members` are the names that were united in a record, by the record's id, as far as that is known."""

    lane: str
    records: tuple[Found[Shape], ...]
    members: Mapping[str, tuple[str, ...]]

    def of(self, shape: type[R], segment: frozenset[int]) -> tuple[Found[R], ...]:
        """Return the records that touch the segment, with what they cite in it."""
        return tuple(
            Found(each.at, each.record, each.units & segment)
            for each in self.records
            if isinstance(each.record, shape) and each.units & segment
        )


def read_artifact(
    data: bytes, index: DocumentIndex, name: str, members: Mapping[str, tuple[str, ...]] | None = None
) -> FoundArtifact:
    """Return the artifact; InputError names the file, the place and the reason in one sentence."""
    try:
        envelope = _Envelope.model_validate_json(data)
    except ValidationError as error:
        raise first_fault(name, error) from None
    match = SCHEMA.match(envelope.schema_)
    lane = f"dnd/{match.group(1)}" if match else ""
    if lane not in RECORDS:
        raise refusal(name, "schema", "this is no artifact that can be scored")
    if envelope.source.digest != index.document.digest:
        raise refusal(name, "source.digest", "the artifact was made from a transcript with other units")
    key, shape = RECORDS[lane]
    items = orjson.loads(data).get(key)
    if not isinstance(items, list):
        raise refusal(name, key, "the list of records is missing")
    found = (_found(item, at, shape, index, name, f"{key}[{at}]") for at, item in enumerate(items))
    return FoundArtifact(lane, tuple(found), members or {})


def _found(item: object, at: int, shape: type[Shape], index: DocumentIndex, name: str, place: str) -> Found[Shape]:
    try:
        record = shape.model_validate(item)
    except ValidationError as error:
        raise first_fault(name, error, place) from None
    units: set[int] = set()
    for ref in _refs(record):
        start, end = index.find(ref.start_unit_id), index.find(ref.end_unit_id)
        if start is None or end is None or start > end:
            raise refusal(name, place, "it cites units that the transcript does not have in this order")
        units.update(range(start, end + 1))
    return Found(at, record, frozenset(units))


def _refs(record: Shape) -> Sequence[Ref | SceneRecord]:
    if isinstance(record, CitedRecord):
        return record.source_refs
    return [record] if isinstance(record, SceneRecord) else []
