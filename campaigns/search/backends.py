"""The index as the rest of search sees it, and which of the two it is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from django.db import connection

from campaigns.search.places import Stretch
from campaigns.search.postgres import PostgresBackend
from campaigns.search.queries import Query
from campaigns.search.rows import Row
from campaigns.search.sqlite import SqliteBackend


class SearchBackend(Protocol):
    """Both find the same places in the same order; a place that is found twice or never is a mistake."""

    def exists(self) -> bool:
        """Say whether the index has its table."""

    def create(self) -> None:
        """Make the table where there is none."""

    def remove(self, stretch: Stretch) -> None:
        """Take out what stands in the stretch."""

    def add(self, rows: Iterable[Row]) -> None:
        """Put in rows, in the order of their places, where there are none."""

    def compact(self, *, within_s: float | None = None) -> bool:
        """Leave no word of what was taken out in the index's own pages, where the database can be told to.

        Stops after so many seconds if they are given; says whether all is done. The next call goes on.
        """

    def find(self, query: Query, *, exactly: bool, speaker: str, stretch: Stretch, limit: int) -> list[int]:
        """Return the first places in the stretch that the query fits.

        With `exactly` those where every word stands as it was typed, else those alone where one does not.
        """


def backend() -> SearchBackend:
    """Return the index of the database in use."""
    return SqliteBackend() if connection.vendor == "sqlite" else PostgresBackend()
