"""Run every fuzz target for a while: `python -m tests.fuzz [--seconds 60]`. Exit status 1 at the first failure."""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings

from tests.fuzz.archive_targets import TARGETS as ARCHIVES
from tests.fuzz.readers import TARGETS as READERS
from tests.fuzz.readers import Target, check
from tests.fuzz.recogniser_targets import TARGETS as RECOGNISERS
from tests.fuzz.shaped import ShapedTarget

EXAMPLES = 200


def of_bytes(target: Target) -> ShapedTarget[bytes]:
    def invented(data: bytes) -> set[str]:
        check(target, data)
        return set()

    return ShapedTarget(target.name, target.files, invented)


TARGETS: tuple[ShapedTarget[Any], ...] = (*map(of_bytes, READERS), *RECOGNISERS, *ARCHIVES)


def run(target: ShapedTarget[Any], seconds: float) -> int:
    """Feed the target until the time is over; return how many files that were. What it raises is passed on."""
    fed = 0
    ends = time.monotonic() + seconds

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    @given(target.inputs)
    def feed(drawn: object) -> None:
        nonlocal fed
        fed += 1
        assert target.invented(drawn) == set()

    while time.monotonic() < ends:
        feed()
    return fed


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="for all targets together")
    arguments = parser.parse_args()
    for target in TARGETS:
        fed = run(target, arguments.seconds / len(TARGETS))
        sys.stdout.write(f"{target.name}: {fed} files, no failure\n")


if __name__ == "__main__":
    main()
