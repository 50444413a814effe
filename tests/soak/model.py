"""The endpoint of the soak: answers as the story goes, counts, and misbehaves when it is told to."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from tests.loopback import DROP, HANG, Reply, RequestJson, ScriptedServer, answer, chat, failure
from tests.soak import story

LATENCY_S = 0.1
PROSE = "The fog came in from the sea and nobody said a word about it. " * (10 * 2**20 // 62)
# A lane asks again for what it could not read as often as its retries say, and for what failed as often as its tries.
MOST_A_BODY = story.RETRIES


def _prose(_: RequestJson) -> Reply:
    return chat(PROSE)


def _half(request: RequestJson) -> Reply:
    text = json.dumps(story.reply(request))
    return chat(text[: len(text) // 2])


def _cut(request: RequestJson) -> Reply:
    whole = answer(story.reply(request))
    return replace(whole, cut=len(whole.body) // 2)


def _other_model(request: RequestJson) -> Reply:
    return chat(json.dumps(story.reply(request)), model="somebody-else")


FAULTS: dict[str, Callable[[RequestJson], Reply]] = {
    "hangs": lambda _: HANG,
    "resets": lambda _: DROP,
    "429 in a burst": lambda _: failure(429, headers={"Retry-After": "0.2"}, type="rate_limit_exceeded"),
    "500 in a burst": lambda _: failure(500, message="oops"),
    "503 in a burst": lambda _: failure(503, message="busy"),
    "half a JSON": _half,
    "half a body": _cut,
    "another model's name": _other_model,
    "10 MB of prose": _prose,
}
HARMLESS = {"another model's name"}


class Model:
    """What came in since `begin`: `answered` counts good answers by request, `faulty` those that were spoilt."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._server: ScriptedServer | None = None
        self.poison_asked = threading.Event()
        self.begin()

    def begin(self, *, poisoned: bool = False) -> None:
        """Forget everything, as for a new run. Where poisoned, one chunk is never answered."""
        self.answered: Counter[str] = Counter()
        self.faulty: Counter[str] = Counter()
        self._fault, self._faults_left = "", 0
        self._spoilt: Counter[str] = Counter()
        self.poisoned = poisoned
        self.poison_asked.clear()
        if self._server is not None:
            self._server.released = threading.Event()

    def misbehave(self, fault: str, calls: int) -> None:
        """Give so many of the next calls the fault, but no request more often than a lane asks again."""
        with self._lock:
            self._fault, self._faults_left = fault, calls

    @property
    def calls(self) -> int:
        with self._lock:
            return self.answered.total()

    def repeated(self) -> int:
        """Return how many good answers were given to a request that had one already."""
        with self._lock:
            return sum(times - 1 for times in self.answered.values())

    def repeated_by_lane(self) -> dict[str, int]:
        """Return the same by what the requests were about, without those of which none was repeated."""
        with self._lock:
            found: Counter[str] = Counter()
            for body, times in self.answered.items():
                found[story.lane_of(json.loads(body))] += times - 1
        return {lane: times for lane, times in sorted(found.items()) if times}

    @property
    def in_flight(self) -> int:
        return self._server.in_flight if self._server is not None else 0

    @contextmanager
    def serving(self) -> Iterator[str]:
        """Listen, and yield the base URL."""
        with ScriptedServer(responder=self._reply, latency=LATENCY_S) as server:
            self._server = server
            yield server.base_url

    def release(self) -> None:
        """Let calls that hang end without an answer."""
        if self._server is not None:
            self._server.release()

    def _reply(self, request: RequestJson) -> Reply:
        if self.poisoned and _is_poison(request):
            self.poison_asked.set()
            return HANG
        body = json.dumps(request, sort_keys=True)
        with self._lock:
            spoil = self._faults_left > 0 and self._spoilt[body] < MOST_A_BODY
            fault = self._fault
            if spoil:
                self._faults_left -= 1
                self._spoilt[body] += 1
                self.faulty[fault] += 1
            if not spoil or fault in HARMLESS:
                self.answered[body] += 1
        return FAULTS[fault](request) if spoil else answer(story.reply(request))


def _is_poison(request: RequestJson) -> bool:
    units = [unit for unit, _ in story.passage_of(request)]
    return story.lane_of(request) == "npcs" and 2 * story.CHUNK_UNITS in units
