"""`faults`: what every fiftieth call that goes wrong costs, in calls, in records and on the clock."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from bench.endpoint import Fault
from bench.lanes import small_chunks, wall_figures
from bench.processes import counts, endpoint, measured
from bench.report import Row

TURNS = "4000"
WORKERS = 10
LATENCY_S = 0.5
# Four times what a call takes: as soon as a call may be called hung where they differ as those of models do.
TIMEOUT_S = 2.0
RETRIES = 2


def rows() -> Iterator[Row]:
    """Each kind of fault beside a run without one. In the ideal, a call that hangs takes as long as its timeout."""
    plan = small_chunks(TURNS, workers=WORKERS, timeout=TIMEOUT_S, retries=RETRIES)
    with endpoint() as url:
        expected = measured("bench.lane_run", replace(plan, url=url).arguments())
    for fault in Fault:
        with endpoint(("--latency", f"{LATENCY_S:g}", "--fault", fault.value)) as url:
            figures = measured("bench.lane_run", replace(plan, url=url).arguments())
            seen = counts(url)
        seen["delays"] = [TIMEOUT_S if delay is None else delay for delay in seen["delays"]]
        yield Row(
            "faults",
            f"{TURNS} turns, {LATENCY_S:g} s, {WORKERS} workers, 1 in 50: {fault.value}",
            "python -m bench faults",
            {
                **wall_figures(figures, seen, WORKERS),
                "calls_needed": expected["chunks"] + 1,
                "same_artifact": "yes" if figures["digest"] == expected["digest"] else "no",
            },
        )
