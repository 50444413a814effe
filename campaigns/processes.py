"""Processes of this machine: who holds a lease, who is dead, and how children are started and stopped."""

from __future__ import annotations

import ctypes
import hashlib
import logging
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

logger = logging.getLogger(__name__)

PR_SET_PDEATHSIG = 1
WATCH_S = 2.0
TELL_S = 1.0


@cache
def machine_mark() -> str:
    """Return 16 characters that are the same for all processes whose ids can be compared, and for no others.

    The host name alone is not enough: containers and cloned machines share names, and a process id means something
    only within one boot of one machine, inside one process namespace.
    """
    parts = [socket.gethostname()]
    try:
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii"))
        parts.append(str(Path("/proc/self/ns/pid").readlink()))
    except OSError:
        parts.append(str(uuid.getnode()))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def holder_name() -> str:
    """Return the name under which this process holds leases."""
    return f"{machine_mark()}:{os.getpid()}"


def local_pid(holder: str) -> int | None:
    """Return the holder's process id, or None where it belongs to another machine."""
    mark, _, pid = holder.partition(":")
    return int(pid) if mark == machine_mark() and pid.isdecimal() else None


def is_dead(holder: str) -> bool:
    """Return whether the holder certainly ended. One on another machine never is: its lease has to run out."""
    pid = local_pid(holder)
    if pid is None:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


def in_group(holder: str, group: int) -> bool:
    """Return whether the holder is a living process of this machine and of that process group."""
    pid = local_pid(holder)
    if pid is None:
        return False
    try:
        return os.getpgid(pid) == group
    except ProcessLookupError:
        return False


def start_child(
    arguments: Sequence[str],
    *,
    environ: Mapping[str, str] | None = None,
    keep: Sequence[int] = (),
    end_with_parent: bool = False,
) -> subprocess.Popen[bytes]:
    """Start a child in a session and group of its own, so that a Ctrl-C reaches only us; `keep` are open descriptors.

    With `end_with_parent` the child gets SIGTERM when we die without a word, where the kernel can do that.
    """
    return subprocess.Popen(  # noqa: S603 - the arguments are ours: this interpreter and our own commands
        list(arguments),
        env={**os.environ, **(environ or {})},
        pass_fds=tuple(keep),
        start_new_session=True,
        preexec_fn=_end_with_parent if end_with_parent and sys.platform == "linux" else None,
    )


def _end_with_parent() -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def kill_group(child: subprocess.Popen[bytes]) -> None:
    """End the child and everything in its group at once, and take its exit status."""
    with suppress(ProcessLookupError):  # everything in it may have ended by itself
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def stop_child(child: subprocess.Popen[bytes], *, grace_s: float) -> bool:
    """Ask the child to end, wait at most `grace_s`, then end its group. Returns whether it ended by itself.

    The signal goes to the child alone: a task cluster of which every process is signalled hangs (docs/adr).
    """
    child.terminate()
    try:
        child.wait(timeout=grace_s)
    except subprocess.TimeoutExpired:
        kill_group(child)
        return False
    kill_group(child)
    return True


def end_group_with(descriptor: int) -> None:
    """Watch, in a thread, the pipe whose other end our supervisor holds; kill our group when it or our parent is gone.

    A cluster whose supervisor, main process or sentinel was killed would go on as an orphan otherwise.
    """
    parent = os.getppid()
    threading.Thread(target=_watch, args=(descriptor, parent), name="orphan-watch", daemon=True).start()


def _watch(descriptor: int, parent: int) -> None:
    gone = "parent process"
    try:
        while os.getppid() == parent:
            readable, _, _ = select.select([descriptor], [], [], WATCH_S)
            if readable:  # nobody ever writes: readable means that the other end is closed
                gone = "supervisor"
                break
        # In a thread: a log that nobody reads any more may block, and the group has to end all the same.
        telling = threading.Thread(target=_tell_end, args=(gone,), daemon=True)
        telling.start()
        telling.join(TELL_S)
    finally:
        os.killpg(0, signal.SIGKILL)


def _tell_end(gone: str) -> None:
    logger.error("process %s: its %s is gone; ending the task cluster", os.getpid(), gone)


def port_is_free(host: str, port: int) -> bool:
    """Return whether a server could listen there now."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def sleep_until_signal(flag: threading.Event, seconds: float) -> None:
    """Wait for the flag that a signal handler sets, in slices: the handler runs only between two of them."""
    end = time.monotonic() + seconds
    while not flag.is_set() and (left := end - time.monotonic()) > 0:
        time.sleep(min(left, 0.1))
