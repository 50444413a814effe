"""`api`: a page of 500 people, whole and unchanged, beside the same page of a minimal Django REST framework view.

Both are served by gunicorn as docs/operations.md recommends it, from one archive, and asked in turns.
"""

from __future__ import annotations

import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection

from bench.api_seed import SLUG
from bench.processes import Stopped, measured
from bench.report import Row
from bench.transcripts import ROOT

PEOPLE, ROUNDS, SECONDS, CONNECTIONS = 500, 5, 3.0, 8
APPLICATION = "django.core.wsgi:get_wsgi_application()"
WORKERS = ("--worker-class", "gthread", "--workers", "2", "--threads", "4")
PATIENCE_S = 60
COMMAND = "python -m bench api"


@dataclass(slots=True)
class Measured:
    """What the rounds of one setting came to."""

    url: str
    headers: tuple[str, ...]
    status: int
    rates: list[float] = field(default_factory=list)
    took_ms: list[float] = field(default_factory=list)
    bytes: int = 0

    def ask(self) -> None:
        found = measured("bench.api_load", self.url, str(SECONDS), str(CONNECTIONS), *self.headers)
        if found["statuses"] != [self.status]:
            raise Stopped(f"{self.url} answered {found['statuses']} and not {self.status}")
        self.rates.append(len(found["took_ms"]) / found["wall_s"])
        self.took_ms += found["took_ms"]
        self.bytes = found["bytes"]

    @property
    def rate(self) -> float:
        return statistics.median(self.rates)

    def figures(self) -> dict[str, int | float | str | None]:
        times = sorted(self.took_ms)
        return {
            "req_per_s": self.rate,
            "p50_ms": times[len(times) // 2],
            "p99_ms": times[int(len(times) * 0.99)],
            "body_bytes": self.bytes,
            "requests": len(times),
        }


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        environ = {
            "DJANGO_SETTINGS_MODULE": "notarius_site.settings",
            "NOTARIUS_DATA_DIR": folder,
            "NOTARIUS_API_PAGE_MAX": str(PEOPLE),
            "NOTARIUS_API_RATE": str(10**9),
        }
        token = measured("bench.api_seed", str(PEOPLE), environ=environ)["token"]
        ours, drf = (
            stack.enter_context(served(environ | {"DJANGO_SETTINGS_MODULE": module}))
            for module in ("notarius_site.settings", "bench.api_drf_settings")
        )
        own, other = f"{ours}/api/v1/campaigns/{SLUG}/npcs?limit={PEOPLE}", f"{drf}/drf/{SLUG}/npcs"
        known = f"Authorization: Bearer {token}"
        settings = {
            "notarius, 200": Measured(own, (known,), 200),
            "notarius, 304": Measured(own, (known, f"If-None-Match: {_tag(own, known)}"), 304),
            "rest framework, 200": Measured(other, (known,), 200),
            "rest framework, 304": Measured(other, (known, f"If-None-Match: {_tag(other, known)}"), 304),
        }
        for _ in range(ROUNDS):
            for setting in settings.values():
                setting.ask()
        yield from _compared(settings)


def _compared(settings: Mapping[str, Measured]) -> Iterator[Row]:
    whole = settings["rest framework, 200"].rate
    for name, setting in settings.items():
        ratios = {"to_rest_framework_200_ratio": setting.rate / whole}
        if name == "notarius, 304":
            ratios["to_rest_framework_304_ratio"] = setting.rate / settings["rest framework, 304"].rate
        yield Row("api", f"{PEOPLE} people, {name}", COMMAND, {**setting.figures(), **ratios})


@contextmanager
def served(environ: Mapping[str, str]) -> Iterator[str]:
    """Serve the site of these settings and yield where."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = (sys.executable, "-m", "gunicorn", APPLICATION, *WORKERS, "--bind", f"127.0.0.1:{port}")
    silent = subprocess.DEVNULL
    process = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **environ}, stdout=silent, stderr=silent)  # noqa: S603 - an interpreter and arguments of ours
    try:
        _wait_for(port, process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise Stopped("gunicorn did not start")


def _tag(url: str, authorization: str) -> str:
    """Return the tag of the page, having asked often enough that every worker is warm."""
    host, _, path = url.removeprefix("http://").partition("/")
    connection = HTTPConnection(host)
    for _ in range(20):
        connection.request("GET", f"/{path}", headers={"Authorization": authorization.partition(": ")[2]})
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200:
            raise Stopped(f"{url} answered {answer.status}")
    return answer.headers["ETag"]
