"""The durable item registry, `notarius.dnd.items.v1`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from extraction.dnd.artifacts.common import Evidence, SourceModel, Strict


class ItemModel(Strict):
    id: Annotated[str, Field(pattern=r"^item:sha256:[0-9a-f]{64}$")]
    name: Annotated[str, Field(min_length=1)]
    source_refs: Evidence


class ItemsArtifact(Strict):
    schema_: Annotated[Literal["notarius.dnd.items.v1"], Field(alias="schema")]
    source: SourceModel
    items: list[ItemModel]
