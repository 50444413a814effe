"""Measurements run in processes of their own: a clean peak of memory, and no share of the endpoint's work in ours."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bench.transcripts import ROOT

STATUS = Path("/proc/self/status")


class Stopped(Exception):
    """A process of a measurement ended otherwise than it should; its own message stands on stderr."""


def peak_mib() -> float | None:
    """Return the most memory this process has held, None where the system does not tell.

    getrusage would also count what the parent held when it started this process.
    """
    if not STATUS.is_file():
        return None
    line = next(line for line in STATUS.read_text(encoding="ascii").splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def start(module: str, *arguments: str, environ: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
    """Start `python -m module arguments` with its stdout in a pipe."""
    command = (sys.executable, "-m", module, *arguments)
    environment = {**os.environ, **(environ or {})}
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment)  # noqa: S603 - an interpreter and arguments of ours


def result_of(process: subprocess.Popen[str]) -> dict[str, Any]:
    """Wait for the process and return the JSON object on its last line; Stopped where it failed."""
    output, _ = process.communicate()
    if process.returncode != 0 or not output.strip():
        raise Stopped(f"{process.args!r} ended with {process.returncode}")
    value: dict[str, Any] = json.loads(output.strip().splitlines()[-1])
    return value


def measured(module: str, *arguments: str, environ: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Run `python -m module arguments` and return the figures it prints."""
    return result_of(start(module, *arguments, environ=environ))


def print_result(figures: Mapping[str, object]) -> None:
    sys.stdout.write(json.dumps(figures) + "\n")


@contextlib.contextmanager
def endpoint(options: Sequence[str] = ()) -> Iterator[str]:
    """Run `bench.endpoint` and yield its base URL."""
    process = start("bench.endpoint", *options)
    try:
        ready = process.stdout.readline() if process.stdout else ""
        if not ready.startswith("ready "):
            raise Stopped("the endpoint did not start")
        yield ready.split()[1]
    finally:
        process.terminate()
        process.communicate()


def counts(base_url: str) -> dict[str, Any]:
    """Return what the endpoint has counted since its start."""
    connection = HTTPConnection(urlsplit(base_url).netloc, timeout=10)
    try:
        connection.request("GET", "/counts")
        value: dict[str, Any] = json.loads(connection.getresponse().read())
        return value
    finally:
        connection.close()


class Stopwatch:
    """Seconds and CPU seconds of this process since it was made."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def figures(self) -> dict[str, float]:
        return {"seconds": time.perf_counter() - self._wall, "cpu_s": time.process_time() - self._cpu}
