"""Where a page ended, as the next request brings it back."""

from __future__ import annotations

import base64
import binascii
from typing import NamedTuple, TypeAlias

import orjson

from campaigns.errors import ActionError

LONGEST = 2_000
MOST_PLACE = 1 << 62


class AfterEntry(NamedTuple):
    """The order of an entry."""

    rank: int
    key: str
    kind: str
    entity_id: str


class AfterUnit(NamedTuple):
    """The order of a unit: those with other forms of the words come later."""

    later: bool
    place: int


Mark: TypeAlias = "AfterEntry | AfterUnit"


def written(mark: Mark) -> str:
    """Return the cursor for what comes after it."""
    return base64.urlsafe_b64encode(orjson.dumps(list(mark))).decode("ascii")


def read(cursor: str | None) -> Mark | None:
    """Return where to go on, None for the first page; ActionError for a cursor that was not given out."""
    if not cursor:
        return None
    try:
        if len(cursor) > LONGEST:
            raise ValueError
        match orjson.loads(base64.urlsafe_b64decode(cursor.encode("ascii"))):
            case [int() as rank, str() as key, str() as kind, str() as entity_id]:
                return AfterEntry(rank, key, kind, entity_id)
            case [bool() as later, int() as place] if 0 <= place < MOST_PLACE:
                return AfterUnit(later, place)
    except (ValueError, binascii.Error) as error:
        raise ActionError("The cursor is not one that this search gave out.") from error
    raise ActionError("The cursor is not one that this search gave out.")
