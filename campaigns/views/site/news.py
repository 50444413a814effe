"""What changed, in words for readers: the same for the home page, the page of changes and the feed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from campaigns.library.changes import ChangeRow
from campaigns.views.site.kinds import WORDINGS, entry_address

SENTENCES: Mapping[str, Callable[[ChangeRow, str], str]] = {
    "created": lambda row, one: f"New {one}: {row.name}",
    "renamed": lambda row, one: f"{row.was or 'Somebody'} is now called {row.name}",
    "merged": lambda row, one: (
        f"{row.was or row.name} turned out to be {row.name}" if row.was else f"{row.name} was joined with another entry"
    ),
    "split": lambda row, one: f"{row.name} turned out to be more than one {one}",
    "retired": lambda row, one: f"{row.name or row.was} is no longer in the record",
}


@dataclass(frozen=True, slots=True)
class News:
    """One thing that changed. `address` is empty where there is nothing to look at any more."""

    number: int
    at: datetime
    told: str
    kind: str
    session: int | None
    address: str


def news_of(slug: str, rows: Iterable[ChangeRow]) -> list[News]:
    return [_told(slug, row) for row in rows]


def _told(slug: str, row: ChangeRow) -> News:
    wording = WORDINGS[row.kind]
    sentence = SENTENCES.get(row.change)
    told = sentence(row, wording.one) if sentence else f"{row.name}: {row.change}"
    alive = row.change != "retired" or bool(row.superseded_by)
    address = entry_address(slug, row.kind, row.entity_id) if alive else ""
    return News(row.number, row.at, told, wording.title, row.session, address)
