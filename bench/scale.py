"""`scale`: the slowest hundredth of answers out of 1,000 campaigns beside those out of one, on PostgreSQL.

`DATABASE_URL` names a server on which databases may be made; both are made, filled, asked in turns, and dropped.
"""

from __future__ import annotations

import os
import random
import secrets
import socket
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

import psycopg

from bench.api import served
from bench.api_load import ask
from bench.processes import Stopped, measured
from bench.report import Row
from bench.scale_seed import PEOPLE, PLACES, SESSIONS, THINGS, UNITS, slug_of
from bench.transcripts import npc_names

CAMPAIGNS = 1_000
ASKED, WARM = 600, 40
NAMES = npc_names(PEOPLE + THINGS + PLACES)
COMMAND = "DATABASE_URL=postgres://… python -m bench scale"
Address = Callable[[random.Random, str], str]


@dataclass(frozen=True, slots=True)
class Archive:
    """A database that is served; `campaigns` are asked at random."""

    host: str
    port: int
    cookie: str
    token: str
    campaigns: int

    def get(self, path: str) -> float:
        """Return the milliseconds until the whole answer was there."""
        known = f"Authorization: Bearer {self.token}" if path.startswith("/api/") else f"Cookie: {self.cookie}"
        request = f"GET {path} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\nConnection: close\r\n{known}\r\n\r\n"
        with socket.create_connection((self.host, self.port)) as connection:
            began = time.perf_counter()
            status, _ = ask(connection, request.encode())
            took = time.perf_counter() - began
        if status != 200:
            raise Stopped(f"{path} answered {status}")
        return took * 1000


def _searched(text: str) -> Address:
    return lambda rng, slug: f"/api/v1/campaigns/{slug}/search?q={quote(text.format(name=rng.choice(NAMES[:PEOPLE])))}"


ASKED_FOR: Mapping[str, Address] = {
    "registry of people, 60": lambda rng, slug: f"/api/v1/campaigns/{slug}/npcs?limit=100",
    "session page": lambda rng, slug: f"/campaigns/{slug}/sessions/{rng.randint(1, SESSIONS)}/",
    "search, a name": _searched("{name}"),
    "search, a common word": _searched("river"),
    "search, two common words": _searched("river lamp"),
    "search, a phrase": _searched('"behind the lamp"'),
    "search, nothing there": _searched("absent"),
}


def rows() -> Iterator[Row]:
    server = os.environ.get("DATABASE_URL", "")
    if not server.startswith("postgres"):
        yield Row("scale", "not measured: DATABASE_URL names no PostgreSQL server", COMMAND, {})
        return
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        environ = {
            "DJANGO_SETTINGS_MODULE": "notarius_site.settings",
            "NOTARIUS_DATA_DIR": folder,
            "NOTARIUS_SECRET_KEY": secrets.token_hex(),
            "NOTARIUS_API_RATE": str(10**9),
        }
        one = environ | {"DATABASE_URL": stack.enter_context(database(server, "one"))}
        known = measured("bench.scale_seed", "1", environ=one)
        many = environ | {"DATABASE_URL": stack.enter_context(database(server, "many", like="one"))}
        units = measured("bench.scale_seed", str(CAMPAIGNS), environ=many)["units"]
        yield Row("scale", "databases", COMMAND, {"units": units, "seconds": time.perf_counter() - began})
        archives = [stack.enter_context(_archive(*each, known)) for each in ((one, 1), (many, CAMPAIGNS))]
        for what, address in ASKED_FOR.items():
            yield _compared(what, address, archives)


def _compared(what: str, address: Address, archives: Sequence[Archive]) -> Row:
    """Ask both in turns, so that a bad moment of the machine is one for both."""
    rng = random.Random(what)  # noqa: S311 - which campaign is asked, no secret
    took: list[list[float]] = [[] for _ in archives]
    for _ in range(WARM + ASKED):
        for archive, spent in zip(archives, took, strict=True):
            spent.append(archive.get(address(rng, slug_of(rng.randrange(archive.campaigns)))))
    (one_50, one_99), (many_50, many_99) = (_shares(spent[WARM:]) for spent in took)
    return Row(
        "scale",
        f"{what}: {CAMPAIGNS:,} campaigns x {SESSIONS} sessions x {UNITS} units, beside one",
        COMMAND,
        {
            "one_p50_ms": one_50,
            "many_p50_ms": many_50,
            "one_p99_ms": one_99,
            "many_p99_ms": many_99,
            "asked": ASKED,
            "p50_ratio": many_50 / one_50,
            "p99_ratio": many_99 / one_99,
        },
    )


def _shares(took: Sequence[float]) -> tuple[float, float]:
    """Return what half of them and all but a hundredth stay under."""
    ordered = sorted(took)
    return ordered[len(took) // 2], ordered[int(len(took) * 0.99)]


@contextmanager
def _archive(environ: Mapping[str, str], campaigns: int, known: Mapping[str, str]) -> Iterator[Archive]:
    with served(environ) as url:
        parts = urlsplit(url)
        cookie = f"sessionid={known['web_session']}"
        yield Archive(parts.hostname or "", parts.port or 80, cookie, known["token"], campaigns)


@contextmanager
def database(server: str, name: str, *, like: str = "template0") -> Iterator[str]:
    """Make a database, as a copy of another of ours or empty, and drop it at the end."""
    base = server.rpartition("/")[0]
    own, template = (f"notarius_scale_{each}_{os.getpid()}" for each in (name, like))
    with psycopg.connect(f"{base}/postgres", autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{own}" TEMPLATE "{template if like != "template0" else like}"')
        try:
            yield f"{base}/{own}"
        finally:
            connection.execute(f'DROP DATABASE "{own}" WITH (FORCE)')
