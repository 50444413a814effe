"""What goes in: the parameters and the bodies of requests. Acts of a review stand in `act_schemas`."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Literal

from django.conf import settings
from ninja import P, PathEx, Schema
from pydantic import ConfigDict, Field

LIMIT_MOST = settings.API_PAGE_MAX
LIMIT_DEFAULT = min(50, LIMIT_MOST)
BIG = 2**63 - 1
CURSOR = r"^[A-Za-z0-9_=-]*$"
PLAIN = r"^[^\x00]*$"
SESSION_MOST = 1_000_000

SessionNumber = PathEx[int, P(ge=1, le=SESSION_MOST)]
RowId = PathEx[int, P(ge=1, le=BIG)]
# A database may refuse a NUL in a string: such a name is refused here.
PathName = PathEx[str, P(max_length=120, pattern=PLAIN)]
Slug = PathEx[str, P(max_length=60, description="The campaign's short name in addresses.")]
Kind = Literal["npc", "item", "location"]
Status = Literal["approved", "latest"]
AnEdition = Literal["gm", "player"]
Family = Literal[
    "scenes",
    "npcs",
    "items",
    "locations",
    "npc-occurrences",
    "item-occurrences",
    "location-occurrences",
    "spells",
    "combat-turns",
    "enemy-events",
]
ENTRY_FIELDS = ("id", "name", "sessions", "evidence_count")
DETAIL_FIELDS = (*ENTRY_FIELDS, "evidence", "other_ids", "also_called")
UNIT_FIELDS = ("unit_id", "speaker", "text", "start_ms", "end_ms")


def only(names: tuple[str, ...]) -> Any:  # Any: a field of pydantic's
    """Return the parameter `fields`: which of the names an answer has, separated by commas; all where it is missing."""
    one = "|".join(names)
    return Field(
        None,
        pattern=rf"^({one})(,({one}))*$",
        max_length=200,
        description=f"Which fields to answer with, separated by commas: of {', '.join(names)}.",
        examples=[",".join(names[:2])],
    )


class Closed(Schema):
    """A body in which an unknown field is a mistake."""

    model_config = ConfigDict(extra="forbid")


class ListQuery(Schema):
    limit: int = Field(LIMIT_DEFAULT, ge=1, le=LIMIT_MOST, description="How many at most.")
    cursor: str | None = Field(
        None, pattern=CURSOR, max_length=2_000, description="`next_cursor` of the page before, as it came."
    )


class SightQuery(Schema):
    status: Status = Field("approved", description="`latest`, for game masters: also what nobody has approved yet.")
    as_of: int | None = Field(
        None, ge=1, le=SESSION_MOST, description="As if the campaign had no session after this one."
    )
    edition: AnEdition | None = Field(
        None, description="`player` shows a game master what players see. Everybody else sees that anyway."
    )


class SightedListQuery(ListQuery, SightQuery):
    pass


class RegistryQuery(SightedListQuery):
    q: str | None = Field(None, max_length=300, pattern=PLAIN, description="Part of a name, in any case.")
    session: int | None = Field(None, ge=1, le=SESSION_MOST, description="Only what this session has evidence of.")
    fields: str | None = only(ENTRY_FIELDS)


class EntryQuery(SightQuery):
    quotes: bool = Field(False, description="With the words of each piece of evidence; for members.")
    fields: str | None = only(DETAIL_FIELDS)


class OccurrencesQuery(SightedListQuery):
    session: int | None = Field(None, ge=1, le=SESSION_MOST, description="Only of this session.")


class StretchQuery(SightQuery):
    start_unit: int | None = Field(None, ge=1, le=BIG)
    end_unit: int | None = Field(None, ge=1, le=BIG)
    limit: int | None = Field(None, ge=1, le=1_000, description="How many units at most; all where it is missing.")
    cursor: str | None = Field(
        None, pattern=CURSOR, max_length=2_000, description="`next_cursor` of the stretch before."
    )
    fields: str | None = only(UNIT_FIELDS)


class ArtifactQuery(SightQuery):
    version: int | None = Field(None, ge=1, le=2**31 - 1, description="A version by its number.")


class ChangesQuery(Schema):
    since: str | None = Field(
        None, pattern=CURSOR, max_length=200, description="`since` of the answer before; from the start without."
    )
    limit: int = Field(LIMIT_DEFAULT, ge=1, le=LIMIT_MOST)
    kind: Kind | None = None
    as_of: int | None = Field(None, ge=1, le=SESSION_MOST)
    edition: AnEdition | None = None


class SearchQuery(Schema):
    q: str = Field(max_length=200, pattern=PLAIN, description="Words; those in quotation marks stand together.")
    kind: Literal["npc", "item", "location", "unit"] | None = None
    session: int | None = Field(None, ge=1, le=SESSION_MOST)
    speaker: str | None = Field(None, max_length=200, pattern=PLAIN)
    limit: int = Field(20, ge=1, le=min(50, LIMIT_MOST))
    cursor: str | None = Field(None, pattern=CURSOR, max_length=2_000)
    as_of: int | None = Field(None, ge=1, le=SESSION_MOST)
    edition: AnEdition | None = None


class CapsIn(Closed):
    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"token_cap": 200_000}]})

    token_cap: int | None = Field(None, ge=1, le=2**63 - 1, description="Tokens in and out after which it is paused.")
    cost_cap: Decimal | None = Field(
        None, gt=0, max_digits=12, decimal_places=4, description="Cost, in the currency of its prices, likewise."
    )


class RunIn(CapsIn):
    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"pipeline": "npcs-only"}]})

    pipeline: str | None = Field(None, max_length=60, pattern=PLAIN)
    lanes: list[str] | None = Field(None, max_length=50)


class ForecastQuery(Schema):
    pipeline: str | None = Field(None, max_length=60, pattern=PLAIN, description="The default one where none is named.")
    lanes: str | None = Field(
        None,
        max_length=1_000,
        pattern=PLAIN,
        description="Only these lanes, separated by commas; the prefix `dnd/` is optional. All where it is missing.",
        examples=["npcs,spells"],
    )


class VerdictIn(Closed):
    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"note": "Checked line by line."}]})

    note: str = Field("", max_length=2_000, pattern=PLAIN)


class ReasonIn(Closed):
    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"reason": "We were wrong about her."}]})

    reason: str = Field("", max_length=2_000, pattern=PLAIN)


def kept(row: Mapping[str, object], fields: str | None) -> Mapping[str, object]:
    """Return what of the row was asked for with `fields`."""
    return row if fields is None else {name: row[name] for name in fields.split(",") if name in row}
