"""By no digest, number, cursor, reason or choice does a player learn of what is kept from them."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoDbBlocker

from campaigns.access import Actor
from campaigns.actions import secrets, versions
from campaigns.library import artifacts, changes, sessions, transcripts
from campaigns.library.sight import Edition, Sight
from campaigns.library.state import edition_digest
from campaigns.mcp import reading as tools
from campaigns.models import Campaign, Change, Membership
from campaigns.search import finding
from campaigns.search.backends import SearchBackend, backend
from campaigns.search.finding import Filters, search
from campaigns.search.index import index
from campaigns.search.places import Stretch, session_and_position
from campaigns.search.queries import Query
from extraction.canonical import JsonValue
from tests import factories
from tests.campaigns.library import story
from tests.campaigns.library.story import UNPROVEN, VOICE, Story
from tests.campaigns.review import families

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Units 30 and 20 are kept: they stand at these positions of all.
HIDDEN = (9, 10)


@pytest.fixture(scope="module")
def shared(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Story]:
    with story.for_a_module("salt-oracles", django_db_blocker) as made:
        index(made.first)
        Campaign.objects.filter(pk=made.campaign.pk).update(public=True)
        made.campaign.refresh_from_db()
        yield made


@pytest.fixture
def told(shared: Story, db: None) -> Story:
    return shared


@pytest.fixture
def player(told: Story) -> User:
    user = factories.make_user("oracle-player")
    factories.make_membership(told.campaign, user, Membership.Role.PLAYER)
    return user


def sight(told: Story, edition: Edition = Edition.PLAYER, *, words: bool = True, as_of: int | None = None) -> Sight:
    return Sight(told.campaign, edition, words, as_of)


def approve_hidden_change(told: Story) -> None:
    """Approve what tells more of somebody whom players do not know, and of nobody else."""
    people = artifacts.records(sight(told, Edition.GM), 1, "npcs")
    next(each for each in people if each["name"] == VOICE)["source_refs"] = families.refs(told.first, ((7, 7), (8, 8)))
    artifact = told.campaign.sessions.get(number=1).artifacts.get(lane="dnd/npcs")
    kept = artifact.versions.get(state="approved").consolidations
    changed = families.make_version(told.first, "npcs", people, consolidations=kept)
    versions.approve(version_id=changed.pk, note="", by=told.gm)


@pytest.mark.parametrize("as_of", [None, 1])
def test_an_artifact_says_of_its_transcript_what_players_see_of_it(told: Story, as_of: int | None) -> None:
    seen = sight(told, as_of=as_of)
    whole = orjson.loads(artifacts.artifact(sight(told, Edition.GM), 1, "locations").payload)["source"]
    source = orjson.loads(artifacts.artifact(seen, 1, "locations").payload)["source"]
    reading = transcripts.reading(seen, 1)

    assert source == {"source_id": reading.source_id, "digest": reading.digest, "unit_count": len(reading.lines)}
    assert (whole["digest"], whole["unit_count"]) == (told.first.digest, len(story.UNITS))
    assert source["digest"] != whole["digest"]


def test_an_artifact_of_a_transcript_of_which_nothing_is_kept_is_left_alone(told: Story) -> None:
    shown = artifacts.artifact(sight(told), 2, "scenes").payload

    assert shown == artifacts.artifact(sight(told, Edition.GM), 2, "scenes").payload


def test_the_api_tells_players_of_no_gap(told: Story, player: User) -> None:
    client, path = Client(), f"/api/v1/campaigns/{told.campaign.slug}/sessions/1/transcript"
    client.force_login(player)
    whole = client.get(path).json()
    places: list[int] = []
    cursor: str | None = ""
    while cursor is not None:
        page = client.get(path, {"limit": "2", "cursor": cursor}).json()
        cursor = page["next_cursor"]
        places += [orjson.loads(base64.urlsafe_b64decode(cursor))[0]] if cursor else []

    assert set(whole) == {"source_id", "digest", "unit_count", "units", "next_cursor"}
    assert whole["unit_count"] == len(whole["units"]) == len(story.UNITS) - len(HIDDEN)
    assert places == [1, 3, 5, 7, 9]


def test_an_assistant_is_told_of_no_gap(told: Story, player: User) -> None:
    read: list[int] = []
    after: int | None = None
    while True:
        found = tools.stretch(Actor.of_user(player), told.campaign.slug, 1, None, None, after, 3)
        read += [unit.unit_id for unit in found.units]
        after = found.next_position
        if after is None:
            break
        assert after == len(read) - 1

    assert "withheld" not in found.model_dump()
    assert len(read) == found.unit_count == len(story.UNITS) - len(HIDDEN)


class Watched:
    """The index, which notes where it was asked to look."""

    def __init__(self, index: SearchBackend) -> None:
        self._index = index
        self.asked: list[Stretch] = []

    def find(self, query: Query, *, exactly: bool, speaker: str, stretch: Stretch, limit: int) -> list[int]:
        self.asked.append(stretch)
        return self._index.find(query, exactly=exactly, speaker=speaker, stretch=stretch, limit=limit)


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch, db: None) -> Watched:
    found = Watched(backend())
    monkeypatch.setattr(finding, "backend", lambda: found)
    return found


def test_the_index_is_never_asked_for_what_is_withheld(told: Story, watched: Watched) -> None:
    search(sight(told), "key")
    first = told.campaign.sessions.get(number=1).number

    assert watched.asked
    for stretch in watched.asked:
        begin, end = session_and_position(stretch.first), session_and_position(stretch.last)
        assert not any(begin <= (first, at) <= end for at in HIDDEN)


def test_a_search_costs_the_same_whether_hidden_lines_have_the_words_or_not(told: Story, watched: Watched) -> None:
    costs = []
    search(sight(told), "warm-up")
    for query in ("kerker", "nobodysaysthis"):
        watched.asked.clear()
        with CaptureQueriesContext(connection) as queries:
            found = search(sight(told), query, Filters(kind="unit"), limit=1)
        costs.append((len(queries), len(watched.asked), found.after, len(found.hits)))

    assert costs[0] == costs[1]


def test_a_page_of_a_search_goes_on_behind_what_is_withheld(told: Story) -> None:
    def pages(query: str) -> Iterator[tuple[int | None, str | None]]:
        after: str | None = None
        while True:
            page = search(sight(told), query, Filters(kind="unit", session=1), after=after, limit=1)
            yield from ((hit.unit_id, page.after) for hit in page.hits)
            after = page.after
            if after is None:
                return

    found = list(pages("the"))
    places = [orjson.loads(base64.urlsafe_b64decode(after))[1] for _, after in found if after]

    assert {10, 11} <= {unit for unit, _ in found}
    assert not {20, 30} & {unit for unit, _ in found}
    at = {session_and_position(place)[1] for place in places}
    assert max(at) < len(story.UNITS) - len(HIDDEN)


def numbers(told: Story) -> Mapping[datetime, list[int]]:
    found: dict[datetime, list[int]] = {}
    for row in changes.changes(sight(told), limit=100):
        found.setdefault(row.at, []).append(row.number)
    return found


def test_changes_are_numbered_without_a_gap_that_counts_what_is_hidden(told: Story) -> None:
    """What was told before it was hidden leaves no number behind, and what game masters are told takes none."""
    rows = Change.objects.filter(campaign=told.campaign)

    assert rows.filter(edition="gm").count() > rows.filter(edition="player").count() > 0
    for at, given in numbers(told).items():
        first = (at - EPOCH) // timedelta(microseconds=1)
        assert given == list(range(first, first + len(given)))


def test_hiding_what_was_told_moves_no_number_up_and_loses_no_reader(told: Story) -> None:
    before = {(row.change, row.entity_id): row.number for row in changes.changes(sight(told), limit=100)}
    last = max(before.values())
    people = artifacts.records(sight(told, Edition.GM), 2, "npcs")
    second = told.campaign.sessions.get(number=2).transcripts.get()
    new = [story.npc(second, name, (1, 1)) for name in ("Anna", "Bela")]
    story.approve(second, "npcs", [*people, *new], told.gm)
    read = [row.name for row in changes.changes(sight(told), after=last, limit=100)]
    gone, stays = read
    hidden = next(each["id"] for each in new if each["name"] == gone)
    secrets.hide_entry(campaign=told.campaign, kind="npc", entity_id=str(hidden), by=told.gm)
    after = {(row.change, row.entity_id): row.number for row in changes.changes(sight(told), limit=100)}

    assert {gone, stays} == {"Anna", "Bela"}
    assert all(after[key] <= number for key, number in before.items() if key in after)
    assert [row.name for row in changes.changes(sight(told), after=last, limit=100)] == [stays]
    for at, given in numbers(told).items():
        assert given[0] == (at - EPOCH) // timedelta(microseconds=1)


def test_the_feed_and_the_page_name_a_change_by_its_own_number(told: Story) -> None:
    address = f"/campaigns/{told.campaign.slug}/changes"
    page, feed = (Client().get(f"{address}{end}").content.decode() for end in ("/", ".atom"))

    for given in numbers(told).values():
        assert all(f'id="c{number}"' in page and f"#c{number}<" in feed for number in given)


@pytest.mark.parametrize("role", ["nobody", "player"])
def test_why_something_is_stale_is_for_those_who_see_what_is_pending(told: Story, player: User, role: str) -> None:
    bound: dict[str, JsonValue] = {"npcs": {"lane": "dnd/npcs", "version": 1, "why": "approved", "digest": "0" * 64}}
    artifact = told.campaign.sessions.get(number=1).artifacts.get(lane="dnd/npc-occurrences")
    artifact.versions.update(manifest={"references": bound})
    approve_hidden_change(told)
    paths = [f"/api/v1/campaigns/{told.campaign.slug}/sessions/1{end}" for end in ("", "/artifacts")]

    def reasons(user: User | None) -> list[Any]:
        client = Client()
        if user is not None:
            client.force_login(user)
        found = [client.get(path).json() for path in paths]
        return [each["stale"] for one in found for each in one.get("artifacts", one.get("items"))]

    assert any(reasons(told.gm))
    assert not any(reasons(None if role == "nobody" else player))


def test_nobody_in_particular_reads_the_title_of_a_session(told: Story) -> None:
    assert {line.title for line in sessions.sessions(sight(told, words=False))} == {""}
    assert "The mill" in {line.title for line in sessions.sessions(sight(told))}
    listed = Client().get(f"/api/v1/campaigns/{told.campaign.slug}/sessions").json()["items"]
    page = Client().get(f"/campaigns/{told.campaign.slug}/").content.decode()

    assert {each["title"] for each in listed} == {""}
    assert "Session 1" in page and "The mill" not in page


def test_who_has_seen_some_sessions_is_not_told_how_many_there_are(told: Story, player: User) -> None:
    client = Client()
    client.force_login(player)
    page = client.get(f"/campaigns/{told.campaign.slug}/?as_of=2").content.decode()

    assert [number for number in (1, 2, 3) if f'<option value="{number}"' in page] == [1, 2]
    assert '<option value=""' in page
    assert '<option value="3"' in client.get(f"/campaigns/{told.campaign.slug}/?as_of=").content.decode()
    assert '<option value=""' in client.get(f"/campaigns/{told.campaign.slug}/?as_of=0").content.decode()


def test_a_sight_made_of_another_remembers_nothing_of_it(told: Story) -> None:
    seen = sight(told, as_of=1)
    sessions.visible(seen, 1)
    other = replace(seen, as_of=None)

    assert seen.memo and not other.memo


@pytest.mark.parametrize("as_of", [None, 1])
def test_the_digest_of_all_that_players_see_is_of_nothing_else(told: Story, as_of: int | None) -> None:
    before, before_gm = edition_digest(sight(told, as_of=as_of)), edition_digest(sight(told, Edition.GM, as_of=as_of))
    approve_hidden_change(told)
    assert edition_digest(sight(told, as_of=as_of)) == before
    assert edition_digest(sight(told, Edition.GM, as_of=as_of)) != before_gm
    secrets.hide_range(session=told.first.session, start_unit=9, end_unit=9, by=told.gm)

    assert edition_digest(sight(told, as_of=as_of)) != before


def test_no_address_of_what_players_read_has_the_digest_of_the_whole_transcript(told: Story, player: User) -> None:
    client = Client()
    client.force_login(player)
    base = f"/api/v1/campaigns/{told.campaign.slug}/sessions/1"
    families_shown = [each["family"] for each in client.get(f"{base}/artifacts").json()["items"]]

    for path in (f"{base}/transcript", *(f"{base}/artifacts/{family}" for family in families_shown)):
        got = client.get(path)
        assert told.first.digest not in got.content.decode() + str(got.headers)


def test_a_corrected_hidden_line_changes_no_tag_of_the_transcript(told: Story, player: User) -> None:
    client, path = Client(), f"/api/v1/campaigns/{told.campaign.slug}/sessions/1/transcript"
    client.force_login(player)
    before = client.get(path)["ETag"]
    told.first.units.filter(unit_id=20).update(text="Only somebody else has it.")
    type(told.first).objects.filter(pk=told.first.pk).update(digest="f" * 64)

    assert client.get(path)["ETag"] == before
    assert UNPROVEN not in client.get(path).content.decode()
