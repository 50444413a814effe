"""Redis as the broker forgets what a killed cluster had taken; the sweep rings again. Skipped without a Redis."""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from django.db import connection

from tests.campaigns.supervisor.installation import WHERE, Installation, eventually
from tests.loopback import ScriptedServer, answer
from tests.soak import story

URL = "redis://127.0.0.1:6379/13"


def answers() -> bool:
    try:
        with redis.from_url(URL, socket_connect_timeout=1) as client:
            return bool(client.dbsize() == 0)
    except redis.RedisError:
        return False


pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
    pytest.mark.skipif(not answers(), reason="no Redis with an empty database 13 answers here"),
    pytest.mark.skipif(connection.vendor != "sqlite", reason="has a SQLite file of its own: once is enough"),
    pytest.mark.xdist_group("redis"),
]


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(responder=lambda request: answer(story.reply(request)), latency=0.25) as server:
        yield server


@pytest.fixture
def place(tmp_path: Path, server: ScriptedServer) -> Iterator[Installation]:
    folder = tmp_path / "data"
    folder.mkdir()
    place = Installation(
        folder,
        NOTARIUS_BROKER="redis",
        REDIS_URL=URL,
        NOTARIUS_LLM_BASE_URL=server.base_url,
        NOTARIUS_LLM_MODEL="test-model",
        NOTARIUS_LLM_CHUNK_UNITS=str(story.CHUNK_UNITS),
        NOTARIUS_LLM_CONCURRENCY="2",
    )
    place.settle(story.transcript(story.CHUNKS), story.pipeline(*story.steps()))
    yield place
    place.end()
    with redis.from_url(URL) as client:
        client.flushdb()


def test_lanes_that_redis_lost_with_the_cluster_are_rung_for_again(place: Installation, server: ScriptedServer) -> None:
    supervisor = place.start("work")
    place.command("run_pipeline", *WHERE, "--pipeline", str(place.folder / "mine.toml"))
    eventually(lambda: server.calls >= story.CHUNKS // 2, "some calls")
    cluster = place.cluster(supervisor)
    assert cluster is not None

    os.killpg(cluster, signal.SIGKILL)
    with redis.from_url(URL) as client:
        client.flushdb()  # and the doorbells that no cluster had taken yet
    eventually(lambda: place.value("select state from campaigns_run") == "succeeded", "the run ends")

    assert place.value("select count(*) from campaigns_artifactversion") == len(story.lanes())
    assert len({seen.body for seen in server.requests}) == story.calls(story.CHUNKS)
    assert server.calls - story.calls(story.CHUNKS) <= 2
    assert place.stop(supervisor) == 0


def test_supervisor_outlives_a_redis_that_is_away(tmp_path: Path) -> None:
    """It says so, and goes on sweeping until Redis is back; a service manager would kill busy workers with it."""
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        url = f"redis://127.0.0.1:{nobody.getsockname()[1]}/0"
        place = Installation(tmp_path, NOTARIUS_BROKER="redis", REDIS_URL=url)
        place.command("migrate", "-v0")
        supervisor = place.start("work")
        told = "supervisor: the broker failed with ConnectionError"
        eventually(lambda: place.log.read_text(encoding="utf-8").count(told) >= 2, "it fails twice")

        assert supervisor.poll() is None
        assert place.stop(supervisor) == 0
        place.end()
