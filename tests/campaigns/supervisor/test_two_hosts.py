"""Two worker hosts that share one PostgreSQL and run one session's lanes. Each host's cluster has one worker.

Root makes two network namespaces for them, with process numbers and host names of their own; elsewhere they are
processes with their own data directories. The database is reached by its socket, which is a file.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from django.db import connection

from tests.campaigns.supervisor import namespaces
from tests.campaigns.supervisor.installation import PATIENCE_S, WHERE, Installation, eventually
from tests.campaigns.supervisor.namespaces import Host
from tests.loopback import Reply, RequestJson, ScriptedServer, answer
from tests.soak import story
from tests.soak.postgres import Postgres, binaries

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
    pytest.mark.skipif(binaries() is None, reason="PostgreSQL's programs are not on this machine"),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="belongs to the suite's run on PostgreSQL"),
]
FOLDER = "hosts"


class Meeting:
    """Answers the first call of each step only once another lane's call of that step has come too, from elsewhere.

    All others at once: a lane that holds every seat of the profile lets the next one start as its calls end.
    """

    def __init__(self) -> None:
        self._met = [threading.Event(), threading.Event()]
        self._seen: list[set[str]] = [set(), set()]
        self._lock = threading.Lock()

    def __call__(self, request: RequestJson) -> Reply:
        lane = story.lane_of(request)
        step = 1 if lane.replace("_", "-") in story.steps()[1] else 0
        with self._lock:
            first = not self._seen[step]
            self._seen[step].add(lane)
            if len(self._seen[step]) > 1:
                self._met[step].set()
        if first:
            self._met[step].wait(PATIENCE_S)
        return answer(story.reply(request))


@pytest.fixture
def postgres() -> Iterator[Postgres]:
    # Not pytest's folder: the server's own user may not enter it, and a socket's path is short.
    _end_earlier()
    with tempfile.TemporaryDirectory(prefix=f"{FOLDER}-{os.getpid()}-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o711)
        rows = Path(folder) / "rows"
        rows.mkdir()
        postgres = Postgres(rows)
        yield postgres
        postgres.end()


def _end_earlier() -> None:
    """End the servers of test runs that were killed: they detach themselves, and so end with nobody."""
    for folder in Path(tempfile.gettempdir()).glob(f"{FOLDER}-*-*"):
        owner = folder.name.split("-")[1]
        if owner.isdecimal() and not Path(f"/proc/{owner}").exists():
            with suppress(OSError, ValueError, IndexError):
                pid = int((folder / "rows" / "cluster" / "postmaster.pid").read_text(encoding="ascii").split()[0])
                if str(folder).encode() in Path(f"/proc/{pid}/cmdline").read_bytes():
                    os.kill(pid, signal.SIGKILL)
            shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(responder=Meeting(), host="0.0.0.0") as server:  # noqa: S104 - the namespaces' links lead here
        yield server


@pytest.fixture
def hosts(tmp_path: Path, postgres: Postgres, server: ScriptedServer) -> Iterator[list[Installation]]:
    made = [Host(n) for n in (1, 2)] if namespaces.can_be_made() else []
    if made:
        namespaces.remove_earlier()
    for host in made:
        host.make()
    places = []
    for n in (1, 2):
        folder = tmp_path / f"host{n}"
        folder.mkdir()
        address = made[n - 1].outside if made else "127.0.0.1"
        settings = {
            "DATABASE_URL": postgres.socket_url("postgres"),
            "NOTARIUS_SECRET_KEY": "only-for-tests",
            "NOTARIUS_LLM_BASE_URL": f"http://{address}:{server.port}/v1",
            "NOTARIUS_LLM_MODEL": "test-model",
            "NO_PROXY": address,
            "NOTARIUS_LLM_CHUNK_UNITS": str(story.CHUNK_UNITS),
            "NOTARIUS_WORKERS": "1",
        }
        places.append(Installation(folder, log=folder / "log", prefix=made[n - 1].prefix if made else (), **settings))
    yield places
    for place in places:
        place.end()
    for host in made:
        host.remove()


def test_two_hosts_share_a_session_and_ask_nothing_twice(hosts: list[Installation], server: ScriptedServer) -> None:
    first, second = hosts
    first.settle(story.transcript(story.CHUNKS), story.pipeline(*story.steps()))
    for place in hosts:
        place.start("work")

    first.command("run_pipeline", *WHERE, "--pipeline", str(first.folder / "mine.toml"))
    eventually(lambda: first.value("select finished_at from campaigns_run") is not None, "the run ends")

    assert set(first.rows("select state, error_code from campaigns_lanerun")) == {("succeeded", "")}
    bodies = Counter(seen.body for seen in server.requests)
    assert len(bodies) == server.calls == story.calls(story.CHUNKS)
    assert second.rows("select distinct attempts from campaigns_lanerun") == [(1,)]
    assert first.value("select count(*) from campaigns_artifactversion") == len(story.lanes())
    assert first.value("select count(distinct holder) from campaigns_lanerun where step = 0") == 2
    assert first.value("select count(distinct holder) from campaigns_lanerun where step = 1") == 2
    if first.prefix:
        machines = "select count(distinct split_part(holder, ':', 1)) from campaigns_lanerun"
        assert first.value(machines) == 2
