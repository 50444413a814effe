"""The durable NPC registry, `notarius.dnd.npcs.v1`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from extraction.dnd.artifacts.common import Evidence, SourceModel, Strict
from extraction.framework import JsonValue, SourceRef


@dataclass(frozen=True, slots=True)
class Npc:
    """One non-player character of one session, proven by its references."""

    id: str
    name: str
    source_refs: tuple[SourceRef, ...]

    def as_json(self) -> dict[str, JsonValue]:
        return {"id": self.id, "name": self.name, "source_refs": [ref.as_json() for ref in self.source_refs]}


class NpcModel(Strict):
    id: Annotated[str, Field(pattern=r"^npc:sha256:[0-9a-f]{64}$")]
    name: Annotated[str, Field(min_length=1)]
    source_refs: Evidence


class NpcsArtifact(Strict):
    """The file's shape; `assets/dnd/npcs/artifact.schema.json` is made from it."""

    schema_: Annotated[Literal["notarius.dnd.npcs.v1"], Field(alias="schema")]
    source: SourceModel
    npcs: list[NpcModel]
