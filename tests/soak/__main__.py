"""Runs with faults injected for real, and a table of what came of them.

    python -m tests.soak --runs 200 --seed 1 --database both

Each run starts lanes under a real supervisor with real workers against a scripted endpoint, and has one or two faults
done to it at a random point: which ones, and when, follows from the options alone. Exit 1 where a promise was broken.
With PostgreSQL a cluster of its own is made and killed: its programs must be installed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from tests.soak import faults, story
from tests.soak.batch import Batch, Outcome
from tests.soak.postgres import binaries

ROOT = Path(__file__).resolve().parents[2]
DATABASES = ("sqlite", "postgres")


def batches(args: argparse.Namespace) -> list[Batch]:
    """Return the runs dealt out to the batches, which alternate between the databases."""
    wanted = [args.database] if args.database != "both" else [d for d in DATABASES if d == "sqlite" or binaries()]
    count = max(args.jobs, len(wanted))
    numbers = range(1, args.runs + 1)
    dealt = [tuple(numbers[at::count]) for at in range(count)]
    return [
        Batch(args.seed, runs, wanted[at % len(wanted)], args.only, args.short, args.chunks, args.faults, args.wide)
        for at, runs in enumerate(dealt)
        if runs
    ]


def follow(batch: Batch, outcomes: list[Outcome], codes: list[int]) -> None:
    """Run the batch in a process of its own and take its outcomes as they come."""
    command = [sys.executable, "-m", "tests.soak.batch", json.dumps(asdict(batch))]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout or ():
            outcome = Outcome(**json.loads(line))
            outcomes.append(outcome)
            say(outcome)
    codes.append(process.returncode)


def say(outcome: Outcome) -> None:
    verdict = "; ".join(outcome.failures) or "ok"
    done = ", ".join(outcome.faults) or "nothing"
    counts = f"repeated {outcome.repeated} of at most {outcome.allowed}, claimed again {outcome.claims}"
    sys.stdout.write(f"{outcome.number:4} {outcome.database:8} {outcome.seconds:6.1f} s  {done}: {counts}: {verdict}\n")
    sys.stdout.flush()


def table(outcomes: Iterable[Outcome]) -> str:
    """Return the counts a fault as a table."""
    runs: Counter[tuple[str, str]] = Counter()
    failed: Counter[str] = Counter()
    repeated: Counter[str] = Counter()
    for outcome in outcomes:
        for name in outcome.faults:
            runs[name, outcome.database] += 1
            failed[name] += bool(outcome.failures)
            repeated[name] = max(repeated[name], outcome.repeated)
    lines = [
        "| fault | SQLite | PostgreSQL | most calls repeated | failures |",
        "| --- | --: | --: | --: | --: |",
    ]
    for name in faults.ALL:
        counts = (runs[name, "sqlite"], runs[name, "postgres"], repeated[name], failed[name])
        lines.append(f"| {name} | {' | '.join(map(str, counts))} |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--database", choices=(*DATABASES, "both"), default="both")
    parser.add_argument("--jobs", type=int, default=2, help="installations at once")
    parser.add_argument("--only", choices=tuple(faults.ALL), help="this fault in every run")
    parser.add_argument("--faults", type=int, default=1, help="how often in a run, with --only")
    parser.add_argument("--chunks", type=int, default=story.CHUNKS, help="how long the session is")
    parser.add_argument("--wide", action="store_true", help="nine lanes and not four")
    parser.add_argument("--short", action="store_true", help="a few kinds of fault that are soon over")
    args = parser.parse_args()
    began = time.monotonic()
    outcomes: list[Outcome] = []
    codes: list[int] = []
    threads = [threading.Thread(target=follow, args=(batch, outcomes, codes)) for batch in batches(args)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    failures = sum(bool(outcome.failures) for outcome in outcomes)
    sys.stdout.write(f"\n{table(outcomes)}\n\n")
    total = sum(len(outcome.faults) for outcome in outcomes)
    sys.stdout.write(
        f"{len(outcomes)} runs, {total} faults, {sum(o.calls for o in outcomes)} calls answered,"
        f" {sum(o.repeated for o in outcomes)} of them repeated, {failures} failures,"
        f" {time.monotonic() - began:.0f} s\n"
    )
    return int(failures > 0 or any(codes) or len(outcomes) < args.runs)


if __name__ == "__main__":
    sys.exit(main())
