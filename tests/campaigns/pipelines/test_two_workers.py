"""The lanes of a step in two real worker processes. Linux only, as all tests that find processes in /proc."""

from __future__ import annotations

import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.campaigns.supervisor.installation import PATIENCE_S, WHERE, Installation, eventually
from tests.loopback import Reply, RequestJson, ScriptedServer, answer
from tests.soak import story

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")]

CHUNKS = 20
FIRST, SECOND = ("npcs", "items", "locations"), ("spells", "combat-turns", "enemy-events")
RECORDS = {"combat_turns": "turns", "enemy_events": "events"}


class Meeting:
    """Answers the first call of each step only once a call of another lane of that step has come as well.

    All others at once: a lane that holds every seat of the profile lets the next one start as its calls end.
    """

    def __init__(self) -> None:
        self.met = [threading.Event(), threading.Event()]
        self._seen: list[set[str]] = [set(), set()]
        self._lock = threading.Lock()

    def __call__(self, request: RequestJson) -> Reply:
        name = request["response_format"]["json_schema"]["name"]
        step = 0 if name in FIRST else 1
        with self._lock:
            first = not self._seen[step]
            self._seen[step].add(name)
            if len(self._seen[step]) > 1:
                self.met[step].set()
        if first:
            self.met[step].wait(PATIENCE_S)
        return answer({RECORDS.get(name, name): []})


@pytest.fixture
def meeting() -> Meeting:
    return Meeting()


@pytest.fixture
def server(meeting: Meeting) -> Iterator[ScriptedServer]:
    with ScriptedServer(responder=meeting) as server:
        yield server


@pytest.fixture
def place(tmp_path: Path, server: ScriptedServer) -> Iterator[Installation]:
    """A session of twenty chunks, two workers, and a pipeline of two steps with three lanes each."""
    folder = tmp_path / "data"
    folder.mkdir()
    place = Installation(
        folder,
        NOTARIUS_LLM_BASE_URL=server.base_url,
        NOTARIUS_LLM_MODEL="test-model",
        NOTARIUS_LLM_CHUNK_UNITS=str(story.CHUNK_UNITS),
        NOTARIUS_WORKERS="2",
    )
    place.settle(story.transcript(CHUNKS), story.pipeline(FIRST, SECOND))
    yield place
    place.end()


def test_lanes_of_a_step_run_side_by_side_and_nothing_is_asked_twice(
    place: Installation, server: ScriptedServer, meeting: Meeting
) -> None:
    supervisor = place.start("work")
    place.command("run_pipeline", *WHERE, "--pipeline", str(place.folder / "mine.toml"))
    eventually(lambda: place.value("select state from campaigns_run") == "succeeded", "the run ends")

    assert all(met.is_set() for met in meeting.met)
    bodies = Counter(seen.body for seen in server.requests)
    assert len(bodies) == server.calls == CHUNKS * len(FIRST + SECOND)
    assert place.rows("select distinct attempts from campaigns_lanerun") == [(1,)]
    assert place.value("select count(distinct holder) from campaigns_lanerun") == 2
    assert place.value("select count(*) from campaigns_artifactversion") == len(FIRST + SECOND)
    ended = place.value("select max(finished_at) from campaigns_lanerun where step = 0")
    assert place.value("select min(started_at) from campaigns_lanerun where step = 1") >= ended
    assert place.stop(supervisor) == 0
