"""Some of a soak's runs, one after the other on one installation: `python -m tests.soak.batch '<Batch as JSON>'`.

Prints a JSON object a run.
"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TypeVar

import django

from tests.campaigns.supervisor.installation import Installation
from tests.soak import faults, story
from tests.soak.clock import Clock
from tests.soak.cluster import WORKERS, Processes, kill
from tests.soak.disk import SmallDisk
from tests.soak.faults import Stage
from tests.soak.model import Model
from tests.soak.postgres import Postgres

CONCURRENCY, TRIES, TIMEOUT_S, CANARY_S = 4, 8, 6, 5
PATIENCE_S = 240.0
LOOK_S = 0.03
DISK_MB = 160
OTHERS = 20
RESTARTED = b"starting it anew"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Batch:
    """`numbers` are the runs of this batch out of all of the soak: the dice of each depend on seed and number alone.

    `chunks` is the size of the story, `faults` how many are done to a run of which `only` is given, and a `wide` run
    has nine lanes.
    """

    seed: int
    numbers: tuple[int, ...]
    database: str
    only: str | None = None
    short: bool = False
    chunks: int = story.CHUNKS
    faults: int = 1
    wide: bool = False


@dataclass(slots=True)
class Outcome:
    """What one run came to; `failures` is empty where every promise was kept."""

    number: int
    database: str
    faults: list[str] = field(default_factory=list)
    calls: int = 0
    repeated: int = 0
    allowed: int = 0
    claims: int = 0
    seconds: float = 0.0
    failures: list[str] = field(default_factory=list)


class Soak:
    def __init__(self, batch: Batch, stack: ExitStack) -> None:
        self.batch = batch
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="soak-", ignore_cleanup_errors=True)))
        folder.chmod(0o711)  # the server's own user has to pass
        self.model = Model()
        base_url = stack.enter_context(self.model.serving())
        disk = SmallDisk(folder / "disk", DISK_MB) if SmallDisk.available() else None
        if disk is not None:
            stack.callback(disk.end)
        rows = folder / "rows" if disk is None else disk.folder / "rows"
        rows.mkdir()
        clock = Clock(folder) if Clock.available() else None
        settings = {
            "NOTARIUS_LLM_BASE_URL": base_url,
            "NOTARIUS_LLM_MODEL": "soak",
            "NOTARIUS_LLM_CHUNK_UNITS": str(story.CHUNK_UNITS),
            "NOTARIUS_LLM_CONCURRENCY": str(CONCURRENCY),
            "NOTARIUS_LLM_TIMEOUT": str(TIMEOUT_S),
            "NOTARIUS_LLM_TRIES": str(TRIES),
            "NOTARIUS_WORKERS": str(WORKERS),
            "NOTARIUS_CANARY_SECONDS": str(CANARY_S),
        }
        self.postgres: Postgres | None = None
        if batch.database == "postgres":
            self.postgres = Postgres(rows)
            stack.callback(self.postgres.end)
            settings |= {"DATABASE_URL": self.postgres.url(), "NOTARIUS_SECRET_KEY": "only-for-the-soak"}
        # The log stands beside the disk that is filled up.
        self.place = Installation(rows, log=folder / "log", **settings, **(clock.environ if clock else {}))
        stack.callback(self.place.end)
        self.processes = Processes(self.place)
        self.stage = Stage(
            self.place,
            self.processes,
            self.model,
            self.busy,
            random.Random(),  # noqa: S311 - no secret
            self.postgres,
            clock,
            disk,
        )
        self._prepare(settings, rows)
        self.calls = story.calls(batch.chunks, wide=batch.wide)
        self.reference: dict[str, str] = {}
        self.checkpoints = 0

    def _prepare(self, settings: dict[str, str], rows: Path) -> None:
        """Make this process one of the installation's own, with its database and no other that may be set."""
        os.environ.pop("DATABASE_URL", None)
        os.environ.update(settings, NOTARIUS_DATA_DIR=str(rows), DJANGO_SETTINGS_MODULE="notarius_site.settings")
        django.setup()
        from django.core.management import call_command

        from tests.soak import audit

        call_command("migrate", verbosity=0)
        audit.install()

    def busy(self) -> set[int]:
        """Return the processes that hold a lane."""
        from campaigns.models import LaneRun
        from campaigns.processes import local_pid

        rows = LaneRun.objects.filter(state="running").values_list("holder", flat=True)
        found = self.ask(lambda: list(rows.all()), patience_s=0.0) or []
        return {pid for holder in found if (pid := local_pid(holder)) is not None}

    def ask(self, question: Callable[[], T], patience_s: float = PATIENCE_S) -> T | None:
        """Return the database's answer, asked again while it is away; None where it never came back."""
        from django import db

        end = time.monotonic() + patience_s
        while True:
            try:
                return question()
            except db.Error:
                db.connections.close_all()
                if time.monotonic() >= end:
                    return None
                time.sleep(LOOK_S)

    def learn(self) -> None:
        """Do one run undisturbed: what every other has to come to."""
        from tests.soak import checks

        with self._run(poisoned=False) as run:
            self._until_ended(run, lambda: None)
            self.reference = checks.digests(run)
            self.checkpoints = len(checks.kept(run))
        if sorted(self.reference) != story.lanes(wide=self.batch.wide) or self.model.calls != self.calls:
            raise SystemExit(f"the undisturbed run gave {sorted(self.reference)} after {self.model.calls} calls")

    def disturbed(self, number: int) -> Outcome:
        """Do one run with its faults and judge it."""
        self.stage.dice = random.Random(f"{self.batch.seed}:{number}")  # noqa: S311 - no secret
        outcome = Outcome(number, self.batch.database)
        chosen = self._choose(number)
        due = sorted((self.stage.dice.randrange(1, self.calls - 4), name) for name in chosen)
        if faults.POISON in chosen:
            due = [(0, faults.POISON)]
        restarts = self._restarts()
        began = time.monotonic()
        with self._run(poisoned=faults.POISON in chosen) as run:
            seen: dict[str, bytes] = {}
            self._until_ended(run, lambda: self._disturb(due, outcome, run, seen))
            outcome.seconds = round(time.monotonic() - began, 1)
            self._judge(run, outcome, seen, self._restarts() - restarts)
        return outcome

    def _choose(self, number: int) -> list[str]:
        """Return the run's faults: each kind in its turn, and often a second one beside it."""
        possible = faults.possible(self.stage, short=self.batch.short)
        if self.batch.only is not None:
            return [self.batch.only] * self.batch.faults
        turn = self.batch.numbers.index(number) + 7 * self.batch.numbers[0]
        first = possible[turn % len(possible)]
        second = self.stage.dice.choice([name for name in possible if name not in (first, faults.POISON)])
        return [first] if first == faults.POISON or self.stage.dice.random() < 0.4 else [first, second]

    def _disturb(self, due: list[tuple[int, str]], outcome: Outcome, run: object, seen: dict[str, bytes]) -> None:
        from tests.soak import checks

        while due and self.model.calls >= due[0][0]:
            name = due.pop(0)[1]
            if faults.ALL[name](self.stage):
                outcome.faults.append(name)
        if self.model.poison_asked.is_set():
            self.model.poison_asked.clear()
            holder = self.ask(lambda: checks.poisoned_holder(run), patience_s=0.0) or ""
            kill(int(holder.partition(":")[2] or 0))
        kept = self.ask(lambda: checks.kept(run), patience_s=0.0)
        seen.update(kept or {})

    def _judge(self, run: object, outcome: Outcome, seen: dict[str, bytes], restarts: int) -> None:
        from tests.soak import checks

        poisoned = faults.POISON in outcome.faults
        outcome.claims = self.ask(lambda: checks.claims(run)) or 0
        kills = sum(name in faults.KILLS for name in outcome.faults) + restarts + 3 * poisoned
        if faults.DISK_FULL in outcome.faults:
            # It refuses one lane after the other, each at its next write: the seats that the first gave up may be
            # those of the second by then.
            kills += max(0, outcome.claims - 1)
        outcome.calls, outcome.repeated = self.model.calls, self.model.repeated()
        # A call that the worker gave up waiting for, on a busy machine, is asked again as well.
        given_up = (self.ask(lambda: checks.timeouts(run)) or 0) - self.model.faulty["hangs"]
        outcome.allowed = CONCURRENCY * kills + max(0, given_up)
        judged = checks.Judged(
            reference=self.reference,
            seen=seen,
            checkpoints=self.checkpoints,
            poisoned=poisoned,
            backends_change={"PostgreSQL", faults.DISK_FULL} & set(outcome.faults) != set(),
        )
        failures = self.ask(lambda: checks.failures(run, judged))
        outcome.failures += ["the database never came back"] if failures is None else failures
        if outcome.repeated > outcome.allowed:
            whose = self.model.repeated_by_lane()
            outcome.failures.append(f"{outcome.repeated} calls repeated, {outcome.allowed} allowed: {whose}")

    def _restarts(self) -> int:
        return self.place.log.read_bytes().count(RESTARTED) if self.place.log.exists() else 0

    @contextmanager
    def _run(self, *, poisoned: bool) -> Iterator[object]:
        from tests.soak import checks

        self.model.begin(poisoned=poisoned)
        run = self.ask(lambda: checks.start(OTHERS if poisoned else 0, self.batch.chunks, wide=self.batch.wide))
        self.processes.start()
        try:
            yield run
        finally:
            self.model.release()
            self.ask(checks.forget_campaigns)
            end = time.monotonic() + PATIENCE_S
            while self.model.in_flight and time.monotonic() < end:
                time.sleep(LOOK_S)
            self.processes.until_gone(PATIENCE_S)

    def _until_ended(self, run: object, meanwhile: Callable[[], None]) -> None:
        from tests.soak import checks

        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            self.processes.start()
            meanwhile()
            if self.ask(lambda: checks.all_ended(), patience_s=0.0):
                return
            time.sleep(LOOK_S)


def main() -> None:
    batch = Batch(**json.loads(sys.argv[1]))
    with ExitStack() as stack:
        soak = Soak(batch, stack)
        soak.learn()
        for number in batch.numbers:
            outcome = soak.disturbed(number)
            sys.stdout.write(json.dumps(asdict(outcome)) + "\n")
            sys.stdout.flush()
            if outcome.failures:
                sys.stderr.write(soak.place.log.read_text(encoding="utf-8", errors="replace")[-6000:])


if __name__ == "__main__":
    main()
