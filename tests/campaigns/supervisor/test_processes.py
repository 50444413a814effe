from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

from campaigns import processes

SLEEP = (sys.executable, "-c", "import time; print('up', flush=True); time.sleep(600)")
DEAF = (
    sys.executable,
    "-c",
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); open({!r}, 'w').close(); time.sleep(600)",
)


def ended_process() -> int:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


def test_holder_of_this_process_is_alive() -> None:
    assert processes.local_pid(processes.holder_name()) == os.getpid()
    assert not processes.is_dead(processes.holder_name())


def test_holder_that_ended_is_dead() -> None:
    assert processes.is_dead(f"{processes.machine_mark()}:{ended_process()}")


@pytest.mark.parametrize("holder", ["", "elsewhere:1", "0123456789abcdef:4194304", "no-colon"])
def test_holder_elsewhere_is_never_dead(holder: str) -> None:
    assert processes.local_pid(holder) is None
    assert not processes.is_dead(holder)


def test_holder_of_another_user_is_alive() -> None:
    assert not processes.is_dead(f"{processes.machine_mark()}:1")


def test_in_group_tells_our_children_from_others() -> None:
    child = processes.start_child(SLEEP)
    try:
        holder = f"{processes.machine_mark()}:{child.pid}"

        assert processes.in_group(holder, child.pid)
        assert not processes.in_group(processes.holder_name(), child.pid)
        assert not processes.in_group("elsewhere:1", child.pid)
    finally:
        processes.kill_group(child)
    assert not processes.in_group(holder, child.pid)


def test_stop_child_that_obeys_returns_at_once() -> None:
    child = processes.start_child(SLEEP)

    assert processes.stop_child(child, grace_s=30)
    assert child.returncode == -signal.SIGTERM


def test_stop_child_that_is_deaf_kills_it(tmp_path_factory: pytest.TempPathFactory) -> None:
    ready = tmp_path_factory.mktemp("deaf") / "ready"
    child = processes.start_child([part.format(str(ready)) for part in DEAF])
    while not ready.exists():
        time.sleep(0.02)

    assert not processes.stop_child(child, grace_s=0.2)
    assert child.returncode == -signal.SIGKILL


def test_child_started_to_end_with_us_still_starts() -> None:
    child = processes.start_child(SLEEP, end_with_parent=True)

    assert processes.stop_child(child, grace_s=30)


def test_group_ends_when_the_pipe_of_its_supervisor_closes() -> None:
    reading, writing = os.pipe()
    watched = f"import time; from campaigns.processes import end_group_with; end_group_with({reading}); time.sleep(600)"
    child = processes.start_child((sys.executable, "-c", watched), keep=[reading])
    os.close(reading)
    still_there = child.poll() is None
    os.close(writing)

    assert child.wait(timeout=60) == -signal.SIGKILL
    assert still_there


WATCHED = """import time
from campaigns.processes import end_group_with
end_group_with({pipe})
print("up", flush=True)
time.sleep(600)"""
PARENT = """import os, subprocess, sys
child = subprocess.Popen((sys.executable, "-c", {watched!r}), pass_fds=[{pipe}], stdout=subprocess.PIPE)
child.stdout.readline()
os.kill(os.getpid(), 9) if {ended!r} == "parent process" else child.wait()"""


@pytest.mark.parametrize("ended", ["supervisor", "parent process"])
def test_group_that_ends_itself_says_why(ended: str) -> None:
    reading, writing = os.pipe()
    parent = subprocess.Popen(
        (sys.executable, "-c", PARENT.format(watched=WATCHED.format(pipe=reading), pipe=reading, ended=ended)),
        pass_fds=[reading],
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    os.close(reading)
    if ended == "supervisor":
        os.close(writing)
    _, said = parent.communicate(timeout=60)  # to its end, which is when all of the group are gone
    if ended == "parent process":
        os.close(writing)

    assert f"its {ended} is gone; ending the task cluster" in said.decode()


def test_port_is_free_until_somebody_listens() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        taken.listen()
        while_taken = processes.port_is_free("127.0.0.1", port)

    assert not while_taken
    assert processes.port_is_free("127.0.0.1", port)


def test_sleep_until_signal_ends_with_the_flag() -> None:
    flag = threading.Event()
    threading.Timer(0.05, flag.set).start()

    processes.sleep_until_signal(flag, 600)

    assert flag.is_set()
