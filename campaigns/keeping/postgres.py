"""PostgreSQL's side of a backup: a dump of one snapshot, and its way back in one transaction.

On the way back `pg_restore` only writes the dump as SQL, and our own connection sends it. So what is in the way is
dropped, what was kept comes, and its digests are compared before anything is committed. psql has no part in it: its
backslash commands start programs.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import psycopg
from django.db import DEFAULT_DB_ALIAS, Error, connection, connections, transaction
from django.db.migrations.recorder import MigrationRecorder
from psycopg.pq import Conninfo

from campaigns.errors import ActionError
from campaigns.keeping.tables import digests
from extraction.codes import Code

# What the dump says of owners, grants and comments is of roles that need not be here, or of extensions of others.
SCRIPT = ("pg_restore", "--no-owner", "--no-privileges", "--no-comments", "--file=-")
COPY = re.compile(rb"(COPY .+ FROM stdin);\n")
COPIED = b"\\.\n"
SETTING = re.compile(rb"SET (\w+) = .*;\n")
NEW_SCHEMA = b"CREATE SCHEMA "
PIECE = 2**20
# Sequences of columns and members of extensions go and stay with what they belong to.
IN_THE_WAY = """
SELECT CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END,
       format('%I.%I', nspname, relname)
FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
WHERE nspname = current_schema() AND relkind IN ('r', 'p', 'v', 'm', 'S') AND NOT EXISTS (
    SELECT FROM pg_depend
    WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype IN ('a', 'e', 'i')
)
"""


def dump(file: Path) -> dict[str, tuple[int, str]]:
    """Write a dump of the default database and return the digests of exactly what is in it."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        cursor.execute("SELECT pg_export_snapshot()")
        (snapshot,) = cursor.fetchone()
        _run_dump(["pg_dump", "--format=custom", "--no-owner", "--snapshot", snapshot, "--file", str(file)])
        return digests()


def restore(file: Path, check: Callable[[], None]) -> None:
    """Make the default database what the dump holds, unless `check` raises: then, as with any mistake, all stays.

    Raises ActionError where the dump cannot be read, or PostgreSQL refuses what is in it.
    """
    # Where it does not answer, that is said, and not that it refused.
    connection.ensure_connection()
    try:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SELECT current_setting('search_path')")
                (searched,) = cursor.fetchone()
            _drop_what_is_ours()
            with _script_of(file) as script:
                _send(script)
            with connection.cursor() as cursor:
                cursor.execute("SELECT set_config('search_path', %s, true)", [searched])
            check()
    except (Error, psycopg.Error) as error:
        cause = error if isinstance(error, psycopg.Error) else error.__cause__
        state = getattr(cause, "sqlstate", None) or "without a code"
        raise ActionError(
            f"PostgreSQL refused the backup ({state}); nothing was changed. The account must own the database, in which"
            " Notarius is alone.",
            code=Code.BACKUP_FAILED,
        ) from error
    finally:
        # What the dump sets is set for the rest of the session.
        connection.close()


def _drop_what_is_ours() -> None:
    """Drop the tables of the schema, those too of which only a later version knows.

    Where Notarius never was they are another program's: they stay, and what has a name of ours is in the way.
    """
    if not any(app == "campaigns" for app, _ in MigrationRecorder(connection).applied_migrations()):
        return
    with connection.cursor() as cursor:
        cursor.execute(IN_THE_WAY)
        for kind, name in cursor.fetchall():
            cursor.execute(f"DROP {kind} IF EXISTS {name} CASCADE")


@contextmanager
def _script_of(file: Path) -> Iterator[IO[bytes]]:
    """Give the dump as SQL; ActionError at the end where that was not all."""
    try:
        process = subprocess.Popen([*SCRIPT, str(file)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)  # noqa: S603
    except FileNotFoundError as error:
        raise _missing(SCRIPT[0]) from error
    with process:
        assert process.stdout is not None  # noqa: S101 - a pipe was asked for
        yield process.stdout
    if process.returncode:
        raise ActionError(
            f"pg_restore failed with status {process.returncode}; nothing was changed. It must be of the version of"
            " the pg_dump that made the backup, or newer.",
            code=Code.BACKUP_FAILED,
        )


def _send(script: IO[bytes]) -> None:
    """Send the script of `pg_restore` over the default connection, rows as COPY."""
    cursor = connection.connection.cursor()
    # A newer pg_restore sets what an older server does not know.
    known = {name for (name,) in cursor.execute("SELECT name FROM pg_settings").fetchall()}
    statements: list[bytes] = []
    for line in script:
        setting = SETTING.fullmatch(line)
        if copied := COPY.fullmatch(line):
            cursor.execute(b"".join(statements))
            statements.clear()
            with cursor.copy(copied[1]) as copy:
                for rows in _rows(script):
                    copy.write(rows)
        elif line.startswith(NEW_SCHEMA):
            statements.append(line.replace(NEW_SCHEMA, NEW_SCHEMA + b"IF NOT EXISTS ", 1))
        elif not line.startswith(b"\\") and (setting is None or setting[1].decode() in known):
            statements.append(line)
    cursor.execute(b"".join(statements))


def _rows(script: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a COPY in large pieces."""
    lines, size = [], 0
    for line in script:
        if line == COPIED:
            break
        lines.append(line)
        size += len(line)
        if size >= PIECE:
            yield b"".join(lines)
            lines, size = [], 0
    yield b"".join(lines)


def _run_dump(command: Sequence[str]) -> None:
    """Run it on the default database; its own words may hold names and are not repeated."""
    environ = libpq_environ(connections[DEFAULT_DB_ALIAS].get_connection_params())
    try:
        done = subprocess.run(command, env={**os.environ, **environ}, capture_output=True, check=False)  # noqa: S603
    except FileNotFoundError as error:
        raise _missing(command[0]) from error
    if done.returncode:
        raise ActionError(
            f"{command[0]} failed with status {done.returncode}: it must be of the server's version or newer, and the"
            " account must own the database.",
            code=Code.BACKUP_FAILED,
        )


def _missing(tool: str) -> ActionError:
    return ActionError(f"{tool} is not installed here.", code=Code.BACKUP_FAILED)


def libpq_environ(parameters: Mapping[str, Any]) -> dict[str, str]:
    """Return the variables in which PostgreSQL's tools find what our own connection is given, TLS among it."""
    variables = {each.keyword.decode(): each.envvar.decode() for each in Conninfo.get_defaults() if each.envvar}
    return {variables[name]: str(value) for name, value in parameters.items() if name in variables}
