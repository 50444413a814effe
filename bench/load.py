"""`load`: four runs of ten lanes at 10,000 turns and half a second a call, while twenty readers page, for `--minutes`.

An installation of its own: gunicorn as docs/operations.md recommends it, and the supervisor as `manage.py work` starts
it, on SQLite or, where `DATABASE_URL` names a server on which databases may be made, on PostgreSQL. Transcripts are
uploaded, runs started and artifacts approved over the API; where a run ends, the next one begins over a session of its
own, so that no checkpoint answers and work never runs out.
"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from statistics import quantiles
from threading import Event, Thread
from typing import Any
from urllib.parse import urlsplit

from bench.api import served
from bench.costs import LANE, answers
from bench.load_readers import ReadersPlan
from bench.load_tables import Table
from bench.load_usage import Usage
from bench.pipeline_run import PipelinePlan
from bench.processes import counts, endpoint, measured
from bench.report import Figure, Row
from bench.scale import database
from bench.scale_seed import FIRST, SESSIONS, UNITS
from bench.transcripts import ROOT, as_notarius_json, generated

TURNS, TABLES, READERS, IN_FLIGHT = 10_000, 4, 20, 10
MINUTES = 30.0
LATENCY_S = 0.5
STOP_S = 60
FAULTS = frozenset({"ERROR", "CRITICAL"})
API = "API"


def rows(minutes: float = MINUTES) -> Iterator[Row]:
    """Measure it on the database that is there."""
    server = os.environ.get("DATABASE_URL", "")
    postgres = server.startswith("postgres")
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        environ = {
            "DJANGO_SETTINGS_MODULE": "notarius_site.settings",
            "NOTARIUS_DATA_DIR": folder,
            "NOTARIUS_SECRET_KEY": secrets.token_hex(),
            "DATABASE_URL": stack.enter_context(database(server, "load")) if postgres else "",
        }
        prepared = Path(folder) / "answers.json"
        prepared.write_text(json.dumps(answers(PipelinePlan(str(TURNS)))[LANE]), encoding="utf-8")
        known = measured("bench.load_seed", str(READERS), environ=environ)
        model = stack.enter_context(endpoint(("--latency", f"{LATENCY_S:g}", "--answers", str(prepared))))
        url = stack.enter_context(_installation(Path(folder), environ, model))
        command = f"{'DATABASE_URL=postgres://… ' if postgres else ''}python -m bench load --minutes {minutes:g}"
        plan = ReadersPlan(url, FIRST, minutes * 60, known["readers"], [(at + 1, UNITS) for at in range(SESSIONS)])
        for setting, figures in _measured(plan, known["gm"], model, Path(folder)):
            name = "PostgreSQL" if postgres else "SQLite"
            yield Row("load", f"{name}, {minutes:g} minutes: {setting}", command, figures)


@contextmanager
def _installation(folder: Path, environ: Mapping[str, str], model: str) -> Iterator[str]:
    """Start website and worker, yield the address, and stop both."""
    (folder / "metrics").mkdir()
    asked = {
        "NOTARIUS_LLM_BASE_URL": model,
        "NOTARIUS_LLM_MODEL": "bench",
        "NOTARIUS_LLM_CONCURRENCY": str(IN_FLIGHT),
        "NOTARIUS_WORKERS": str(TABLES),
        "NOTARIUS_LOG_FORMAT": "json",
    }
    with (
        served({**environ, **asked, "PROMETHEUS_MULTIPROC_DIR": str(folder / "metrics")}) as url,
        _log_of(folder).open("wb") as log,
    ):
        command = (sys.executable, "manage.py", "work")
        worker = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **environ, **asked}, stdout=log, stderr=log)  # noqa: S603 - an interpreter and arguments of ours
        try:
            yield url
        finally:
            worker.terminate()
            worker.wait(timeout=STOP_S)


def _log_of(folder: Path) -> Path:
    return folder / "work.log"


def _measured(plan: ReadersPlan, token: str, model: str, folder: Path) -> Iterator[tuple[str, Mapping[str, Figure]]]:
    """Let the tables play and the readers read; yield what came of it."""
    numbers, transcript = count(SESSIONS + 1), as_notarius_json(generated(TURNS))
    tables = [Table(urlsplit(plan.url).netloc, plan.slug, token, transcript, numbers) for _ in range(TABLES)]
    own = [(table.begin(), TURNS) for table in tables]
    usage, stop, stop_looking = Usage(str(folder)), Event(), Event()
    threads = [Thread(target=table.go_on, args=(stop,)) for table in tables]
    looking = Thread(target=usage.watch, args=(stop_looking,))
    before = counts(model)["calls"]
    for thread in (*threads, looking):
        thread.start()
    try:
        read = measured("bench.load_readers", replace(plan, sessions=[*plan.sessions, *own]).arguments())
        calls = counts(model)["calls"] - before
    finally:
        stop_looking.set()
        stop.set()
        for thread in (*threads, looking):
            thread.join()
    errors = {*read["errors"], *(error for table in tables for error in table.errors), *_faults(_log_of(folder))}
    yield "work", {**_worked(tables), "calls": calls, "calls_per_s": calls / plan.seconds, **_told(read, errors)}
    yield from _answered(read["took_ms"])
    for role, done in {"worker": calls, "web": _asked(read), "supervisor": None}.items():
        yield role, _used(usage, role, plan.seconds, done)


def _worked(tables: Sequence[Table]) -> dict[str, Figure]:
    states: Counter[str] = Counter()
    again = 0
    for table in tables:
        for run in table.runs:
            states.update(lane["state"] for lane in run["lanes"])
            again += sum(max(0, lane["attempts"] - 1) for lane in run["lanes"])
    return {
        "runs": sum(len(table.runs) for table in tables),
        "lanes_succeeded": states["succeeded"],
        "lanes_failed": states["failed"] + states["blocked"] + states["cancelled"],
        "lanes_taken_again": again,
    }


def _told(read: Mapping[str, Any], errors: set[str]) -> dict[str, Figure]:
    return {
        "asked": _asked(read),
        "answers_wrong": sum(read["errors"].values()),
        "errors": "; ".join(sorted(errors)) or "none",
        "machine_load": os.getloadavg()[0],
    }


def _asked(read: Mapping[str, Any]) -> int:
    return sum(len(took) for took in read["took_ms"].values())


def _faults(log: Path) -> Iterator[str]:
    """Yield what the worker's log calls an error; it holds codes and counts alone."""
    for line in log.read_text(encoding="utf-8").splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            entry = {"level": "ERROR", "message": f"not a line of the log: {line[:80]}"}
        if entry["level"] in FAULTS:
            yield f"worker: {entry['message']}"


