"""Run the NPC lane against a real model on this machine and check that every answer was handled.

    python -m tests.verification.run [--url http://host:port/v1] [NAME ...]

Exit code 0: handled. 1: something was not. 2: the model could not be installed or started, or was too slow here for
all scenarios.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from collections import Counter
from collections.abc import Sequence

from tests.verification.environment import SetupFailed, install, model_server
from tests.verification.evidence import Witnessed, witness
from tests.verification.judge import Account, judge
from tests.verification.scenarios import SCENARIOS, Scenario

BUDGET_S = 270.0
ROW = "{:<26} {:>6} {:>6} {:>9} {:>6} {:>9} {:>8}  {}"


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", help="an endpoint that already runs, instead of our own")
    parser.add_argument("names", nargs="*", metavar="NAME", help="the scenarios to run, by default all")
    options = parser.parse_args(argv)
    chosen = [scenario for scenario in SCENARIOS if not options.names or scenario.name in options.names]
    if not chosen:
        parser.error(f"no such scenario; there are: {', '.join(scenario.name for scenario in SCENARIOS)}")
    try:
        with contextlib.ExitStack() as stack:
            base_url = options.url or _own_model(stack)
            problems, cut_off = _verify(chosen, base_url)
    except SetupFailed as error:
        sys.stderr.write(f"{error}\n")
        return 2
    if problems:
        _say(f"{problems} problems.")
        return 1
    if cut_off:
        _say(f"The {BUDGET_S:.0f} seconds were over before {cut_off} scenarios ended; the others show no problem.")
        return 2
    _say("Every answer ended as an artifact, a retry or a clear failure.")
    return 0


def _own_model(stack: contextlib.ExitStack) -> str:
    began = time.monotonic()
    if install():
        _say(f"installed verify-env in {time.monotonic() - began:.0f} s")
    began = time.monotonic()
    base_url = stack.enter_context(model_server())
    _say(f"model ready in {time.monotonic() - began:.1f} s")
    return base_url


def _verify(scenarios: Sequence[Scenario], base_url: str) -> tuple[int, int]:
    """Run the scenarios, print a row for each as it ends; returns the problems, and how many did not end in time."""
    deadline = time.monotonic() + BUDGET_S
    codes: Counter[str] = Counter()
    problems = cut_off = 0
    _say(ROW.format("scenario", "chunks", "calls", "accepted", "again", "given up", "seconds", "end"))
    for scenario in scenarios:
        if time.monotonic() > deadline:
            cut_off += 1
            continue
        seen = witness(scenario, base_url, deadline)
        account = judge(seen)
        _say(_row(seen, account))
        for problem in account.problems:
            _say(f"    PROBLEM: {problem}")
        problems += len(account.problems)
        cut_off += seen.cut_off
        codes += account.ended
    _say("answers by code: " + ", ".join(f"{code} {count}" for code, count in codes.most_common()))
    return problems, cut_off


def _row(seen: Witnessed, account: Account) -> str:
    records = f", {seen.result.record_count} records" if seen.result is not None else ""
    return ROW.format(
        seen.scenario.name,
        account.accepted + account.given_up,
        len(seen.exchanges),
        account.accepted,
        account.again,
        account.given_up,
        f"{seen.seconds:.1f}",
        seen.end + records,
    )


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
