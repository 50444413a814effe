"""Which process of a running task cluster is which, so that one of them can be killed."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

from tests.campaigns.supervisor.installation import Installation, children_of

WORKERS = 3
WORKER, MONITOR, PUSHER = "worker", "monitor", "pusher"
# As a sentinel starts them.
ROLES = (*[WORKER] * WORKERS, MONITOR, PUSHER)
READ = "0"


class Processes:
    """The supervisor of an installation and what it started. Linux only: /proc tells."""

    def __init__(self, place: Installation) -> None:
        self._place = place
        self.supervisor: subprocess.Popen[bytes] | None = None
        self._sentinel = 0
        self._roles: dict[int, str] = {}
        self._doomed: set[int] = set()

    def start(self) -> None:
        """Start a supervisor if none is alive, as systemd would."""
        if self.supervisor is None or self.supervisor.poll() is not None:
            self.supervisor = self._place.start("work")

    def main(self) -> int | None:
        return None if self.supervisor is None else next(iter(children_of(self.supervisor.pid)), None)

    def sentinel(self) -> int | None:
        main = self.main()
        return None if main is None else next(iter(children_of(main)), None)

    def doom(self) -> None:
        """Note that the cluster of now has lost its head: until that is noticed, its workers go on."""
        self._doomed.update(children_of(self.supervisor.pid) if self.supervisor is not None else ())

    def until_gone(self, patience_s: float) -> None:
        """Wait until nothing is left of clusters that lost their head, so that they take no part in the next run."""
        end = time.monotonic() + patience_s
        while any(_is_there(leader) for leader in self._doomed) and time.monotonic() < end:
            time.sleep(0.02)
        self._doomed.clear()

    def of(self, role: str) -> list[int]:
        """Return the processes with the role; none while the cluster is being started, or nobody can tell any more."""
        self._look()
        return sorted(pid for pid, known in self._roles.items() if known == role)

    def idle_worker(self, busy: set[int]) -> int | None:
        """Return a worker that waits for a task: the next in line where /proc tells, who holds the line's lock."""
        idle = [pid for pid in self.of(WORKER) if pid not in busy]
        return next((pid for pid in idle if _system_call(pid) == READ), idle[0] if idle else None)

    def _look(self) -> None:
        sentinel = self.sentinel()
        alive = [] if sentinel is None else sorted(children_of(sentinel))
        if sentinel is None or len(alive) != len(ROLES):
            return
        if sentinel != self._sentinel:
            self._sentinel, self._roles = sentinel, dict(zip(alive, ROLES, strict=True))
            return
        gone = [role for pid, role in self._roles.items() if pid not in alive]
        new = [pid for pid in alive if pid not in self._roles]
        known = {pid: role for pid, role in self._roles.items() if pid in alive}
        # A sentinel replaces like by like; with two different ones gone nobody can tell which is which.
        kinds = set(gone)
        self._roles = known | (dict.fromkeys(new, *kinds) if len(kinds) == 1 else {})


def kill(pid: int) -> None:
    if pid <= 0:
        return  # a whole group, or all of our own: never meant
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def _is_there(leader: int) -> bool:
    """Return whether any process of the group is alive, or dead and not seen by its parent yet."""
    try:
        os.killpg(leader, 0)
    except ProcessLookupError:
        return False
    return True


def kill_group(leader: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)


def _system_call(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/syscall").read_text(encoding="ascii").split()[0]
    except (OSError, IndexError):
        return ""
