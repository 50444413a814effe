"""Redis as the broker forgets what a killed cluster had taken; the sweep rings again. Skipped without a Redis."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from django.db import connection

from tests.campaigns.supervisor.installation import Installation, eventually
from tests.loopback import ScriptedServer, answer
from tests.soak import story

URL = "redis://127.0.0.1:6379/13"
WHERE = ("--campaign", "ferry", "--session", "1")


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
    (folder / "mine.toml").write_text(story.pipeline(story.FIRST, story.SECOND), encoding="utf-8")
    (folder / "campaign.toml").write_text('[campaign]\nslug = "ferry"\nname = "The Ferry"\n', encoding="utf-8")
    (folder / "session.json").write_bytes(story.transcript(story.CHUNKS))
    place.command("migrate", "-v0")
    place.command("load_campaign", str(folder / "campaign.toml"))
    place.command("import_transcript", str(folder / "session.json"), *WHERE)
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

    assert place.value("select count(*) from campaigns_artifactversion") == len(story.LANES)
    assert len({seen.body for seen in server.requests}) == story.calls(story.CHUNKS)
    assert server.calls - story.calls(story.CHUNKS) <= 2
    assert place.stop(supervisor) == 0
