"""The durable scene list, `notarius.dnd.scenes.v1`: a chunk plan to browse by, and no evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from extraction.dnd.artifacts.common import SourceModel, Strict, UnitId
from extraction.framework import JsonValue

Mode = Literal["combat", "social", "exploration", "downtime", "table_talk", "other"]


@dataclass(frozen=True, slots=True)
class Scene:
    """A stretch of the session. The scenes of a document partition it by position."""

    title: str
    primary_mode: str
    start_unit_id: int
    end_unit_id: int

    def as_json(self) -> dict[str, JsonValue]:
        return {
            "title": self.title,
            "primary_mode": self.primary_mode,
            "start_unit_id": self.start_unit_id,
            "end_unit_id": self.end_unit_id,
        }


class SceneModel(Strict):
    title: Annotated[str, Field(min_length=1)]
    primary_mode: Mode
    start_unit_id: UnitId
    end_unit_id: UnitId


class ScenesArtifact(Strict):
    schema_: Annotated[Literal["notarius.dnd.scenes.v1"], Field(alias="schema")]
    source: SourceModel
    scenes: list[SceneModel]
