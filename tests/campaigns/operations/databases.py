"""Databases of a test's own on the server that the suite runs on."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from django.conf import settings


def on_server(*statements: str, database: str = "postgres") -> None:
    """Run statements as the suite's own account, which may do everything."""
    given = settings.DATABASES["default"]
    with psycopg.connect(
        host=given["HOST"], port=given["PORT"], user=given["USER"], password=given["PASSWORD"], dbname=database,
        autocommit=True,
    ) as server:  # fmt: skip
        for statement in statements:
            server.execute(statement.encode())


def name_for(folder: Path) -> str:
    """Return a database's name that no other test and no other suite has at the same time."""
    return f"moved_{os.getpid()}_" + re.sub(r"\W", "_", folder.name)[-40:].lower()


def address_of(name: str, *, user: str = "", password: str = "") -> str:
    given = settings.DATABASES["default"]
    account = f"{user or given['USER']}:{password or given['PASSWORD']}"
    return f"postgres://{account}@{given['HOST']}:{given['PORT']}/{name}"


@contextmanager
def owned_database(name: str) -> Iterator[dict[str, Any]]:
    """Give the settings for a new database, and for the account of its name that owns it and may do nothing else."""
    on_server(f"CREATE ROLE {name} LOGIN PASSWORD 'only-for-tests'", f"CREATE DATABASE {name} OWNER {name}")
    try:
        address = address_of(name, user=name, password="only-for-tests")
        yield {"DATABASE_URL": address, "NOTARIUS_SECRET_KEY": "only-for-tests"}
    finally:
        on_server(f"DROP DATABASE {name} WITH (FORCE)", f"DROP ROLE {name}")


@contextmanager
def copied_database(name: str, *, of: str) -> Iterator[None]:
    """Copy an `owned_database` for its account; nobody may be connected to it meanwhile."""
    on_server(f"CREATE DATABASE {name} TEMPLATE {of} OWNER {of}")
    try:
        yield
    finally:
        on_server(f"DROP DATABASE {name} WITH (FORCE)")
