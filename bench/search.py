"""`search`: the first page over a million units, on SQLite and, where `DATABASE_URL` names a server, on PostgreSQL."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import psycopg

from bench.report import Row

SESSIONS, TURNS = 300, 3_334
COMMAND = "python -m bench search"


def rows() -> Iterator[Row]:
    yield from _rows("SQLite", {"DATABASE_URL": ""})
    server = os.environ.get("DATABASE_URL", "")
    if server.startswith("postgres"):
        with _scratch_database(server) as url:
            yield from _rows("PostgreSQL", {"DATABASE_URL": url, "NOTARIUS_SECRET_KEY": secrets.token_hex()})


def _rows(database: str, environ: Mapping[str, str]) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(  # noqa: S603 - our own module
            [sys.executable, "-m", "bench.search_run", str(SESSIONS), str(TURNS)],
            env={**os.environ, "NOTARIUS_DATA_DIR": folder, **environ},
            stdout=subprocess.PIPE,
            check=True,
        )
    for line in done.stdout.decode().splitlines():
        figures: dict[str, int | float | str | None] = json.loads(line)
        setting = f"{database}, {SESSIONS * TURNS:,} units: {figures.pop('what')}"
        yield Row("search", setting, COMMAND, figures)


@contextmanager
def _scratch_database(server: str) -> Iterator[str]:
    """Make a database on the server and drop it at the end."""
    name = f"notarius_bench_{os.getpid()}"
    base = server.rpartition("/")[0]
    with psycopg.connect(f"{base}/postgres", autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
        try:
            yield f"{base}/{name}"
        finally:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
