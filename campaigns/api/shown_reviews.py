"""What a review answers, as the OpenAPI document shows it."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from ninja import Schema
from pydantic import Field

from campaigns.api.act_schemas import Units
from campaigns.api.shown import VersionOut


class RecordOut(Schema):
    position: int = Field(description="What acts name the record by.")
    record: dict[str, Any]
    members: list[dict[str, Any]] = Field(description="What was united in it; empty where it stands for itself.")
    decided: bool = Field(description="A person vouches for its members.")


class VersionDetail(VersionOut):
    campaign: str
    session: int
    origin: Literal["extraction", "review"]
    parent: int | None
    source_id: str = Field(description="The transcript that it cites.")
    created_at: datetime
    decided_at: datetime | None
    head: int = Field(description="The id of the artifact's newest version: acts go on from there.")
    next_undo: int | None = Field(description="The decision that `undo` would undo.")
    next_redo: int | None
    records: list[RecordOut]


class VersionLine(VersionOut):
    origin: Literal["extraction", "review"]
    parent: int | None
    created_at: datetime
    decided_at: datetime | None
    record_count: int


class VersionList(Schema):
    items: list[VersionLine]
    next_cursor: str | None


class DecisionOut(Schema):
    id: int
    kind: str
    said: str = Field(description="What was done, in a few words.")
    reason: str
    by: str | None
    at: datetime
    about: int | None = Field(description="The decision that this one undoes, does again or withdraws.")
    version: int | None = Field(description="The id of the version that it made.")


class DecisionList(Schema):
    items: list[DecisionOut]
    next_cursor: str | None


class ReviewedOut(Schema):
    version: VersionOut
    decision: DecisionOut
    record: int | None = Field(description="Where what the act was about stands in the new version.")
    contradictions: list[list[int]] = Field(description="Decisions that cannot all hold: no run applies them.")


class FieldChangeOut(Schema):
    field: str
    before: Any
    after: Any


class ChangedOut(Schema):
    before: int
    after: int
    fields: list[FieldChangeOut]
    evidence_added: list[Units]
    evidence_removed: list[Units]


class MovedOut(Schema):
    start_unit_id: int
    end_unit_id: int
    before: list[int]
    after: list[int]


class ComparisonOut(Schema):
    equal: bool
    added: list[int]
    removed: list[int]
    changed: list[ChangedOut]
    moved: list[MovedOut]
    causes: list[str]
    decisions: list[int]
