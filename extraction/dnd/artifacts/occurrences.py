"""The durable occurrence lists: where one identity of a registry is met in the session."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from extraction.dnd.artifacts.common import Evidence, SourceModel, Strict
from extraction.framework import JsonValue, SourceRef

NpcKind = Literal["appearance", "dialogue", "action", "mention"]
ItemKind = Literal["acquired", "used", "transferred", "lost", "destroyed", "identified", "mentioned"]
LocationKind = Literal["arrival", "presence", "departure", "mention"]
Name = Annotated[str, Field(min_length=1)]


@dataclass(frozen=True, slots=True)
class NpcOccurrence:
    npc_id: str
    name: str
    kind: str
    source_refs: tuple[SourceRef, ...]

    def as_json(self) -> dict[str, JsonValue]:
        return {
            "npc_id": self.npc_id,
            "name": self.name,
            "kind": self.kind,
            "source_refs": [ref.as_json() for ref in self.source_refs],
        }


@dataclass(frozen=True, slots=True)
class ItemOccurrence:
    """`actor` is who gets, does or gives it, by kind; `recipient` stands for `transferred` alone."""

    item_id: str
    name: str
    kind: str
    actor: str | None
    recipient: str | None
    detail: str | None
    source_refs: tuple[SourceRef, ...]

    def as_json(self) -> dict[str, JsonValue]:
        return {
            "item_id": self.item_id,
            "name": self.name,
            "kind": self.kind,
            "actor": self.actor,
            "recipient": self.recipient,
            "detail": self.detail,
            "source_refs": [ref.as_json() for ref in self.source_refs],
        }


@dataclass(frozen=True, slots=True)
class LocationOccurrence:
    location_id: str
    name: str
    kind: str
    source_refs: tuple[SourceRef, ...]

    def as_json(self) -> dict[str, JsonValue]:
        return {
            "location_id": self.location_id,
            "name": self.name,
            "kind": self.kind,
            "source_refs": [ref.as_json() for ref in self.source_refs],
        }


class NpcOccurrenceModel(Strict):
    npc_id: Annotated[str, Field(pattern=r"^npc:sha256:[0-9a-f]{64}$")]
    name: Name
    kind: NpcKind
    source_refs: Evidence


class ItemOccurrenceModel(Strict):
    item_id: Annotated[str, Field(pattern=r"^item:sha256:[0-9a-f]{64}$")]
    name: Name
    kind: ItemKind
    actor: Name | None
    recipient: Name | None
    detail: Name | None
    source_refs: Evidence


class LocationOccurrenceModel(Strict):
    location_id: Annotated[str, Field(pattern=r"^location:sha256:[0-9a-f]{64}$")]
    name: Name
    kind: LocationKind
    source_refs: Evidence


class NpcOccurrencesArtifact(Strict):
    schema_: Annotated[Literal["notarius.dnd.npc-occurrences.v1"], Field(alias="schema")]
    source: SourceModel
    occurrences: list[NpcOccurrenceModel]


class ItemOccurrencesArtifact(Strict):
    schema_: Annotated[Literal["notarius.dnd.item-occurrences.v1"], Field(alias="schema")]
    source: SourceModel
    occurrences: list[ItemOccurrenceModel]


class LocationOccurrencesArtifact(Strict):
    schema_: Annotated[Literal["notarius.dnd.location-occurrences.v1"], Field(alias="schema")]
    source: SourceModel
    occurrences: list[LocationOccurrenceModel]
