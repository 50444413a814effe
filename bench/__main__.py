"""Measure Notarius: `python -m bench [NAME ...] [--json FILE]`. Prints a table; nothing passes or fails."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

from bench import (
    api,
    beyond,
    costs,
    evenings,
    faults,
    formats,
    imports,
    lanes,
    load,
    pages,
    pipelines,
    reconciles,
    repeats,
    review_walk,
    scale,
    search,
)
from bench.report import Row, show, write

BENCHES: Mapping[str, Callable[[], Iterator[Row]]] = {
    "api": api.rows,
    "import": imports.rows,
    "formats": formats.rows,
    "rules": lanes.rules_rows,
    "reconcile": reconciles.rows,
    "calls": lanes.calls_rows,
    "pages": pages.rows,
    "evenings": evenings.rows,
    "pipeline": pipelines.pipeline_rows,
    "repeat": repeats.rows,
    "unchanged": pipelines.unchanged_rows,
    "wall": lanes.wall_rows,
    "flight": lanes.flight_rows,
    "faults": faults.rows,
    "cost": costs.rows,
    "search": search.rows,
    "review": review_walk.rows,
    "scale": scale.rows,
    "beyond": beyond.rows,
    "load": load.rows,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which of {', '.join(BENCHES)}; by default all")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows there as well")
    parser.add_argument(
        "--minutes", type=float, default=load.MINUTES, help="how long `load` lasts; by default %(default)g"
    )
    given = parser.parse_args()
    unknown = set(given.names) - BENCHES.keys()
    if unknown:
        parser.error(f"no such measurement: {', '.join(sorted(unknown))}")
    rows: list[Row] = []
    benches: Mapping[str, Callable[[], Iterator[Row]]] = {**BENCHES, "load": partial(load.rows, given.minutes)}
    for name in given.names or BENCHES:
        for row in benches[name]():
            show(row)
            rows.append(row)
    if given.json is not None:
        write(rows, given.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
