"""Real processes that really die. Linux only: the tests find processes in /proc."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection

from tests.campaigns.supervisor.installation import WHERE, Installation, children_of, eventually
from tests.loopback import ScriptedServer, answer
from tests.soak import story

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
    pytest.mark.skipif(connection.vendor != "sqlite", reason="has a SQLite file of its own: once is enough"),
]

CALLS, CONCURRENCY = 40, 4


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(answer({"npcs": []}), latency=0.25) as server:
        yield server


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with one session of forty chunks, for the tests to copy."""
    folder = tmp_path_factory.mktemp("prepared")
    Installation(folder).settle(story.transcript(CALLS))
    return folder


@pytest.fixture
def place(tmp_path: Path, prepared: Path, server: ScriptedServer) -> Iterator[Installation]:
    """The session makes forty calls, four at a time."""
    place = Installation(
        Path(shutil.copytree(prepared, tmp_path / "data")),
        NOTARIUS_LLM_BASE_URL=server.base_url,
        NOTARIUS_LLM_MODEL="test-model",
        NOTARIUS_LLM_CHUNK_UNITS=str(story.CHUNK_UNITS),
        NOTARIUS_LLM_CONCURRENCY=str(CONCURRENCY),
    )
    yield place
    place.end()


def start_run(place: Installation) -> None:
    place.command("run_pipeline", *WHERE, "--pipeline", "npcs-only")


def repeated(server: ScriptedServer) -> int:
    """Return how many calls were made more than once, counting each repetition."""
    return sum(times - 1 for times in Counter(seen.body for seen in server.requests).values())


def assert_finished_once(place: Installation, server: ScriptedServer) -> None:
    distinct = {seen.body for seen in server.requests}

    assert len(distinct) == CALLS
    assert repeated(server) <= CONCURRENCY
    assert server.peak_in_flight <= 2 * CONCURRENCY
    assert place.value("select count(*) from campaigns_artifactversion") == 1
    assert place.value("select attempts from campaigns_lanerun") == 2


def test_killed_worker_costs_only_the_calls_in_flight(place: Installation, server: ScriptedServer) -> None:
    supervisor = place.start("work")
    start_run(place)
    eventually(lambda: server.calls >= CALLS // 2, "half of the calls")
    worker = int(place.value("select holder from campaigns_lanerun").partition(":")[2])

    os.kill(worker, signal.SIGKILL)
    eventually(lambda: place.lane_state() == "succeeded", "the lane finishes")

    assert_finished_once(place, server)
    assert place.stop(supervisor) == 0
    assert place.processes() == {}


def test_killed_supervisor_takes_its_cluster_along_and_the_next_resumes(
    place: Installation, server: ScriptedServer
) -> None:
    supervisor = place.start("work")
    start_run(place)
    eventually(lambda: server.calls >= CALLS // 2, "half of the calls")

    supervisor.kill()
    supervisor.wait()
    eventually(lambda: place.processes() == {}, "no orphan is left")
    supervisor = place.start("work")
    eventually(lambda: place.lane_state() == "succeeded", "the lane finishes")

    assert_finished_once(place, server)
    assert place.stop(supervisor) == 0


def test_stopped_worker_gives_its_lane_back_without_counting_the_attempt(
    place: Installation, server: ScriptedServer
) -> None:
    server._latency = 2.0
    supervisor = place.start("work")
    start_run(place)
    eventually(lambda: server.calls >= 2, "the first calls")

    assert place.stop(supervisor) == 0
    assert place.processes() == {}
    assert place.rows("select state, attempts, token from campaigns_lanerun") == [("queued", 0, "")]


def test_hanging_cluster_is_started_anew(place: Installation, server: ScriptedServer) -> None:
    """Killing idle workers leaves the lock of the task line taken for ever, though every process looks healthy."""
    supervisor = place.start("work")
    pulse = "select count(*) from campaigns_workerpulse where name like 'cluster %'"
    eventually(lambda: place.value(pulse) == 1, "the first canary")
    first = place.cluster(supervisor)
    assert first is not None
    workers = place.workers(first)
    assert len(workers) == 2

    for worker in workers:
        os.kill(worker, signal.SIGKILL)
    eventually(lambda: place.cluster(supervisor) not in (None, first), "a new cluster")
    start_run(place)
    eventually(lambda: place.lane_state() == "succeeded", "a lane in the new cluster")

    assert first not in place.processes()
    assert place.stop(supervisor) == 0


def test_cluster_whose_monitor_died_is_started_anew(place: Installation, server: ScriptedServer) -> None:
    """A new monitor waits for ever for the line of results that the killed one had locked: nothing is acknowledged."""
    supervisor = place.start("work")
    pulse = "select count(*) from campaigns_workerpulse where name like 'cluster %'"
    eventually(lambda: place.value(pulse) == 1, "the first canary")
    first = place.cluster(supervisor)
    assert first is not None

    os.kill(place.monitor(first), signal.SIGKILL)
    eventually(lambda: place.cluster(supervisor) not in (None, first), "a new cluster")
    start_run(place)
    eventually(lambda: place.lane_state() == "succeeded", "a lane in the new cluster")

    assert first not in place.processes()
    assert place.value("select attempts from campaigns_lanerun") == 1
    assert place.stop(supervisor) == 0


@pytest.mark.parametrize("which", ["main", "sentinel"])
def test_cluster_without_a_head_leaves_no_orphans_and_is_started_anew(place: Installation, which: str) -> None:
    supervisor = place.start("work")
    eventually(lambda: place.cluster(supervisor) and place.workers(place.cluster(supervisor) or 0), "a cluster")
    first = place.cluster(supervisor)
    assert first is not None

    os.kill(first if which == "main" else children_of(first)[0], signal.SIGKILL)
    eventually(lambda: place.cluster(supervisor) not in (None, first), "a new cluster")

    assert first not in place.processes().values()
    assert place.stop(supervisor) == 0


def test_wait_follows_a_run_that_a_worker_does(place: Installation, server: ScriptedServer) -> None:
    server._latency = 0.0
    supervisor = place.start("work")

    printed = place.command("run_pipeline", *WHERE, "--pipeline", "npcs-only", "--wait")

    assert f"calls: {CALLS}." in printed
    assert place.stop(supervisor) == 0


def test_a_workers_log_tells_of_its_lane_as_json(place: Installation, server: ScriptedServer) -> None:
    server._latency = 0.0
    place.environ["NOTARIUS_LOG_FORMAT"] = "json"
    supervisor = place.start("work")
    start_run(place)
    eventually(lambda: place.lane_state() == "succeeded", "the lane finishes")
    assert place.stop(supervisor) == 0
    lines = [json.loads(line) for line in place.log.read_text(encoding="utf-8").splitlines()]
    run, lane = place.rows("select run_id, id from campaigns_lanerun")[0]
    told = {line["message"].partition(" seconds")[0]: line for line in lines if line.get("run") == run}

    assert told["lane claimed: key=dnd/npcs attempt=1"]["lane"] == lane
    [ended] = [line for said, line in told.items() if said.startswith("lane ended: key=dnd/npcs outcome=succeeded")]
    assert f" calls={CALLS} " in ended["message"]
    assert ended["lane"] == lane
