"""Measure Notarius: `python -m bench [NAME ...] [--json FILE]`. Prints a table; nothing passes or fails."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from bench import costs, imports, lanes, reconciles, repeats
from bench.report import Row, show, write

BENCHES: Mapping[str, Callable[[], Iterator[Row]]] = {
    "import": imports.rows,
    "rules": lanes.rules_rows,
    "reconcile": reconciles.rows,
    "calls": lanes.calls_rows,
    "repeat": repeats.rows,
    "wall": lanes.wall_rows,
    "cost": costs.rows,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which of {', '.join(BENCHES)}; by default all")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows there as well")
    given = parser.parse_args()
    unknown = set(given.names) - BENCHES.keys()
    if unknown:
        parser.error(f"no such measurement: {', '.join(sorted(unknown))}")
    rows: list[Row] = []
    for name in given.names or BENCHES:
        for row in BENCHES[name]():
            show(row)
            rows.append(row)
    if given.json is not None:
        write(rows, given.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
