"""What a real gunicorn says and counts under the configuration that `up` and the unit of systemd name."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import gunicorn  # type: ignore[import-untyped]
import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.multiprocess import MultiProcessCollector

from campaigns.metrics import SHARED
from tests.campaigns.supervisor.installation import PATIENCE_S, ROOT, eventually

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="ends with its parent on Linux")]
CONFIG = "python:notarius_site.serving"
SECRET = "Ottilie-hides-the-ledger"
WORKERS = 2
SITE = "notarius_site.wsgi:application"
# What counts as the site does, and begins in no time.
COUNTING = """
from prometheus_client import CollectorRegistry, Counter
answers = Counter("answers", "Answers.", ("view",), registry=CollectorRegistry())

def application(environ, start_response):
    answers.labels("it").inc()
    start_response("200 OK", [("Content-Length", "0")])
    return []
"""
# What tells which of our modules were there before the application was loaded.
TELLING = """
import sys
ours = " ".join(name for name in sys.modules if name.startswith(("notarius_site", "campaigns", "extraction")))

def application(environ, start_response):
    start_response("200 OK", [("Content-Length", str(len(ours)))])
    return [ours.encode()]
"""


class Served:
    """A gunicorn of our own and its log."""

    def __init__(self, folder: Path, application: str, *options: str) -> None:
        self.counts, self._log = folder / "counts", folder / "log"
        self.counts.mkdir()
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("NOTARIUS_", "COV"))}
        command = [application, "--config", CONFIG, "--bind", "127.0.0.1:0"]
        processes = ["--worker-class", "gthread", "--workers", str(WORKERS), "--threads", "2", "--no-control-socket"]
        with self._log.open("wb") as log:
            self.main = subprocess.Popen(
                [sys.executable, "-m", "gunicorn", *command, *processes, *options],
                cwd=ROOT,
                env=clean | {"NOTARIUS_DATA_DIR": str(folder), "NOTARIUS_LOG_FORMAT": "json", SHARED: str(self.counts)},
                stdout=log,
                stderr=log,
            )
        try:
            eventually(lambda: len(self.booted()) >= WORKERS or self.main.poll() is not None, "its workers begin")
            assert self.main.poll() is None, self.log()
        except AssertionError:
            self.end()
            raise

    def log(self) -> str:
        return self._log.read_text(encoding="utf-8")

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log().splitlines()]

    def port(self) -> int:
        found = re.search(r"Listening at: http://127\.0\.0\.1:(\d+)", self.log())
        return int(found[1]) if found else 0

    def booted(self) -> list[int]:
        return [int(pid) for pid in re.findall(r"Booting worker with pid: (\d+)", self.log())]

    def answers(self) -> bool:
        """Ask for one page, and return whether it came: a worker that ends may take a request along."""
        with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{self.port()}/healthz", timeout=30) as got:
            return int(got.status) == 200
        return False

    def sends(self, request: bytes) -> bytes:
        with socket.create_connection(("127.0.0.1", self.port()), timeout=30) as connection:
            connection.sendall(request)
            return connection.recv(4096)

    def counted(self) -> float:
        registry = CollectorRegistry()
        MultiProcessCollector(registry, path=str(self.counts))  # type: ignore[no-untyped-call]
        return registry.get_sample_value("answers_total", {"view": "it"}) or 0.0

    def end(self) -> None:
        self.main.terminate()
        self.main.wait(timeout=PATIENCE_S)


def served(folder: Path, application: str, *options: str) -> Iterator[Served]:
    server = Served(folder, application, *options)
    try:
        yield server
    finally:
        server.end()


@pytest.fixture
def talking(tmp_path: Path) -> Iterator[Served]:
    """A server that logs all that it can."""
    yield from served(tmp_path, SITE, "--log-level", "debug")


@pytest.fixture
def recycling(tmp_path: Path) -> Iterator[Served]:
    """A server whose workers end after a few answers."""
    (tmp_path / "counting.py").write_text(COUNTING, encoding="utf-8")
    yield from served(tmp_path, "counting:application", "--pythonpath", str(tmp_path), "--max-requests", "5")


@pytest.fixture
def telling(tmp_path: Path) -> Iterator[Served]:
    (tmp_path / "telling.py").write_text(TELLING, encoding="utf-8")
    yield from served(tmp_path, "telling:application", "--pythonpath", str(tmp_path))


def test_a_broken_request_is_told_without_its_words_or_its_sender(talking: Served) -> None:
    path = f"/campaigns/{SECRET}/".encode()
    eventually(talking.answers, "it answers")
    refused = [
        talking.sends(b"GET " + path + b"\r\n\r\n"),
        talking.sends(b"GE(T " + path + b" HTTP/1.1\r\n\r\n"),
        talking.sends(b"GET / HTTP/1.1\r\n" + path + b": x\r\n\r\n"),
        talking.sends(b"GET /" + b"x" * 9_000 + path + b" HTTP/1.1\r\n\r\n"),
    ]
    answered = talking.sends(b"GET " + path + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    talking.end()
    lines = talking.lines()

    assert [answer.split(b" ")[1] for answer in (*refused, answered)] == [b"400", b"400", b"400", b"414", b"404"]
    assert SECRET not in talking.log()
    assert [line["message"] for line in lines if "127.0.0.1" in line["message"]] == [
        line["message"] for line in lines if line["message"].startswith("Listening at")
    ]
    assert all({"at", "level", "logger"} <= line.keys() for line in lines)
    assert [line["message"] for line in lines if line["logger"] == "gunicorn.error" and line["level"] == "WARNING"] == [
        "refused a request: InvalidRequestLine",
        "refused a request: InvalidRequestMethod",
        "refused a request: InvalidHeaderName",
        "refused a request: LimitRequestLine",
    ]


def test_a_worker_that_was_replaced_has_its_successor_count_on(recycling: Served) -> None:
    """The counts of all that ended stay, and the files that /metrics reads do not grow more with each."""
    answered = sum(recycling.answers() for _ in range(100))
    os.kill(recycling.booted()[-1], signal.SIGKILL)
    answered += sum(recycling.answers() for _ in range(20))
    recycling.main.send_signal(signal.SIGHUP)
    eventually(lambda: "Hang up" in recycling.log(), "it reloads")
    answered += sum(recycling.answers() for _ in range(20))
    files = {path.name for path in recycling.counts.iterdir()}

    assert len(recycling.booted()) > 20
    # Who ends may take along an answer that is counted already.
    assert 100 <= answered <= recycling.counted() <= 140
    # A reload has new workers begin before the old ones end.
    assert len(files) <= 2 * WORKERS, files


def test_a_worker_begins_without_what_the_main_process_read_of_us(telling: Served) -> None:
    """After a reload that may be of the release before, and what the worker itself reads would not fit to it."""
    request = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    head, _, body = telling.sends(request).partition(b"\r\n\r\n")

    assert head.startswith(b"HTTP/1.1 200 ")
    assert body == b""


def test_what_the_server_may_log_of_a_request_is_known() -> None:
    """Another version that tells of a request elsewhere must be looked at: its line would have an address."""
    folder = Path(gunicorn.__file__).parent
    places = [folder / "arbiter.py", *(folder / "workers" / f"{name}.py" for name in ("base", "gthread"))]
    calls = {
        line.strip()
        for place in (*places, *folder.glob("http/*.py"))
        for line in place.read_text(encoding="utf-8").splitlines()
        if re.search(r"\blog\.(?!access|debug)\w+\(.*\b(req|exc|uri|path)\b", line)
    }

    assert calls == {
        'self.log.exception("Error handling request %s %s", req.method, req.uri)',
        'self.log.exception("Error handling request %s", req.uri)',
        "self.log.warning(msg.format(ip=addr[0], error=str(exc)))",
    }


@pytest.mark.parametrize(
    "file", ["deploy/notarius.service", "deploy/Dockerfile", "campaigns/management/commands/up.py"]
)
def test_whoever_starts_it_names_the_configuration(file: str) -> None:
    assert CONFIG in (ROOT / file).read_text(encoding="utf-8")
