"""How often one may ask."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.test import Client, RequestFactory, override_settings
from redis import Redis, RedisError

from campaigns.api import limits
from campaigns.api.limits import Counts, charge
from campaigns.models import ApiToken, ArtifactVersion, Campaign
from tests.campaigns.api.conftest import bearer

CAMPAIGNS = "/api/v1/campaigns"
NOON = 1_924_992_000.0


@pytest.fixture
def redis_url() -> Iterator[str]:
    """A Redis of this test's own."""
    server = shutil.which("redis-server")
    if server is None:
        pytest.skip("there is no redis-server on this machine")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    quiet = ("--save", "", "--bind", "127.0.0.1")
    process = subprocess.Popen([server, "--port", str(port), *quiet], stdout=subprocess.DEVNULL)
    try:
        for _ in range(100):
            try:
                Redis(port=port).ping()
                break
            except RedisError:
                time.sleep(0.05)
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        limits.shared.cache_clear()
        process.terminate()
        process.wait(timeout=10)


@override_settings(API_RATE=3)
def test_token_is_refused_beyond_its_limit_and_told_when_to_come_back(gm: User, campaign: Campaign) -> None:
    client = bearer(gm, "read")
    answers = [client.get(CAMPAIGNS) for _ in range(5)]

    assert [got.status_code for got in answers] == [200, 200, 200, 429, 429]
    assert [got["RateLimit-Remaining"] for got in answers] == ["2", "1", "0", "0", "0"]
    assert {got["RateLimit-Limit"] for got in answers} == {"3"}
    assert 1 <= int(answers[-1]["Retry-After"]) <= 60
    assert answers[-1]["Retry-After"] == answers[-1]["RateLimit-Reset"]
    assert (answers[-1].json()["code"], answers[-1]["Content-Type"]) == (
        "request.rate_limited",
        "application/problem+json",
    )


@override_settings(API_RATE=1)
def test_each_token_and_each_person_has_a_limit_of_their_own(gm: User, reader: User) -> None:
    browser = Client()
    browser.force_login(gm)
    clients = (bearer(gm, "read"), bearer(gm, "write"), bearer(reader, "read"), browser)

    assert [client.get(CAMPAIGNS).status_code for client in clients] == [200] * 4
    assert [client.get(CAMPAIGNS).status_code for client in clients] == [429] * 4


@override_settings(API_RATE_ANONYMOUS=2)
def test_nobody_is_counted_by_address(db: None) -> None:
    here, there = Client(REMOTE_ADDR="192.0.2.1"), Client(REMOTE_ADDR="192.0.2.2")

    assert [here.get(CAMPAIGNS).status_code for _ in range(3)] == [200, 200, 429]
    assert there.get(CAMPAIGNS).status_code == 200


@override_settings(API_RATE_ANONYMOUS=2)
def test_guessing_tokens_uses_up_the_addresss_allowance(gm: User) -> None:
    answers = [Client(headers={"authorization": f"Bearer ntr_{letter * 43}"}).get(CAMPAIGNS) for letter in "abc"]

    assert [got.status_code for got in answers] == [401, 401, 429]


def test_window_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = Counts()
    limits.own = counts
    monkeypatch.setattr(limits, "time", lambda: NOON + 59)
    spent = [charge("t1", 2) for _ in range(3)]
    monkeypatch.setattr(limits, "time", lambda: NOON + 60)
    fresh = charge("t1", 2)

    assert [each.exceeded for each in spent] == [False, False, True]
    assert {each.reset_s for each in spent} == {1}
    assert (fresh.exceeded, fresh.remaining, fresh.reset_s) == (False, 1, 60)


def test_flood_of_callers_fills_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_CALLERS", 10)
    counts = Counts()
    seen = [counts.add(f"a{number}", 1) for number in range(30)]

    assert seen == [1] * 10 + list(range(1, 21))
    assert counts.add("a3", 1) == 2


@pytest.mark.parametrize(
    ("proxies", "forwarded", "remote", "expected"),
    [
        pytest.param(0, "203.0.113.9", "192.0.2.1", "192.0.2.1", id="no-proxy-of-ours-so-the-header-is-a-claim"),
        pytest.param(1, "203.0.113.9", "192.0.2.1", "203.0.113.9", id="one-proxy"),
        pytest.param(1, "10.0.0.1, 203.0.113.9", "192.0.2.1", "203.0.113.9", id="what-came-before-is-a-claim"),
        pytest.param(2, "203.0.113.9, 10.0.0.2", "192.0.2.1", "203.0.113.9", id="two-proxies"),
        pytest.param(2, "203.0.113.9", "192.0.2.1", "192.0.2.1", id="too-few-hops"),
        pytest.param(0, "", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::", id="a-household-of-ipv6"),
        pytest.param(1, "nonsense", "192.0.2.1", "unknown", id="no-address"),
    ],
)
def test_address_is_what_our_own_proxies_saw(proxies: int, forwarded: str, remote: str, expected: str) -> None:
    request = RequestFactory().get("/", REMOTE_ADDR=remote, HTTP_X_FORWARDED_FOR=forwarded)
    with override_settings(API_PROXIES=proxies):
        found = limits.address_of(request)

    assert found == expected


def test_redis_counts_for_all_processes_together(redis_url: str) -> None:
    with override_settings(API_REDIS_URL=redis_url):
        first = charge("t1", 5)
        limits.own = Counts()
        limits.shared.cache_clear()
        second = charge("t1", 5)

    assert (first.remaining, second.remaining) == (4, 3)


def test_each_process_counts_for_itself_while_redis_does_not_answer() -> None:
    limits.own = Counts()
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"redis://127.0.0.1:{closed.getsockname()[1]}/0"
        with override_settings(API_REDIS_URL=url):
            left = [charge("t1", 5).remaining for _ in range(2)]
    limits.shared.cache_clear()

    assert left == [4, 3]


def test_use_of_a_token_is_noted_once_a_minute(gm: User, approved: ArtifactVersion) -> None:
    client = bearer(gm, "read")
    client.get(CAMPAIGNS)
    first = ApiToken.objects.get().last_used_at
    client.get(CAMPAIGNS)

    assert first is not None
    assert ApiToken.objects.get().last_used_at == first
