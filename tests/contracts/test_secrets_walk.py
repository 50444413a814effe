"""Nobody below a game master finds a planted secret anywhere: every address, operation, export and tool is asked."""

from __future__ import annotations

import inspect
import io
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import pytest
from django.db import connection, transaction
from django.http.response import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from campaigns.access import Actor
from campaigns.actions import tokens, versions
from campaigns.errors import ActionError
from campaigns.exports.formats import FORMATS
from campaigns.library.artifacts import records
from campaigns.library.sight import Edition, Sight, sight_of
from campaigns.mcp import reading as tools
from campaigns.models import ApiToken
from campaigns.search.finding import search
from extraction.identity import comparison_key, npc_id
from tests.campaigns.library import story
from tests.campaigns.library.story import DUKE, STRANGER, VOICE, Story
from tests.campaigns.review import families
from tests.contracts import walking
from tests.contracts.walkers import (
    HIDDEN,
    NOTE,
    PENDING,
    SECRETS,
    Somebody,
    any_number_of_requests,
    cast,
    made,
    told,
    values,
)

__all__ = ("any_number_of_requests", "cast", "made", "told", "values")

# These answers list numbers of versions, which are no secret.
NUMBERED = ("/sessions/1", "/sessions/1/artifacts")
BELOW = ("anonymous", "outsider", "reader", "player")


def pages(values: Mapping[str, Any], *, asking: bool) -> Iterator[str]:
    """Yield the paths of all pages; with `asking` also with what may stand behind the question mark."""
    for address in walking.addresses():
        if address.route.startswith("api/") or address.name in walking.LEFT_OUT:
            continue
        strange = address.name.startswith(walking.STRANGE) or address.route.startswith(("admin/", "^api/"))
        yield from walking.asked(
            address.filled(values), ("",) if strange or not asking else walking.PAGES[address.name]
        )


def asked_of_the_api(values: Mapping[str, Any], *, asking: bool) -> Iterator[str]:
    for method, path, parameters in walking.operations():
        if method == "GET":
            yield from walking.asked(fill(path, values), walking.questions(parameters) if asking else ("",))


