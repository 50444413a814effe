"""`repeat`: how many calls are made a second time after the process was killed half way."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from bench.lane_run import Plan
from bench.lanes import large_chunks
from bench.processes import Stopped, counts, endpoint, measured, start
from bench.report import Row

POLL_S = 0.005
LATENCY = ("--latency", "0.5")
TURNS = "4000"


def rows() -> Iterator[Row]:
    for workers in (4, 10):
        with tempfile.TemporaryDirectory() as folder:
            plan = large_chunks(TURNS, workers=workers, store=str(Path(folder) / "checkpoints.sqlite3"))
            yield _killed_half_way(plan)


def _killed_half_way(plan: Plan) -> Row:
    with endpoint() as url:
        measured("bench.lane_run", replace(plan, url=url, store=None).arguments())
        needed = counts(url)["calls"]
    with endpoint(LATENCY) as url:
        there = replace(plan, url=url)
        at_kill = _run_and_kill(there, url, needed // 2)
        measured("bench.lane_run", there.arguments())
        seen = counts(url)
    repeated = seen["calls"] - needed
    return Row(
        "repeat",
        f"{TURNS} turns, chunk 6,000 characters, {plan.workers} workers, killed half way",
        "python -m bench repeat",
        {
            "calls_needed": needed,
            "answered_or_in_flight_at_kill": at_kill,
            "calls_made": seen["calls"],
            "repeated": repeated,
            "repeated/workers_ratio": repeated / plan.workers,
        },
    )


def _run_and_kill(plan: Plan, url: str, calls: int) -> int:
    """Kill the run with SIGKILL once that many calls have come in; returns how many had."""
    process = start("bench.lane_run", plan.arguments())
    while (made := int(counts(url)["calls"])) < calls:
        if process.poll() is not None:
            raise Stopped("the run ended before it could be killed")
        time.sleep(POLL_S)
    process.kill()
    process.communicate()
    return made
