"""The durable NPC registry, `notarius.dnd.npcs.v1`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from extraction.dnd.artifacts.common import Evidence, SourceModel, Strict
from extraction.dnd.artifacts.registry import Entity

Npc = Entity


class NpcModel(Strict):
    id: Annotated[str, Field(pattern=r"^npc:sha256:[0-9a-f]{64}$")]
    name: Annotated[str, Field(min_length=1)]
    source_refs: Evidence


class NpcsArtifact(Strict):
    """The file's shape; `assets/dnd/npcs/artifact.schema.json` is made from it."""

    schema_: Annotated[Literal["notarius.dnd.npcs.v1"], Field(alias="schema")]
    source: SourceModel
    npcs: list[NpcModel]
