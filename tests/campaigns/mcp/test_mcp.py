"""An assistant asks: through the SDK's own client, over HTTP and over stdio, in the sight of its token."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
import uvicorn
from django import db
from django.contrib.auth.models import User
from django.test import Client as Browser
from django.utils import timezone
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from pytest_django import Settings

from campaigns.actions import tokens, versions
from campaigns.mcp import reading
from campaigns.mcp.server import http_app, server_for
from campaigns.models import ApiToken, Campaign, Membership
from tests import factories
from tests.campaigns.supervisor.installation import ROOT, Installation
from tests.leaks import Leaks

TOOLS = {
    "campaigns", "changes", "entry", "occurrences", "search", "session_summary", "sessions", "transcript", "who_is",
}  # fmt: skip
Talk = Callable[[Client], Awaitable[Any]]

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def story() -> Campaign:
    """A campaign of one session with an approved registry, its GM and a player."""
    campaign = factories.make_campaign("salt-ferry")
    gm, player = factories.make_user("gm"), factories.make_user("player")
    factories.make_membership(campaign, gm, Membership.Role.GM)
    factories.make_membership(campaign, player, Membership.Role.PLAYER)
    version = factories.make_version(factories.make_transcript(factories.make_session(campaign)))
    versions.approve(version_id=version.pk, note="", by=gm)
    return campaign


@pytest.fixture
def address() -> Iterator[str]:
    """The server, in a thread of its own, at an address of this machine."""
    server = uvicorn.Server(uvicorn.Config(http_app(), host="127.0.0.1", port=0, log_config=None, lifespan="on"))
    started = threading.Event()
    real_startup = server.startup

    async def startup(sockets: Any = None) -> None:
        await real_startup(sockets)
        started.set()

    server.startup = startup  # type: ignore[method-assign]
    thread = threading.Thread(target=server.run)
    thread.start()
    assert started.wait(timeout=60)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/mcp"
    server.should_exit = True
    thread.join(timeout=60)


def raw_token(name: str, campaign: Campaign | None = None) -> str:
    return tokens.create(user=User.objects.get(username=name), name="assistant", scope="read", campaign=campaign)[1]


def in_a_loop(talk: Callable[[], Awaitable[Any]]) -> Any:
    """Run it in a thread of its own: where browser tests ran before, this one has Playwright's loop already."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(anyio.run, talk).result()


def over_http(address: str, token: str, talk: Talk) -> Any:
    async def run() -> Any:
        headers = {"Authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(headers=headers, trust_env=False) as http,
            Client(streamable_http_client(address, http_client=http)) as client,
        ):
            return await talk(client)

    return in_a_loop(run)


