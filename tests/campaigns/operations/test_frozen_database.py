"""A PostgreSQL that answered and then says nothing any more: whoever asks whether Notarius is ready is told so."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Event, Thread

import pytest
from django.conf import settings
from django.db import connection

from tests.campaigns.supervisor.installation import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.skipif(connection.vendor != "postgresql", reason="about PostgreSQL")]
# The limit of a connection is 5 s; one that is open would wait for ever, and this patience ran out.
SOON_S = 60
ASK_TWICE = """
import json
import django
django.setup()
from django.test import Client
client = Client(SERVER_NAME="localhost")
for _ in range(2):
    print(json.dumps(client.get("/readyz").json()["database"]), flush=True)
    input()
"""


class Passage:
    """A way to the suite's PostgreSQL on a port of its own, which can freeze: it takes all and passes nothing."""

    def __init__(self) -> None:
        self.frozen = Event()
        self._open = ExitStack()
        self._listening = self._open.enter_context(socket.create_server(("127.0.0.1", 0)))
        self.port: int = self._listening.getsockname()[1]
        Thread(target=self._listen, daemon=True).start()

    def close(self) -> None:
        self._open.close()

    def _listen(self) -> None:
        # Ends with OSError when the test closes its sockets.
        with suppress(OSError):
            while True:
                here = self._open.enter_context(self._listening.accept()[0])
                if not self.frozen.is_set():
                    given = settings.DATABASES["default"]
                    there = socket.create_connection((given["HOST"], int(given["PORT"])))
                    self._open.enter_context(there)
                    for ends in ((here, there), (there, here)):
                        Thread(target=self._pass, args=ends, daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                if not self.frozen.is_set():
                    target.sendall(data)


@pytest.fixture
def passage() -> Iterator[Passage]:
    passage = Passage()
    yield passage
    passage.close()


def test_not_ready_is_said_over_a_connection_that_was_open_before(passage: Passage, tmp_path: Path) -> None:
    given = settings.DATABASES["default"]
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("NOTARIUS_", "COV", "PG"))}
    environ = clean | {
        "DJANGO_SETTINGS_MODULE": "notarius_site.settings",
        "DATABASE_URL": f"postgres://{given['USER']}:{given['PASSWORD']}@127.0.0.1:{passage.port}/postgres",
        "NOTARIUS_DATA_DIR": str(tmp_path),
        "NOTARIUS_SECRET_KEY": "a-key-that-only-a-test-has-and-that-is-long-enough-for-anybody",
    }
    pipe = subprocess.PIPE
    asking = subprocess.Popen(
        [sys.executable, "-c", ASK_TWICE], cwd=ROOT, env=environ, stdin=pipe, stdout=pipe, text=True
    )
    with asking:
        assert asking.stdin is not None
        assert asking.stdout is not None
        try:
            before = json.loads(asking.stdout.readline())
            passage.frozen.set()
            said, _ = asking.communicate("\n\n", timeout=SOON_S)
        finally:
            asking.kill()

    assert before is True
    assert json.loads(said) is False
