"""The index as an FTS5 table. Words come folded, so that its tokenizer only splits at spaces."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from itertools import islice

from django.db import connection

from campaigns.search.places import Stretch
from campaigns.search.queries import Phrase, Prefix, Query, Term
from campaigns.search.rows import Row
from campaigns.search.words import stem

TABLE = "campaigns_search"
BATCH = 2_000
MERGED_PAGES = 500


class SqliteBackend:
    def exists(self) -> bool:
        return TABLE in connection.introspection.table_names()

    def create(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                f"CREATE VIRTUAL TABLE IF NOT EXISTS {TABLE}"
                " USING fts5(words, stems, speaker, tokenize=\"ascii tokenchars '_'\", prefix='2 3', columnsize=0)"
            )

    def remove(self, stretch: Stretch) -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                f"DELETE FROM {TABLE} WHERE rowid BETWEEN %s AND %s",  # noqa: S608 - a constant's name
                (stretch.first, stretch.last),
            )

    def add(self, rows: Iterable[Row]) -> None:
        values = _values(rows)
        with connection.cursor() as cursor:
            while batch := list(islice(values, BATCH)):
                cursor.executemany(
                    f"INSERT INTO {TABLE} (rowid, words, stems, speaker) VALUES (%s, %s, %s, %s)",  # noqa: S608
                    batch,
                )

    def compact(self, *, within_s: float | None = None) -> bool:
        # A removed row only gets a mark, which has its words once more, until all segments are merged into one. Step
        # by step, so that others can write in between. (FTS5's own secure-delete needs SQLite 3.42.)
        connection.ensure_connection()
        until = None if within_s is None else time.monotonic() + within_s
        with connection.cursor() as cursor:
            while True:
                before = connection.connection.total_changes
                cursor.execute(f"INSERT INTO {TABLE} ({TABLE}, rank) VALUES ('merge', %s)", (-MERGED_PAGES,))  # noqa: S608
                # The statement itself counts as one change.
                if connection.connection.total_changes - before <= 1:
                    return True
                if until is not None and time.monotonic() >= until:
                    return False

    def find(self, query: Query, *, exactly: bool, speaker: str, stretch: Stretch, limit: int) -> list[int]:
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT rowid FROM {TABLE} WHERE {TABLE} MATCH %s AND rowid BETWEEN %s AND %s"  # noqa: S608
                " ORDER BY rowid LIMIT %s",
                (match(query, exactly=exactly, speaker=speaker), stretch.first, stretch.last, limit),
            )
            return [int(place) for (place,) in cursor.fetchall()]


def match(query: Query, *, exactly: bool, speaker: str) -> str:
    """Return the FTS5 expression. Words are letters and digits alone and stand in quotes: none can be an operator."""
    typed = " AND ".join(_typed(term) for term in query.terms)
    if exactly:
        found = f"({typed})"
    else:
        forms = " AND ".join(_form(term) for term in query.terms)
        found = f"(({forms}) NOT ({typed}))"
    return f'{found} AND speaker : "{speaker}"' if speaker else found


def _typed(term: Term) -> str:
    if isinstance(term, Phrase):
        return f'words : "{" ".join(term.words)}"'
    if isinstance(term, Prefix):
        return f'words : "{term.start}" *'
    return f'words : "{term.exact}"'


def _form(term: Term) -> str:
    return _typed(term) if isinstance(term, Phrase | Prefix) else f'stems : "{term.stem}"'


def _values(rows: Iterable[Row]) -> Iterator[tuple[int, str, str, str]]:
    for row in rows:
        stems = dict.fromkeys(stem(word) for word in row.words)
        yield row.place, " ".join(row.words), " ".join(stems), row.speaker