def _answered(took_ms: Mapping[str, Sequence[float]]) -> Iterator[tuple[str, Mapping[str, Figure]]]:
    """Yield how long answers took, by kind of address, of the API and of the site."""
    api = [each for kind, took in took_ms.items() if kind.startswith(API) for each in took]
    site = [each for kind, took in took_ms.items() if not kind.startswith(API) for each in took]
    for kind, took in {"API, all": api, "site, all": site, **dict(sorted(took_ms.items()))}.items():
        if len(took) > 1:
            cuts = quantiles(took, n=100, method="inclusive")
            yield kind, {"asked": len(took), "p50_ms": cuts[49], "p95_ms": cuts[94], "p99_ms": cuts[98]}


def _used(usage: Usage, role: str, seconds: float, done: int | None) -> Mapping[str, Figure]:
    """Return what the processes used, also for each thing done; MiB and ratios are of the one that grew most.

    Ratios are of the last fifth of the time to the second one. What is mapped of the database's file is resident too,
    and is not its process' own.
    """
    grown, cpu_s = usage.grown(role, seconds), usage.cpu_s(role)
    most = max(grown, key=lambda each: each.own_ratio, default=None)
    return {
        "processes": len(usage.of(role)),
        "lived_through": len(grown),
        "cpu_s": cpu_s,
        "cpu_ms_each": 1000 * cpu_s / done if done else None,
        "mib_early": most.resident[0] if most else None,
        "mib_late": most.resident[1] if most else None,
        "own_mib_early": most.own[0] if most else None,
        "own_mib_late": most.own[1] if most else None,
        "grown_ratio": max((each.ratio for each in grown), default=None),
        "own_grown_ratio": most.own_ratio if most else None,
    }
