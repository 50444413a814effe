"""`rules`, `calls` and `wall`: what a run of the NPC lane costs us, and how busy it keeps a provider."""

from __future__ import annotations

import heapq
import shlex
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from bench.lane_run import Plan
from bench.processes import counts, endpoint, measured
from bench.report import Figure, Row
from bench.transcripts import REAL, SAMPLE

# About 6,000 and 1,000 characters of transcript, at 5 or 6 a word: the two sizes that peers were measured with.
large_chunks = partial(Plan, chunk_units=10_000, chunk_words=1_050)
small_chunks = partial(Plan, chunk_units=10, chunk_words=175)


def rules_rows() -> Iterator[Row]:
    """The lane with the embedded rules, no endpoint at all."""
    for file in (*sorted(SAMPLE.glob("session-*")), *((REAL,) if REAL.is_file() else ())):
        plan = Plan(str(file))
        figures = measured("bench.lane_run", plan.arguments())
        shown = ("turns", "chunks", "records", "seconds", "cpu_s", "peak_mib")
        yield Row(
            "rules", file.name, _command(replace(plan, source=file.name)), {name: figures[name] for name in shown}
        )


def calls_rows() -> Iterator[Row]:
    """CPU a call at no latency, validation and checkpoint included."""
    for turns in (1_000, 10_000):
        yield _calls_row(f"{turns} turns, chunk 6,000 characters, memory", large_chunks(str(turns)))
    with tempfile.TemporaryDirectory() as folder:
        plan = large_chunks("10000", store=str(Path(folder) / "checkpoints.sqlite3"))
        yield _calls_row("10000 turns, chunk 6,000 characters, SQLite file", plan)
    yield _calls_row(
        "10000 turns, chunk 6,000 characters, the archive's worker", large_chunks("10000"), "bench.archive_run"
    )
    yield _calls_row("10000 turns, chunk 1,000 characters, memory", small_chunks("10000"))


def _calls_row(setting: str, plan: Plan, module: str = "bench.lane_run") -> Row:
    with endpoint() as url:
        figures = measured(module, replace(plan, url=url).arguments())
        seen = counts(url)
    made = seen["calls"]
    return Row(
        "calls",
        setting,
        _command(plan, module),
        {
            "calls": made,
            "cpu_ms_a_call": 1000 * figures["cpu_s"] / made,
            "cpu_s": figures["cpu_s"],
            "wall_s": figures["seconds"],
            "peak_mib": figures["peak_mib"],
            "import_s": figures["import_seconds"],
            "import_cpu_s": figures["import_cpu_s"],
            "words_sent_ratio": seen["prompt_words"] / figures["words"],
        },
    )


@dataclass(frozen=True, slots=True)
class Load:
    """How the endpoint behaves and how many calls the lane keeps in flight."""

    turns: int
    workers: int
    jitter: float = 0.0
    limit: int = 0
    latency: float = 0.5

    @property
    def setting(self) -> str:
        limit = f", provider holds {self.limit}" if self.limit else ""
        return f"{self.turns} turns, {self.latency:g} s, jitter {self.jitter:g}, {self.workers} workers{limit}"

    @property
    def options(self) -> tuple[str, ...]:
        waits = ("--latency", f"{self.latency:g}", "--jitter", f"{self.jitter:g}", "--retry-after", "1")
        return (*waits, "--limit", str(self.limit))


LOADS = (
    Load(4_000, 10),
    Load(4_000, 10, jitter=0.6),
    Load(4_000, 20),
    Load(1_000, 10, limit=8),
    Load(1_000, 20, limit=8),
    Load(4_000, 10, limit=8),
)


# As many turns as keep that many calls in flight for a while: ten make a call.
FLIGHTS = tuple(
    Load(turns, workers, latency=latency)
    for latency in (0.0, 0.5, 2.0)
    for turns, workers in ((300, 1), (2_400, 8), (8_000, 32))
)


def wall_rows() -> Iterator[Row]:
    """Wall time beside the ideal, which is the sum of the delays over the calls that may be in flight."""
    yield from _wall_rows("wall", LOADS)


def flight_rows() -> Iterator[Row]:
    """The same for 1, 8 and 32 calls in flight; at no latency there is no ideal, only the time that a call takes us."""
    yield from _wall_rows("flight", FLIGHTS)


def _wall_rows(bench: str, loads: Sequence[Load]) -> Iterator[Row]:
    for load in loads:
        plan = small_chunks(str(load.turns), workers=load.workers)
        with endpoint(load.options) as url:
            figures = measured("bench.lane_run", replace(plan, url=url).arguments())
            seen = counts(url)
        slots = min(load.workers, load.limit or load.workers)
        yield Row(bench, load.setting, _command(plan), wall_figures(figures, seen, slots))


def wall_figures(figures: dict[str, Any], seen: dict[str, Any], slots: int) -> dict[str, Figure]:
    """Return the two ratios: to the ideal, and to a perfect client under the lane's order of calls.

    `busy_ratio` is how much of the wall the slots were in use, by the endpoint's clock: what it is late by itself is in
    the wall, but in no slot that we left empty.
    """
    ideal = sum(seen["delays"]) / slots
    perfect = perfect_wall(seen["delays"], slots)
    return {
        "calls": seen["calls"],
        "refused": seen["refused"],
        "peak": seen["peak"],
        "wall_s": figures["seconds"],
        "ideal_s": ideal,
        "perfect_s": perfect,
        "cpu_ms_a_call": 1000 * figures["cpu_s"] / seen["calls"],
        "wall_ms_a_call": 1000 * figures["seconds"] / seen["calls"],
        "busy_ratio": seen["held"] / slots / figures["seconds"],
        "wall/ideal_ratio": figures["seconds"] / ideal if ideal else None,
        "wall/perfect_ratio": figures["seconds"] / perfect if perfect else None,
    }


def perfect_wall(delays: Sequence[float], slots: int) -> float:
    """Return the wall of a client that costs nothing: chunk calls start in order as slots come free, and the last
    call, the reconciliation, starts when all others have ended."""
    *chunks, last = delays
    busy = [0.0] * slots
    for delay in chunks:
        heapq.heapreplace(busy, busy[0] + delay)
    return max(busy) + last


def _command(plan: Plan, module: str = "bench.lane_run") -> str:
    return f"python -m {module} {shlex.quote(plan.arguments())}"