def few(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the first and the last value of each parameter."""
    return {name: list(dict.fromkeys((each[0], each[-1]))) for name, each in values.items()}


def fill(path: str, values: Mapping[str, Any]) -> Iterator[str]:
    name = path.partition("{")[2].partition("}")[0]
    if not name:
        yield path
        return
    for value in values[name]:
        yield from fill(path.replace(f"{{{name}}}", str(value), 1), values)


def leaked(response: HttpResponseBase, path: str, words: Sequence[str]) -> list[str]:
    """Return the secrets in the answer's body and headers, but for what the question itself said."""
    said = f"{response.headers} {_unpacked(_body(response)).decode(errors='replace')}"
    for part in path.replace("?", "/").split("/"):
        if ":sha256:" in part:
            said = said.replace(part, "").replace(part.replace(":", "%3A"), "")
    return [word for word in (*SECRETS, *HIDDEN, *words) if word in said]


def _unpacked(body: bytes) -> bytes:
    """Return the files of an archive with their names, and anything else as it is."""
    if not body.startswith(b"PK"):
        return body
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        return b"\n".join(name.encode() + b"\n" + archive.read(name) for name in archive.namelist())


def _body(response: HttpResponseBase) -> bytes:
    if isinstance(response, StreamingHttpResponse):
        return b"".join(response)
    assert isinstance(response, HttpResponse)
    return response.content


def walk(somebody: Somebody, paths: Iterator[str], **headers: str) -> tuple[dict[str, list[str]], list[int]]:
    """Ask for each path, and return what leaked by path, and the statuses."""
    client, found, statuses = somebody.client, {}, []
    for path in dict.fromkeys(paths):
        response = client.get(path, **headers)  # type: ignore[arg-type]
        statuses.append(response.status_code)
        if leaks := leaked(response, path, somebody.words):
            found[path] = leaks
    return found, statuses


@pytest.mark.parametrize("role", BELOW)
@pytest.mark.parametrize("paths", [pages, asked_of_the_api])
def test_nobody_below_a_game_master_is_told_a_secret(
    role: str, paths: Callable[..., Iterator[str]], cast: Mapping[str, Somebody], values: Mapping[str, Any], db: None
) -> None:
    # A reader sees what a player sees, an outsider what anybody does: these two ask for each address, and little more.
    whole = role in ("anonymous", "player")
    found, statuses = walk(cast[role], paths(values if whole else few(values), asking=whole))

    assert found == {}
    assert not {429, 500} & set(statuses)
    assert 200 in statuses


def test_a_token_of_a_player_is_told_no_secret(
    cast: Mapping[str, Somebody], values: Mapping[str, Any], db: None
) -> None:
    user = cast["player"].user
    assert user is not None
    _, raw = tokens.create(user=user, name="walk", scope=ApiToken.Scope.ADMIN)
    nobody = Somebody.of("token", None)
    found, statuses = walk(nobody, asked_of_the_api(few(values), asking=False), HTTP_AUTHORIZATION=f"Bearer {raw}")

    assert found == {}
    assert 200 in statuses


def test_a_finished_export_is_given_to_whom_it_is_for(
    cast: Mapping[str, Somebody], made: Mapping[str, Sequence[object]], told: Story, db: None
) -> None:
    """The walk has asked for these files: here it is seen that there is something in them."""
    own, *players = made["export_id"]
    address = f"/campaigns/{told.campaign.slug}/exports"
    for pk in players:
        got = cast["player"].client.get(f"{address}/{pk}/file")
        assert isinstance(got, StreamingHttpResponse)
        assert DUKE.encode() in _unpacked(b"".join(got))
    assert leaked(cast["gm"].client.get(f"{address}/{own}/file"), "", ())
    assert cast["player"].client.get(f"{address}/{own}/file").status_code == 404


@pytest.mark.parametrize("role", ["gm", "admin"])
def test_game_masters_are_told_every_secret(
    role: str, cast: Mapping[str, Somebody], values: Mapping[str, Any], db: None
) -> None:
    """The walk can fail: whoever may know them finds all of them by the same addresses."""
    somebody = cast[role]
    wanted = {"site-session", "site-entry", "site-entries", "secrets", "review-version", "review-history"}
    paths = [path for address in walking.addresses() if address.name in wanted for path in address.filled(values)]
    found, _ = walk(
        somebody, iter([*paths, *(path for path in asked_of_the_api(values, asking=False) if "artifacts/" in path)])
    )
    told = {word for words in found.values() for word in words}

    assert set(story.CANARIES) <= told
    assert NOTE in told


@pytest.mark.parametrize("role", ["anonymous", "player"])
def test_a_refused_act_tells_no_secret(
    role: str, cast: Mapping[str, Somebody], values: Mapping[str, Any], db: None
) -> None:
    somebody, found = cast[role], {}
    values = {name: list(each)[:1] for name, each in values.items()}
    acts = [("POST", path) for path in pages(values, asking=False) if not path.startswith(("/admin/", "/account/"))]
    acts += [
        (method, path) for method, route, _ in walking.operations() if method != "GET" for path in fill(route, values)
    ]
    for method, path in dict.fromkeys(acts):
        with transaction.atomic():
            response = somebody.client.generic(
                method,
                path,
                b"{}" if "/api/" in path else b"",
                "application/json" if "/api/" in path else "application/x-www-form-urlencoded",
            )
            transaction.set_rollback(True)
        if leaks := leaked(response, path, somebody.words):
            found[path] = leaks

    assert found == {}


@pytest.mark.parametrize("format", sorted(FORMATS))
@pytest.mark.parametrize("as_of", [None, 1])
def test_no_export_for_players_holds_a_secret(told: Story, format: str, as_of: int | None, db: None) -> None:
    files = list(FORMATS[format](Sight(told.campaign, Edition.PLAYER, True, as_of), lambda done, total: None))
    held = "\n".join(f"{file.path}\n{file.data.decode()}" for file in files)

    assert [word for word in (*SECRETS, *HIDDEN) if word in held] == []
    assert DUKE in held


@pytest.mark.parametrize("role", ["anonymous", "player"])
@pytest.mark.parametrize(
    "query", ["Vexmar", "Vexmara Thornwhistl", "hooded", "Orlan", "Quellkanari", "Fennimor", "key", "vault"]
)
def test_no_search_finds_a_secret(cast: Mapping[str, Somebody], told: Story, role: str, query: str, db: None) -> None:
    for as_of in (None, 1):
        found = search(sight_of(Actor(cast[role].user), told.campaign.slug, as_of=as_of), query)
        told_of = f"{[str(hit) for hit in found.hits]} {[str(each) for each in found.suggestions]}"
        assert [
            word
            for word in (*SECRETS, *HIDDEN, *cast[role].words)
            if word in told_of.replace("<mark>", "").replace("</mark>", "")
        ] == []


TOOLS: Mapping[str, Callable[[Actor, str], list[tuple[Any, ...]]]] = {
    "campaigns": lambda actor, slug: [(actor,)],
    "who_is": lambda actor, slug: [
        (actor, slug, name, 5) for name in (DUKE, STRANGER, "Vexmar", "Thornwhistl", "Fennimor")
    ],
    "entry": lambda actor, slug: [
        (actor, slug, "npc", entity_id, 5) for entity_id in (*HIDDEN, npc_id(comparison_key(DUKE)))
    ],
    "find": lambda actor, slug: [
        (actor, slug, query, "", None, None) for query in ("Vexmar", "key", "hooded", "Quellkanari")
    ],
    "places_of": lambda actor, slug: [
        (actor, slug, "npc", npc_id(comparison_key(name)), 5) for name in (DUKE, STRANGER, VOICE)
    ],
    "evenings": lambda actor, slug: [(actor, slug)],
    "summary": lambda actor, slug: [(actor, slug, number) for number in (1, 2, 3)],
    "stretch": lambda actor, slug: [
        (actor, slug, number, *ends, limit)
        for number in (1, 2, 3)
        for ends in ((None, None, None), (1, None, None), (30, 20, None), (None, None, 7))
        for limit in (2, 200)
    ],
    "news": lambda actor, slug: [(actor, slug, 0)],
}


def test_no_tool_tells_a_secret(cast: Mapping[str, Somebody], told: Story, db: None) -> None:
    public = {name for name, one in inspect.getmembers(tools, inspect.isfunction) if one.__module__ == tools.__name__}

    assert {name for name in public if not name.startswith("_")} == set(TOOLS)
    for role in BELOW:
        for name, questions in TOOLS.items():
            for asked in questions(Actor(cast[role].user), told.campaign.slug):
                try:
                    answer = getattr(tools, name)(*asked).model_dump_json()
                except ActionError as error:
                    answer = str(error)
                assert [word for word in (*SECRETS, *cast[role].words) if word in answer] == [], (role, name)


def tag_of(client: Client, path: str) -> str | None:
    response = client.get(path)
    _body(response)
    return response.headers.get("ETag")


def asked_twice(client: Client, paths: Iterable[str]) -> Mapping[str, tuple[int, bytes, int]]:
    """Return by path the status, the body, and how many queries the second answer took."""
    found = {}
    for path in paths:
        _body(client.get(path))
        with CaptureQueriesContext(connection) as queries:
            response = client.get(path)
            body = _body(response)
        found[path] = (response.status_code, body, len(queries))
    return found


def test_what_only_game_masters_see_changes_no_etag_of_a_players(
    cast: Mapping[str, Somebody], told: Story, values: Mapping[str, Any], db: None
) -> None:
    values = {name: list(each)[:2] for name, each in values.items()}
    paths = [
        path
        for path in (*pages(values, asking=False), *asked_of_the_api(values, asking=False))
        if told.campaign.slug in path
    ]
    client = cast["player"].client
    answers = [path for path in paths if path.startswith("/api/") and not path.endswith(NUMBERED)]
    told_before = asked_twice(client, answers)
    # Pages of game masters have no tag for a player; neither have refusals.
    before = {path: tag_of(client, path) for path in paths if "/review/" not in path}
    people = records(Sight(told.campaign, Edition.GM, True), 1, "npcs")
    next(each for each in people if each["name"] == VOICE)["source_refs"] = families.refs(told.first, ((7, 7), (8, 8)))
    artifact = told.campaign.sessions.get(number=1).artifacts.get(lane="dnd/npcs")
    artifact.versions.filter(state="pending").update(state="rejected")
    changed = families.make_version(
        told.first, "npcs", people, consolidations=artifact.versions.get(state="approved").consolidations
    )
    versions.approve(version_id=changed.pk, note="", by=told.gm)
    families.make_version(told.first, "npcs", [story.npc(told.first, PENDING, (1, 1))])

    after = {path: tag_of(client, path) for path in before if before[path]}
    changed_tags = {path for path, tag in after.items() if tag != before[path]}
    told_after = asked_twice(client, answers)

    assert len(after) > len(NUMBERED)
    assert {path for path in changed_tags if not path.endswith(NUMBERED)} == set()
    assert {path for path in answers if told_after[path] != told_before[path]} == set()


def test_every_address_is_walked(values: Mapping[str, Any]) -> None:
    """A page or a parameter that nobody has listed in `walking` would not be asked for."""
    own = {
        address.name
        for address in walking.addresses()
        if not address.name.startswith(walking.STRANGE) and not address.route.startswith(("admin/", "api/", "^api/"))
    }

    assert own - walking.LEFT_OUT - set(walking.PAGES) == set()
    assert {name for *_, asked in walking.operations() for name in asked} <= set(walking.QUERIES)
