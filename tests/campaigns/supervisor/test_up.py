"""`up` as `make run` calls it: everything starts, answers and stops without a trace."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.campaigns.supervisor.installation import CAMPAIGN, PATIENCE_S, ROOT, Installation, eventually

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")]


OF_EVENING = """select count(*) from campaigns_artifactversion version
 join campaigns_artifact artifact on artifact.id = version.artifact_id
 join campaigns_gamesession session on session.id = artifact.session_id
 where version.state = '{}' and session.number = {}"""
# A newcomer finds two evenings told and the third to review.
DECIDED = (("approved", 1), ("approved", 2), ("pending", 3), ("approved", 3))


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Installation]:
    place = Installation(tmp_path)
    yield place
    place.end()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def status(url: str) -> int:
    with urllib.request.urlopen(url, timeout=10) as response:  # noqa: S310 - our own server on loopback
        return int(response.status)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "sigterm"])
def test_up_serves_the_sample_campaign_and_stops_cleanly(place: Installation, number: int) -> None:
    port = free_port()
    up = place.start("up", "--port", str(port))
    eventually(lambda: b"http://" in place.log.read_bytes() or up.poll() is not None, "the address is printed")
    text = place.log.read_text(encoding="utf-8")
    eventually(lambda: _answers(port), "the web server answers")

    answered = status(f"http://127.0.0.1:{port}/admin/login/")
    lines = text.strip().splitlines()
    told = [at for at, line in enumerate(lines) if f"http://127.0.0.1:{port}/" in line]
    password = re.findall(r"^Sign in as admin with the password (\S+)", "\n".join(lines[told[0] + 1 :][:1]))
    pulse = "select count(*) from campaigns_workerpulse where name like 'cluster %'"
    eventually(lambda: place.value(pulse) == 1, "the worker takes tasks")
    up.send_signal(number)
    code = up.wait(timeout=PATIENCE_S)

    assert (answered, len(password), code) == (200, 1, 0)
    assert "lane ended" not in text
    assert place.processes() == {}
    assert {state for (state,) in place.rows("select state from campaigns_run")} == {"succeeded"}
    assert place.value("select count(*) from campaigns_run") == place.value("select count(*) from campaigns_transcript")
    assert [place.value(OF_EVENING.format(state, number)) for state, number in DECIDED] == [10, 10, 10, 0]


def test_up_with_taken_port_is_one_sentence(place: Installation) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        done = place.attempt("up", "--port", str(port))

    assert done.returncode == 1
    assert str(port) in done.stderr
    assert 'make run ARGS="--port' in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_make_run_hands_its_arguments_on() -> None:
    said = subprocess.run(
        ["make", "--no-print-directory", "--dry-run", "--old-file=.venv/run-ready", "run", "ARGS=--port 8001"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert said.stdout.splitlines()[-1].endswith("manage.py up --port 8001")


@pytest.fixture
def serving(place: Installation) -> tuple[Installation, subprocess.Popen[bytes]]:
    """An installation without the sample campaign, and `up` serving it."""
    port = free_port()
    (place.folder / "campaign.toml").write_text(CAMPAIGN, encoding="utf-8")
    place.commands(("migrate", "-v0"), ("load_campaign", str(place.folder / "campaign.toml")))
    up = place.start("up", "--port", str(port))
    eventually(lambda: _answers(port), "the web server answers")
    return place, up


def test_up_stops_everything_when_the_web_server_dies(serving: tuple[Installation, subprocess.Popen[bytes]]) -> None:
    place, up = serving
    leaders = [pid for pid, group in place.processes().items() if pid == group]
    web = next(pid for pid in leaders if b"gunicorn" in Path(f"/proc/{pid}/cmdline").read_bytes())

    os.killpg(web, signal.SIGKILL)

    assert up.wait(timeout=PATIENCE_S) == 1
    assert place.processes() == {}


def test_killed_up_leaves_nothing_running(serving: tuple[Installation, subprocess.Popen[bytes]]) -> None:
    place, up = serving

    up.kill()
    up.wait()
    eventually(lambda: place.processes() == {}, "web server and worker end")

    assert b"Stopped" not in place.log.read_bytes()


def _answers(port: int) -> bool:
    try:
        return status(f"http://127.0.0.1:{port}/admin/login/") == 200
    except OSError:
        return False
