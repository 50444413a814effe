"""The index as a table of tsvectors with a GIN index. They are written out word for word: no parser has a say.

A word as it is written stands with its places and a `=` before it, its stem without either, the speaker with `@`, the
campaign with `#`: a word that every campaign has costs no more than what the one that is asked has of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from django.db import connection, transaction

from campaigns.search.places import Stretch, campaign_of
from campaigns.search.queries import Phrase, Prefix, Query, Term
from campaigns.search.rows import Row
from campaigns.search.words import GAP, stem

TABLE = "campaigns_search"
BATCH = 2_000
# PostgreSQL cannot tell whether many rows fit, and takes long where it guesses wrong: for what hardly anybody says
# when it reads row after row, for what everybody says when it reads the words' index. So the first rows are read, then
# the index alone, and only what very many say, but nobody at the start, is left to its own choice.
FIRST_ROWS, FEW_ROWS = 4_000, 10_000
READ_ROWS = "SELECT set_config('enable_seqscan', %s, true), set_config('enable_indexscan', %s, true)"
FOUND = f"SELECT place FROM {TABLE} WHERE place BETWEEN %s AND %s AND words @@ %s::tsquery"  # noqa: S608
SOON = f"SELECT place, words FROM {TABLE} WHERE place BETWEEN %s AND %s ORDER BY place LIMIT %s"  # noqa: S608
FIRST = f"SELECT place FROM ({SOON}) AS soon WHERE words @@ %s::tsquery ORDER BY place LIMIT %s"  # noqa: S608
FEW = (
    f"WITH few AS MATERIALIZED ({FOUND} LIMIT %s)"  # noqa: S608
    " SELECT place, (SELECT count(*) FROM few) FROM few ORDER BY place LIMIT %s"
)
MANY = f"{FOUND} ORDER BY place LIMIT %s"


class PostgresBackend:
    def exists(self) -> bool:
        return TABLE in connection.introspection.table_names()

    def create(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"CREATE TABLE IF NOT EXISTS {TABLE} (place bigint PRIMARY KEY, words tsvector NOT NULL)")
            cursor.execute(f"CREATE INDEX IF NOT EXISTS {TABLE}_words ON {TABLE} USING gin (words)")

    def remove(self, stretch: Stretch) -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                f"DELETE FROM {TABLE} WHERE place BETWEEN %s AND %s",  # noqa: S608 - a constant's name
                (stretch.first, stretch.last),
            )

    def add(self, rows: Iterable[Row]) -> None:
        waiting = iter(rows)
        with connection.cursor() as cursor:
            while batch := list(islice(waiting, BATCH)):
                cursor.execute(
                    f"INSERT INTO {TABLE} (place, words)"  # noqa: S608
                    " SELECT place, words::tsvector FROM unnest(%s::bigint[], %s::text[]) AS new (place, words)",
                    ([row.place for row in batch], [vector(row) for row in batch]),
                )

    def compact(self, *, within_s: float | None = None) -> bool:
        """Nothing: PostgreSQL frees the room of removed rows by itself, and writes it over in time."""
        return True

    def find(self, query: Query, *, exactly: bool, speaker: str, stretch: Stretch, limit: int) -> list[int]:
        where, words = (stretch.first, stretch.last), match(query, exactly=exactly, speaker=speaker)
        own = f"'#{campaign_of(stretch.first)}' & {words}"
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(FIRST, (*where, FIRST_ROWS, words, limit))
            found = cursor.fetchall()
            if len(found) < limit:
                cursor.execute(READ_ROWS, ("off", "off"))
                cursor.execute(FEW, (*where, own, FEW_ROWS + 1, limit))
                found = cursor.fetchall()
                cursor.execute(READ_ROWS, ("on", "on"))
                if found and found[0][1] > FEW_ROWS:
                    cursor.execute(MANY, (*where, own, limit))
                    found = cursor.fetchall()
            return [int(row[0]) for row in found]


def vector(row: Row) -> str:
    """Return the row's words as PostgreSQL writes a tsvector. Words are letters and digits alone: nothing to escape."""
    places: dict[str, list[str]] = {}
    for at, word in enumerate(row.words, start=1):
        if word != GAP:
            places.setdefault(word, []).append(str(at))
    typed = [f"'={word}':{','.join(at)}" for word, at in places.items()]
    stems = [f"'{each}'" for each in dict.fromkeys(stem(word) for word in places)]
    speaker = [f"'@{row.speaker}'"] if row.speaker else []
    return " ".join([*typed, *stems, *speaker, f"'#{campaign_of(row.place)}'"])


def match(query: Query, *, exactly: bool, speaker: str) -> str:
    """Return the tsquery."""
    typed = " & ".join(_typed(term) for term in query.terms)
    if exactly:
        found = f"({typed})"
    else:
        forms = " & ".join(_form(term) for term in query.terms)
        found = f"(({forms}) & !({typed}))"
    return f"{found} & '@{speaker}'" if speaker else found


def _typed(term: Term) -> str:
    if isinstance(term, Phrase):
        words = " <-> ".join(f"'={word}'" for word in term.words)
        return f"({words})"
    if isinstance(term, Prefix):
        return f"'={term.start}':*"
    return f"'={term.exact}'"


def _form(term: Term) -> str:
    return _typed(term) if isinstance(term, Phrase | Prefix) else f"'{term.stem}'"
