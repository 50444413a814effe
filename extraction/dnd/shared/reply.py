"""Pieces of the private reply types: strict-schema compatible, and never an id, digest or opaque key."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Reply(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class RangeReply(Reply):
    """Evidence or a selector: an inclusive range of unit ids."""

    start_unit_id: int
    end_unit_id: int
