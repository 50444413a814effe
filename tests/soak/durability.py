"""Kills under four writers, and whether every version that was acknowledged is there, whole.

    python -m tests.soak.durability --kills 100 --database postgres

Each writer claims lanes and publishes versions, and says so only once the call has returned. Again and again a writer
is killed, or PostgreSQL stopped without a checkpoint and started. With SQLite the writers are the database.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import os
import random
import signal
import sys
import tempfile
import time
from contextlib import ExitStack
from itertools import count
from pathlib import Path

import django

from tests.soak.postgres import Postgres

WRITERS = 4
KNOCK_S, PATIENCE_S = 0.1, 60.0


class Writer:
    """A forked process that publishes versions of its own session and writes each digest into a pipe."""

    def __init__(self, number: int) -> None:
        self.number, self.rest = number, b""
        self.reading, writing = os.pipe()
        os.set_blocking(self.reading, False)
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.reading)
            _write_for_ever(number, writing)
        os.close(writing)

    def read(self) -> list[str]:
        """Return the digests that were acknowledged since the last time, whole lines only."""
        try:
            while piece := os.read(self.reading, 65_536):
                self.rest += piece
        except BlockingIOError:
            pass
        *lines, self.rest = self.rest.split(b"\n")
        return [line.decode() for line in lines]

    def kill(self) -> list[str]:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        last = self.read()
        os.close(self.reading)
        return last


def _write_for_ever(number: int, pipe: int) -> None:
    from django import db

    for turn in count(time.time_ns()):
        try:
            digest = _publish(number, turn)
        except db.Error:
            db.connections.close_all()
            time.sleep(KNOCK_S)
            continue
        os.write(pipe, f"{digest}\n".encode())


def _publish(number: int, turn: int) -> str:
    """Do what a worker does at the end of a lane, and return the digest of the version."""
    from django.utils import timezone

    from campaigns.actions import leases, plans, runs
    from campaigns.actions.plans import PlannedLane
    from campaigns.models import GameSession, LaneRun, Run
    from tests.factories import make_result

    session = GameSession.objects.get(number=number)
    transcript = session.transcripts.get()
    plan = plans.to_json([PlannedLane("dnd/npcs", 0, "default")])
    run = Run.objects.create(session=session, transcript=transcript, pipeline="writer", plan=plan)
    lane = LaneRun.objects.create(run=run, key="dnd/npcs", step=0, state=LaneRun.State.QUEUED)
    token = leases.claim(lane_id=lane.pk, at=timezone.now()) or ""
    result = make_result(transcript, {f"Warden {turn}": ((7, 7),)})
    return runs.finish(lane_id=lane.pk, token=token, result=result).digest


def failures(acknowledged: list[str]) -> list[str]:
    """Return what was lost or is there by half."""
    from campaigns.models import ArtifactVersion, LaneRun, Run

    stored = dict(ArtifactVersion.objects.values_list("digest", "payload"))
    found = [f"{digest} was acknowledged and is lost" for digest in acknowledged if digest not in stored]
    halves = (digest for digest, text in stored.items() if hashlib.sha256(text.encode()).hexdigest() != digest)
    found += [f"{digest} is not whole" for digest in halves]
    # One transaction ends the lane, publishes, notes it in the run's plan and ends the run.
    for lane in LaneRun.objects.select_related("run").all():
        made = lane.versions.values_list("pk", flat=True).first()
        noted = lane.run.plan.get("outputs", {}).get(lane.key)
        if (lane.state == LaneRun.State.SUCCEEDED) != (made is not None):
            found.append(f"lane {lane.pk} is {lane.state}, and its version is {made}")
        if made != noted or (lane.run.state == Run.State.SUCCEEDED) != (made is not None):
            found.append(f"run {lane.run_id} is {lane.run.state} with version {noted} instead of {made}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--database", choices=("sqlite", "postgres"), default="sqlite")
    args = parser.parse_args()
    dice = random.Random(args.seed)  # noqa: S311 - no secret
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kills-", ignore_cleanup_errors=True)))
        folder.chmod(0o711)
        rows = folder / "rows"
        rows.mkdir()
        os.environ.pop("DATABASE_URL", None)  # of the machine, which is not to be written to
        os.environ.update(NOTARIUS_DATA_DIR=str(rows), DJANGO_SETTINGS_MODULE="notarius_site.settings")
        postgres = None
        if args.database == "postgres":
            postgres = Postgres(rows)
            stack.callback(postgres.end)
            os.environ.update(DATABASE_URL=postgres.url(), NOTARIUS_SECRET_KEY="only-for-the-soak")
        _prepare()
        acknowledged, stops = _kill(args.kills, dice, postgres)
        found = failures(acknowledged)
    killed = f"{args.kills - stops} writers killed, PostgreSQL stopped {stops} times"
    kept = f"{len(acknowledged)} versions acknowledged, {len(found)} lost or half there"
    sys.stdout.write(f"{args.database}: {killed} under {WRITERS} writers; {kept}\n")
    for line in found[:20]:
        sys.stdout.write(f"{line}\n")
    return int(bool(found))


def _prepare() -> None:
    django.setup()
    from django import db
    from django.core.management import call_command

    from tests.factories import make_campaign, make_session, make_transcript

    call_command("migrate", verbosity=0)
    campaign = make_campaign("writers")
    for number in range(1, WRITERS + 1):
        make_transcript(make_session(campaign, number))
    importlib.import_module("campaigns.actions.work")  # all that a writer needs, before they are forked
    db.connections.close_all()  # none may be shared with what is forked


def _next_acknowledged(writers: list[Writer]) -> list[str]:
    """Wait until somebody has published again, so that every kill comes among writes."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        if digests := [digest for writer in writers for digest in writer.read()]:
            return digests
        time.sleep(0.01)
    return []


def _kill(kills: int, dice: random.Random, postgres: Postgres | None) -> tuple[list[str], int]:
    """Return the digests that were acknowledged, and how often the server was stopped."""
    acknowledged: list[str] = []
    stops = 0
    writers = [Writer(number) for number in range(1, WRITERS + 1)]
    for turn in range(kills):
        acknowledged += _next_acknowledged(writers)
        time.sleep(dice.uniform(0.0, 0.3))
        if postgres is not None and turn % 2:
            postgres.crash()
            postgres.start()
            stops += 1
        else:
            at = dice.randrange(WRITERS)
            acknowledged += writers[at].kill()
            writers[at] = Writer(at + 1)
        for writer in writers:
            acknowledged += writer.read()
    time.sleep(1.0)
    for writer in writers:
        acknowledged += writer.kill()
    return acknowledged, stops


if __name__ == "__main__":
    sys.exit(main())