async def ask(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    answer = await client.call_tool(tool, arguments)
    assert not answer.is_error, answer.content
    assert isinstance(answer.structured_content, dict)
    return answer.structured_content


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    answer = await client.call_tool(tool, arguments)
    assert answer.is_error
    return "".join(getattr(part, "text", "") for part in answer.content)


def test_assistant_of_the_gm_asks_who_somebody_is_and_gets_quotes_with_unit_ids(story: Campaign, address: str) -> None:
    async def talk(client: Client) -> Any:
        found = await ask(client, "who_is", campaign="salt-ferry", name="wick")
        entry = found["entries"][0]
        first = entry["evidence"][0]
        units = await ask(
            client,
            "transcript",
            campaign="salt-ferry",
            session=1,
            start_unit_id=first["start_unit_id"],
            end_unit_id=first["end_unit_id"],
        )
        return entry, first, units

    entry, first, units = over_http(address, raw_token("gm"), talk)

    assert (entry["kind"], entry["sessions"]) == ("npc", [1])
    assert entry["name"] == "Wick"
    assert first["source_id"] == "salt-ferry.s1.t1"
    assert units["units"]
    assert all(unit["text"] in first["text"] for unit in units["units"])


def test_every_tool_answers_and_only_reads(story: Campaign, address: str) -> None:
    async def talk(client: Client) -> Any:
        listed = (await client.list_tools()).tools
        found = await ask(client, "search", campaign="salt-ferry", query="wick")
        npc = next(hit["id"] for hit in found["hits"] if hit["kind"] == "npc")
        answers = {
            "campaigns": await ask(client, "campaigns"),
            "entry": await ask(client, "entry", campaign="salt-ferry", kind="npc", id=npc),
            "occurrences": await ask(client, "occurrences", campaign="salt-ferry", kind="npc", id=npc),
            "sessions": await ask(client, "sessions", campaign="salt-ferry"),
            "session_summary": await ask(client, "session_summary", campaign="salt-ferry", session=1),
            "changes": await ask(client, "changes", campaign="salt-ferry"),
        }
        later = await ask(client, "changes", campaign="salt-ferry", after=answers["changes"]["next_after"])
        return listed, answers, later

    listed, answers, later = over_http(address, raw_token("player"), talk)

    assert {tool.name for tool in listed} == TOOLS
    assert all(tool.annotations.read_only_hint and tool.output_schema for tool in listed)
    assert [line["slug"] for line in answers["campaigns"]["campaigns"]] == ["salt-ferry"]
    assert {line["change"] for line in answers["changes"]["changes"]} == {"created"}
    assert answers["session_summary"]["records"] == {"npcs": 4}
    assert later["changes"] == []


def test_player_and_stranger_get_what_they_may_see(story: Campaign, address: str, leaks: Leaks) -> None:
    story.public = True
    story.save()
    factories.make_user("stranger")

    async def member(client: Client) -> Any:
        return await ask(client, "who_is", campaign="salt-ferry", name="wick")

    async def stranger(client: Client) -> Any:
        told = [await ask(client, "who_is", campaign="salt-ferry", name="wick")]
        told.append(await ask(client, "search", campaign="salt-ferry", query="bell"))
        return told, await refused(client, "transcript", campaign="salt-ferry", session=1)

    known = over_http(address, raw_token("player"), member)
    told, said = over_http(address, raw_token("stranger"), stranger)

    assert known["entries"][0]["evidence"][0]["text"]
    assert [quote["text"] for quote in told[0]["entries"][0]["evidence"]] == [None] * len(
        told[0]["entries"][0]["evidence"]
    )
    texts = [word for word in leaks.found_in([json.dumps(told)]) if " " in word]
    assert texts == []
    assert "campaign.unknown" in said


def test_private_campaign_is_not_there_for_others_and_for_a_token_of_another(story: Campaign, address: str) -> None:
    other = factories.make_campaign("far-away")
    factories.make_membership(other, User.objects.get(username="gm"), Membership.Role.GM)

    async def talk(client: Client) -> str:
        return await refused(client, "who_is", campaign="salt-ferry", name="wick")

    assert "campaign.unknown" in over_http(address, raw_token("gm", other), talk)


def test_bad_arguments_are_one_sentence_with_a_code(story: Campaign, address: str) -> None:
    async def talk(client: Client) -> list[str]:
        return [
            await refused(client, "entry", campaign="salt-ferry", kind="npc", id="npc:sha256:none"),
            await refused(client, "entry", campaign="salt-ferry", kind="dragon", id="x"),
            await refused(client, "session_summary", campaign="salt-ferry", session=99),
            await refused(client, "transcript", campaign="salt-ferry", session=1, start_unit_id=20, end_unit_id=18),
        ]

    unknown, kind, session, reversed_ = over_http(address, raw_token("gm"), talk)

    assert "entry.unknown" in unknown
    assert kind == "The kind is one of: npc, item, location. (request.invalid)"
    assert "session.unknown" in session
    assert reversed_ == "start_unit_id stands after end_unit_id in this transcript. (request.invalid)"


WRONG: list[tuple[str, dict[str, object], str]] = [
    ("who_is", {"campaign": "salt-ferry"}, "`name` is missing"),
    ("who_is", {}, "`campaign` is missing; `name` is missing"),
    ("who_is", {"campaign": "salt-ferry", "name": "Ottilie " * 30}, "`name` must have at most 200 characters"),
    ("who_is", {"campaign": "salt-ferry", "name": {"Ottilie": 1}}, "`name` must be text"),
    ("who_is", {"campaign": "salt-ferry", "name": "wick", "quotes": 50}, "`quotes` must be at most 20"),
    ("changes", {"campaign": "salt-ferry", "after": -1}, "`after` must be at least 0"),
    ("changes", {"campaign": "salt-ferry", "after": "Ottilie"}, "`after` must be a whole number"),
    ("changes", {"campaign": "salt-ferry", "after": 1.5}, "`after` must be a whole number"),
    ("changes", {"campaign": "salt-ferry", "after": None}, "`after` must be a whole number"),
    ("transcript", {"campaign": "salt-ferry", "session": 1, "limit": 100_000}, "`limit` must be at most 200"),
    ("transcript", {"campaign": "salt-ferry", "session": 1, "end_unit_id": ["Ottilie"]}, "`end_unit_id` must be"),
    ("transcript", {"campaign": "salt-ferry", "session": 10**30}, "`session` must be at most 1000000"),
]


@pytest.mark.parametrize(("tool", "arguments", "sentence"), WRONG)
def test_arguments_that_do_not_fit_are_one_sentence_that_names_the_parameter_and_not_what_was_given(
    story: Campaign, tool: str, arguments: dict[str, object], sentence: str
) -> None:
    raw = raw_token("gm")

    async def run() -> str:
        async with Client(server_for(lambda ctx: raw)) as client:
            return await refused(client, tool, **arguments)

    told = in_a_loop(run)

    assert told.startswith(sentence)
    assert told.endswith(". (request.invalid)")
    assert "\n" not in told
    assert "Ottilie" not in told


def test_answers_are_bounded(story: Campaign, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MOST_SIGNS", 10)

    async def talk(client: Client) -> Any:
        found = await ask(client, "who_is", campaign="salt-ferry", name="wick", quotes=1)
        page = await ask(client, "transcript", campaign="salt-ferry", session=1, limit=2)
        rest = await ask(client, "transcript", campaign="salt-ferry", session=1, after_position=page["next_position"])
        return found["entries"][0], page, rest

    entry, page, rest = over_http(address, raw_token("gm"), talk)

    assert (len(entry["evidence"]), len(entry["evidence"][0]["text"]), entry["evidence"][0]["shortened"]) == (
        1,
        10,
        True,
    )
    assert len(page["units"]) == 2
    assert len(page["units"]) + len(rest["units"]) == page["unit_count"]


@pytest.mark.parametrize("how", ["none", "wrong", "revoked", "expired", "closed account"])
def test_without_a_valid_token_nothing_is_served(story: Campaign, address: str, how: str) -> None:
    raw = raw_token("gm")
    if how == "revoked":
        ApiToken.objects.update(revoked_at=timezone.now())
    if how == "expired":
        ApiToken.objects.update(expires_at=timezone.now())
    if how == "closed account":
        User.objects.update(is_active=False)
    sent = {"none": {}, "wrong": {"Authorization": "Bearer ntr_wrong"}}.get(how, {"Authorization": f"Bearer {raw}"})

    answer = httpx2.post(
        address, json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, headers=sent, trust_env=False
    )

    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")


def posted(address: str, raw: str, body: object, **headers: str) -> httpx2.Response:
    sent = {"Authorization": f"Bearer {raw}", "Accept": "application/json, text/event-stream", **headers}
    return httpx2.post(address, json=body, headers=sent, trust_env=False)


def called(tool: str) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": {}}}


def test_calls_count_as_the_tokens_requests_to_the_api(story: Campaign, address: str, settings: Settings) -> None:
    settings.API_RATE = 3
    raw, other = raw_token("gm"), raw_token("player")
    api = Browser(headers={"Authorization": f"Bearer {raw}"})
    assert api.get("/api/v1/campaigns").status_code == 200
    answers = [posted(address, raw, called("campaigns")) for _ in range(3)]

    assert [each.status_code for each in answers] == [200, 200, 429]
    assert [each.headers["ratelimit-remaining"] for each in answers] == ["1", "0", "0"]
    assert answers[-1].headers["retry-after"] == answers[-1].headers["ratelimit-reset"]
    assert api.get("/api/v1/campaigns").status_code == 429
    assert posted(address, other, called("campaigns")).status_code == 200


def test_request_cannot_hold_more_than_one_call(story: Campaign, address: str) -> None:
    """Otherwise one request would count for many."""
    assert posted(address, raw_token("gm"), [called("campaigns"), called("campaigns")]).status_code == 400


def test_wrong_tokens_are_counted_by_address(story: Campaign, address: str, settings: Settings) -> None:
    settings.API_RATE_ANONYMOUS, settings.API_PROXIES = 2, 1
    here = [
        posted(address, f"ntr_{at}", called("campaigns"), **{"X-Forwarded-For": "203.0.113.9, 192.0.2.1"})
        for at in range(3)
    ]
    there = posted(address, "ntr_0", called("campaigns"), **{"X-Forwarded-For": "203.0.113.9, 192.0.2.2"})

    assert [each.status_code for each in (*here, there)] == [401, 401, 429, 401]
    # Whoever has a valid token is not kept out by strangers of the same address.
    mine = posted(address, raw_token("gm"), called("campaigns"), **{"X-Forwarded-For": "192.0.2.1"})
    assert mine.status_code == 200


def test_token_revoked_between_two_calls_ends_the_talk(story: Campaign) -> None:
    """Over stdio one token serves the process, and is looked at anew for every call."""
    raw = raw_token("gm")

    async def run() -> list[bool]:
        async with Client(server_for(lambda ctx: raw)) as client:
            first = await client.call_tool("campaigns", {})
            await anyio.to_thread.run_sync(revoke)
            return [first.is_error, (await client.call_tool("campaigns", {})).is_error]

    def revoke() -> None:
        ApiToken.objects.update(revoked_at=timezone.now())
        db.connections.close_all()

    assert in_a_loop(run) == [False, True]


def test_words_of_a_bug_do_not_reach_the_assistant(story: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object) -> None:
        raise ValueError("Ottilie hides the ledger")

    monkeypatch.setattr(reading, "campaigns", fail)
    raw = raw_token("gm")

    async def run() -> str:
        async with Client(server_for(lambda ctx: raw)) as client:
            return await refused(client, "campaigns")

    assert in_a_loop(run) == "Error executing tool campaigns"


SEED = """
from django.core.management import call_command
call_command("migrate", verbosity=0)
from django.contrib.auth.models import User
from campaigns.actions import tokens
from campaigns.models import Campaign
campaign = Campaign.objects.create(slug="ferry", name="The Ferry")
gm = User.objects.create(username="greta")
campaign.memberships.create(user=gm, role="gm")
print(tokens.create(user=gm, name="assistant", scope="read")[1])
"""


@pytest.mark.slow
def test_over_stdio_with_the_token_of_the_environment(tmp_path: Path) -> None:
    place = Installation(tmp_path)
    missing = place.attempt("mcp")
    token = place.command("shell", "-v0", "-c", SEED).strip()
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["manage.py", "mcp"],
        cwd=str(ROOT),
        env=place.environ | {"NOTARIUS_MCP_TOKEN": token},
    )

    async def run() -> Any:
        with anyio.fail_after(120):
            async with Client(parameters) as client:
                return await ask(client, "campaigns"), await refused(client, "who_is", campaign="none", name="x")

    answered, said = in_a_loop(run)

    assert [line["slug"] for line in answered["campaigns"]] == ["ferry"]
    assert "campaign.unknown" in said
    assert missing.returncode == 1
    assert missing.stderr.splitlines()[-1].startswith("CommandError: NOTARIUS_MCP_TOKEN")
