"""A database host that takes a connection and says nothing: whoever asks gets an answer all the same, and soon."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.campaigns.supervisor.installation import ROOT

pytestmark = pytest.mark.slow
KEY = "a-key-that-only-a-test-has-and-that-is-long-enough-for-anybody"
# The limit is 5 s; before there was one, the library waited for 130, and this patience ran out.
SOON_S = 60
ASK = """
import json
import django
django.setup()
from django.test import Client
answer = Client(SERVER_NAME="localhost").get("/readyz")
print(json.dumps([answer.status_code, answer.json()]))
"""
SHOW = """
import json
from django.conf import settings
print(json.dumps(settings.DATABASES["default"]["OPTIONS"]))
"""


@pytest.fixture
def silent() -> Iterator[int]:
    """The port of a server that takes connections and never says a word."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(16)
        yield listening.getsockname()[1]


def said(program: str, url: str, folder: Path) -> Any:
    """Return what the program prints, with the settings of an installation at that database."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("NOTARIUS_", "COV", "PG"))}
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=environ
        | {
            "DJANGO_SETTINGS_MODULE": "notarius_site.settings",
            "DATABASE_URL": url,
            "NOTARIUS_DATA_DIR": str(folder),
            "NOTARIUS_SECRET_KEY": KEY,
        },
        capture_output=True,
        text=True,
        timeout=SOON_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_not_ready_is_said_without_waiting_for_the_library(silent: int, tmp_path: Path) -> None:
    answered = said(ASK, f"postgres://somebody:secret@127.0.0.1:{silent}/archive", tmp_path)

    assert answered == [503, {"status": "unavailable", "database": False}]


def test_what_the_address_says_of_the_connection_wins(tmp_path: Path) -> None:
    usual = said(SHOW, "postgres://somebody:secret@db.example/archive", tmp_path)
    own = said(
        SHOW, "postgres://somebody:secret@db.example/archive?sslmode=require&connect_timeout=60&keepalives=0", tmp_path
    )

    assert usual == {
        "connect_timeout": 5,
        "keepalives": 1,
        "keepalives_idle": 20,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": 20_000,
    }
    assert own == usual | {"sslmode": "require", "connect_timeout": 60, "keepalives": 0}


@pytest.mark.parametrize("place", ["host=127.0.0.1", "host=/nowhere/at/all"], ids=["over TCP", "on a Unix socket"])
def test_the_library_of_the_database_knows_every_option(place: str, tmp_path: Path) -> None:
    options = said(SHOW, "postgres://somebody:secret@db.example/archive", tmp_path)

    # Port 1 is nobody's: an option that is not known would be a ProgrammingError before anything is tried.
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(place, port=1, dbname="archive", **options)
