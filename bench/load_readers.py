"""Readers who page site and API at a person's pace: `python -m bench.load_readers '<ReadersPlan as JSON>'`.

Each asks for one address after the other, picked at random, with a pause of one to two seconds in between, on a
connection of its own, so that no answer is counted wrong because the server had just closed a kept one.
"""

from __future__ import annotations

import json
import random
import socket
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from http.client import HTTPConnection
from threading import Lock, Thread
from urllib.parse import quote, urlsplit

from bench.api_load import ask
from bench.processes import print_result
from bench.scale_seed import PEOPLE
from bench.transcripts import npc_names

PAUSE_S = (1.0, 2.0)
PATIENCE_S = 60.0
A_PAGE = 100
NAMES = npc_names(PEOPLE)
PASSED = frozenset(range(200, 300)) | {304}


@dataclass(frozen=True, slots=True)
class ReadersPlan:
    """`sessions` are those that are read, with the number of lines of each."""

    url: str
    slug: str
    seconds: float
    readers: Sequence[Mapping[str, str]]
    sessions: Sequence[tuple[int, int]]

    def arguments(self) -> str:
        return json.dumps(asdict(self))


@dataclass(frozen=True, slots=True)
class Book:
    """What there is to read."""

    slug: str
    sessions: Sequence[tuple[int, int]]
    people: Sequence[str]

    def transcript(self, rng: random.Random) -> str:
        number, lines = rng.choice(self.sessions)
        start = rng.randrange(1, max(2, lines - A_PAGE))
        return f"/api/v1/campaigns/{self.slug}/sessions/{number}/transcript?start_unit={start}&limit={A_PAGE}"

    def site(self, rest: str) -> str:
        return f"/campaigns/{self.slug}/{rest}"

    def api(self, rest: str) -> str:
        return f"/api/v1/campaigns/{self.slug}/{rest}"

    def number(self, rng: random.Random) -> int:
        return rng.choice(self.sessions)[0]


ADDRESSES: Mapping[str, Callable[[Book, random.Random], str]] = {
    "site, people": lambda book, rng: book.site("npcs/"),
    "site, one of them": lambda book, rng: book.site(f"npcs/{quote(rng.choice(book.people))}/"),
    "site, session": lambda book, rng: book.site(f"sessions/{book.number(rng)}/"),
    "site, search": lambda book, rng: book.site(f"search/?q={quote(rng.choice(NAMES))}"),
    "API, people": lambda book, rng: book.api(f"npcs?limit={A_PAGE}"),
    "API, occurrences": lambda book, rng: book.api(f"npcs/{quote(rng.choice(book.people))}/occurrences"),
    "API, session": lambda book, rng: book.api(f"sessions/{book.number(rng)}"),
    "API, transcript": Book.transcript,
    "API, search": lambda book, rng: book.api(f"search?q={quote(rng.choice(NAMES))}"),
}


@dataclass
class Readers:
    plan: ReadersPlan
    book: Book
    took_ms: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: Counter[str] = field(default_factory=Counter)
    _lock: Lock = field(default_factory=Lock)

    def read(self) -> None:
        """Have everybody read until the time is up."""
        until = time.monotonic() + self.plan.seconds
        threads = [Thread(target=self._one, args=(at, until)) for at in range(len(self.plan.readers))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _one(self, at: int, until: float) -> None:
        rng = random.Random(at)  # noqa: S311 - who reads what, no secret
        time.sleep(rng.uniform(0, PAUSE_S[1]))
        while time.monotonic() < until:
            kind = rng.choice(list(ADDRESSES))
            self._ask(kind, ADDRESSES[kind](self.book, rng), self.plan.readers[at])
            time.sleep(rng.uniform(*PAUSE_S))

    def _ask(self, kind: str, path: str, reader: Mapping[str, str]) -> None:
        began = time.perf_counter()
        try:
            came: int | str = _status(self.plan.url, path, reader)
        except (OSError, IndexError, ValueError) as error:
            came = type(error).__name__
        took = (time.perf_counter() - began) * 1000
        with self._lock:
            self.took_ms[kind].append(took)
            if came not in PASSED:
                self.errors[f"{kind}: {came}"] += 1


def _known(path: str, reader: Mapping[str, str]) -> tuple[str, str]:
    if path.startswith("/api/"):
        return "Authorization", f"Bearer {reader['token']}"
    return "Cookie", f"sessionid={reader['web_session']}"


def _status(url: str, path: str, reader: Mapping[str, str]) -> int:
    parts = urlsplit(url)
    known = ": ".join(_known(path, reader))
    request = f"GET {path} HTTP/1.1\r\nHost: {parts.netloc}\r\nConnection: close\r\n{known}\r\n\r\n"
    with socket.create_connection((parts.hostname or "", parts.port or 80), timeout=PATIENCE_S) as connection:
        return ask(connection, request.encode())[0]


def _people(plan: ReadersPlan) -> list[str]:
    """Return the ids of the campaign's people."""
    path = f"/api/v1/campaigns/{plan.slug}/npcs?limit={A_PAGE}"
    connection = HTTPConnection(urlsplit(plan.url).netloc, timeout=PATIENCE_S)
    try:
        connection.request("GET", path, headers=dict([_known(path, plan.readers[0])]))
        return [entry["id"] for entry in json.loads(connection.getresponse().read())["items"]]
    finally:
        connection.close()


def main(plan: ReadersPlan) -> dict[str, object]:
    """Return how long each answer of each kind took, and how many were none."""
    readers = Readers(plan, Book(plan.slug, plan.sessions, _people(plan)))
    readers.read()
    return {"took_ms": readers.took_ms, "errors": readers.errors}


if __name__ == "__main__":
    print_result(main(ReadersPlan(**json.loads(sys.argv[1]))))
