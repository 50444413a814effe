"""What all durable artifacts share: the envelope and the strict reading of references."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Hex = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
UnitId = Annotated[int, Field(ge=1)]


class Strict(BaseModel):
    """Unknown fields are refused on reading, and no value is coerced."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class SourceModel(Strict):
    source_id: Annotated[str, Field(min_length=1)]
    digest: Hex
    unit_count: Annotated[int, Field(ge=0)]


class SourceRefModel(Strict):
    source_id: Annotated[str, Field(min_length=1)]
    start_unit_id: UnitId
    end_unit_id: UnitId


Evidence = Annotated[list[SourceRefModel], Field(min_length=1)]
