"""From one database into another: every row with its own key, checked by digest, or nothing at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.color import no_style
from django.db import DEFAULT_DB_ALIAS, Error, connections, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Model

from campaigns.errors import ActionError, Conflict
from campaigns.keeping.addresses import FORMS, database_at
from campaigns.keeping.tables import ROWS_AT_ONCE, columns_of, digests, kept_models, rows_of
from campaigns.models import Campaign
from campaigns.search.upkeep import rebuild
from extraction.codes import Code

SOURCE = "notarius_source"
Told = Callable[[str, int], None]


@contextmanager
def source_at(url: str) -> Iterator[str]:
    """Give the alias of the database at that address while inside; ActionError for an address of no known kind."""
    settings = _settings(url)
    connections.databases[SOURCE] = connections.configure_settings({DEFAULT_DB_ALIAS: settings})[DEFAULT_DB_ALIAS]
    try:
        yield SOURCE
    finally:
        connections[SOURCE].close()
        del connections.databases[SOURCE], connections[SOURCE]


def _settings(url: str) -> dict[str, Any]:
    try:
        settings = database_at(url)
    except ValueError:
        # Without the cause: a traceback would show its words, which may quote the password.
        raise ActionError(f"Name the source as {FORMS}.") from None
    if settings["ENGINE"].endswith("sqlite3"):
        # Read only: SQLite makes a file that is not there as soon as it is asked.
        settings["NAME"] = f"{Path(settings['NAME']).absolute().as_uri()}?mode=ro"
    return settings


def move(source: str, told: Told) -> dict[str, tuple[int, str]]:
    """Copy the archive from the source into the default database, which must be migrated and empty.

    Returns the digests of both, which are equal. Raises Conflict where the databases do not fit, or where what
    arrived is not what was sent; then the target is as it was.
    """
    _check(source)
    with transaction.atomic():
        for model in kept_models():
            told(model._meta.label, _copy(model, source))
        _set_sequences()
        sent, arrived = digests(source), digests()
        wrong = [label for label, digest in sent.items() if arrived[label] != digest]
        if wrong:
            raise Conflict(
                f"{len(wrong)} tables arrived changed, {wrong[0]} first; nothing was moved.", code=Code.ARCHIVE_CHANGED
            )
    rebuild()
    return arrived


def _check(source: str) -> None:
    try:
        there = set(MigrationRecorder(connections[source]).applied_migrations())
    except Error as error:
        raise Conflict("The source does not answer, or is no Notarius database.", code=Code.ARCHIVE_VERSION) from error
    if not any(app == "campaigns" for app, _ in there):
        raise Conflict("The source is no Notarius database.", code=Code.ARCHIVE_VERSION)
    if there != set(MigrationRecorder(connections[DEFAULT_DB_ALIAS]).applied_migrations()):
        raise Conflict("The databases are of two versions: run `manage.py migrate` on both.", code=Code.ARCHIVE_VERSION)
    if Campaign.objects.exists() or User.objects.exists():
        raise Conflict(
            "The target holds campaigns or accounts already: move into an empty database.", code=Code.ARCHIVE_NOT_EMPTY
        )


def _copy(model: type[Model], source: str) -> int:
    """Replace the target's rows by the source's, columns and keys as they are, and return how many there were."""
    target, columns = connections[DEFAULT_DB_ALIAS], columns_of(model)
    # What `migrate` made by itself, permissions above all, has other keys here.
    model._base_manager.all()._raw_delete(DEFAULT_DB_ALIAS)
    quote = target.ops.quote_name
    names = ", ".join(quote(str(column.column)) for column in columns)
    places = ", ".join("%s" for _ in columns)
    statement = f"INSERT INTO {quote(model._meta.db_table)} ({names}) VALUES ({places})"  # noqa: S608 - names are ours
    count = 0
    for rows in _batches(rows_of(model, source)):
        with target.cursor() as cursor:
            cursor.executemany(
                statement,
                [
                    [column.get_db_prep_save(value, target) for column, value in zip(columns, row, strict=True)]
                    for row in rows
                ],
            )
        count += len(rows)
    return count


def _batches(rows: Iterator[tuple[Any, ...]]) -> Iterator[Sequence[tuple[Any, ...]]]:
    while batch := list(islice(rows, ROWS_AT_ONCE)):
        yield batch


def _set_sequences() -> None:
    target = connections[DEFAULT_DB_ALIAS]
    with target.cursor() as cursor:
        for statement in target.ops.sequence_reset_sql(no_style(), kept_models()):
            cursor.execute(statement)
