"""The durable location registry, `notarius.dnd.locations.v1`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from extraction.dnd.artifacts.common import Evidence, SourceModel, Strict


class LocationModel(Strict):
    id: Annotated[str, Field(pattern=r"^location:sha256:[0-9a-f]{64}$")]
    name: Annotated[str, Field(min_length=1)]
    source_refs: Evidence


class LocationsArtifact(Strict):
    schema_: Annotated[Literal["notarius.dnd.locations.v1"], Field(alias="schema")]
    source: SourceModel
    locations: list[LocationModel]
