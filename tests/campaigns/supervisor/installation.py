"""An installation of its own in a temporary folder: real commands, real processes, a SQLite file or DATABASE_URL."""

from __future__ import annotations

import ctypes
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import psycopg

from campaigns.processes import PR_SET_PDEATHSIG

ROOT = Path(__file__).resolve().parents[3]
PATIENCE_S = 90.0
CAMPAIGN = '[campaign]\nslug = "ferry"\nname = "The Ferry"\n'
WHERE = ("--campaign", "ferry", "--session", "1")


def eventually(condition: Callable[[], object], what: str) -> None:
    """Wait until the condition holds; AssertionError names it when it does not within the patience."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, f"not within {PATIENCE_S} s: {what}"
        time.sleep(0.1)


class Installation:
    """`prefix` stands before every command that goes on: `ip netns exec NAME`, say."""

    def __init__(self, folder: Path, *, log: Path | None = None, prefix: Sequence[str] = (), **settings: str) -> None:
        self.folder, self.prefix = folder, tuple(prefix)
        self.log = log or folder / "log"
        clean = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("NOTARIUS_", "DATABASE_", "COVERAGE_", "COV_CORE"))
        }
        self.environ = clean | {"NOTARIUS_DATA_DIR": str(folder), "NOTARIUS_CANARY_SECONDS": "2"} | settings
        self._children: list[subprocess.Popen[bytes]] = []

    def command(self, *arguments: str) -> str:
        """Run a command to its end and return what it printed; it must succeed."""
        done = self.attempt(*arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def commands(self, *each: Sequence[str]) -> None:
        """Run commands one after the other in one process; all must succeed."""
        lines = [f"call_command(*{list(arguments)!r})" for arguments in each]
        self.command("shell", "-v0", "-c", "\n".join(["from django.core.management import call_command", *lines]))

    def settle(self, transcript: bytes, pipeline: str = "") -> None:
        """Make the database, in it a campaign with one session, and `mine.toml` if a pipeline is given."""
        campaign, session = self.folder / "campaign.toml", self.folder / "session.json"
        campaign.write_text(CAMPAIGN, encoding="utf-8")
        session.write_bytes(transcript)
        if pipeline:
            (self.folder / "mine.toml").write_text(pipeline, encoding="utf-8")
        imported = ("import_transcript", str(session), *WHERE)
        self.commands(("migrate", "-v0"), ("load_campaign", str(campaign)), imported)

    def attempt(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environ,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start a command that goes on, in a session of its own; `end` ends whatever is left.

        It is killed when we are: what it started watches it and ends by itself.
        """
        with self.log.open("ab") as log:
            child = subprocess.Popen(
                [*self.prefix, sys.executable, "manage.py", *arguments],
                cwd=ROOT,
                env=self.environ,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=_end_with_parent if sys.platform == "linux" else None,
            )
        self._children.append(child)
        return child

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        if "DATABASE_URL" in self.environ:
            with psycopg.connect(self.environ["DATABASE_URL"]) as server:
                return server.execute(sql).fetchall()
        with closing(sqlite3.connect(self.folder / "notarius.sqlite3", timeout=20)) as database:
            return database.execute(sql).fetchall()

    def value(self, sql: str) -> Any:
        return self.rows(sql)[0][0]

    def lane_state(self) -> str:
        return str(self.value("select state from campaigns_lanerun order by id desc limit 1"))

    def processes(self) -> dict[int, int]:
        """Return the living processes of this installation with their groups, found by their environment."""
        mark = f"NOTARIUS_DATA_DIR={self.folder}\0".encode()
        found = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdecimal():
                with suppress(OSError):
                    alive = (entry / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
                    if alive and mark in (entry / "environ").read_bytes() + b"\0":
                        found[int(entry.name)] = os.getpgid(int(entry.name))
        return found

    def cluster(self, supervisor: subprocess.Popen[bytes]) -> int | None:
        """Return the main process of the supervisor's task cluster, None while there is none."""
        children = children_of(supervisor.pid)
        return children[0] if children else None

    def workers(self, cluster: int) -> list[int]:
        """Return the cluster's two workers, which its sentinel starts before anything else; none before all run."""
        sentinels = children_of(cluster)
        started = children_of(sentinels[0]) if sentinels else []
        return sorted(started)[:2] if len(started) >= 4 else []

    def monitor(self, cluster: int) -> int:
        """Return the process that acknowledges tasks, which a new cluster's sentinel starts behind the two workers."""
        return sorted(children_of(children_of(cluster)[0]))[2]

    def stop(self, child: subprocess.Popen[bytes]) -> int:
        child.send_signal(signal.SIGTERM)
        return child.wait(timeout=PATIENCE_S)

    def end(self) -> None:
        for pid in self.processes():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for child in self._children:
            child.wait()


def _end_with_parent() -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def children_of(pid: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()]
    except OSError:
        return []
