"""`pipeline` and `unchanged`: what a call costs us with all ten lanes, and what a run costs that changes nothing."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from bench.costs import LANE, answers, total_of
from bench.lanes import large_chunks
from bench.pipeline_run import PipelinePlan
from bench.processes import endpoint, measured
from bench.report import Row
from bench.transcripts import document

TURNS = "10000"


def pipeline_rows() -> Iterator[Row]:
    """All lanes of `complete` at no latency; the answers are what the rules give, prepared before."""
    one = large_chunks(TURNS)
    plan = PipelinePlan(TURNS, chunk_units=one.chunk_units, chunk_words=one.chunk_words)
    words = sum(len(unit.text.split()) for unit in document(TURNS).units)
    with tempfile.TemporaryDirectory() as folder:
        prepared = Path(folder) / "answers.json"
        prepared.write_text(json.dumps(answers(plan)[LANE]), encoding="utf-8")
        with endpoint(("--answers", str(prepared))) as url:
            seen = measured("bench.pipeline_run", replace(plan, url=url).arguments())
    total = total_of(seen["prompts"])
    yield Row(
        "pipeline",
        f"{TURNS} turns, chunk 6,000 characters, ten lanes, {plan.workers} in flight",
        "python -m bench pipeline",
        {
            "calls": total["calls"],
            "cpu_ms_a_call": 1000 * seen["cpu_s"] / total["calls"],
            "cpu_s": seen["cpu_s"],
            "wall_s": seen["seconds"],
            "peak_mib": seen["peak_mib"],
            "words_sent_a_lane_ratio": total["sent"] / words / len(seen["records"]),
        },
    )


def unchanged_rows() -> Iterator[Row]:
    """The NPC lane of the archive's worker, run a second time over the same transcript."""
    with endpoint() as url:
        figures = measured("bench.archive_run", large_chunks(TURNS, url=url).arguments(), "again")
    names = ("first_calls", "calls", "first_seconds", "seconds", "first_cpu_s", "cpu_s")
    yield Row(
        "unchanged",
        f"{TURNS} turns, chunk 6,000 characters, the archive's worker, run again",
        "python -m bench unchanged",
        {name: figures[name] for name in names} | {"seconds_ratio": figures["seconds"] / figures["first_seconds"]},
    )
