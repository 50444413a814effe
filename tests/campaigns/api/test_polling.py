"""Cheap to ask often: tags that change with what one sees and with nothing else, cursors that hold while rows come."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from campaigns.actions import secrets, versions
from campaigns.api.answers import Keyset
from campaigns.models import ArtifactVersion, Campaign, RegistryEntry, Transcript
from extraction.identity import comparison_key, npc_id
from tests import factories
from tests.campaigns.api.conftest import bearer

ROOT = "/api/v1/campaigns/salt-ferry"
PATHS = (
    "/npcs",
    "/npcs?limit=2",
    "/npcs?fields=id,name",
    "/npcs?q=w",
    "/npcs?as_of=1",
    "/items",
    "/npcs.ndjson",
    "/sessions",
    "/sessions/1",
    "/sessions/1/transcript",
    "/sessions/1/transcript?limit=3",
    "/sessions/1/artifacts",
    "/sessions/1/artifacts/npcs",
    "/changes",
    "/search?q=wick",
    f"/npcs/{npc_id(comparison_key('Wick'))}",
    f"/npcs/{npc_id(comparison_key('Wick'))}?quotes=true",
    f"/npcs/{npc_id(comparison_key('Wick'))}/occurrences",
)
TEXT = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=300)
BOUNDED = settings(
    max_examples=12, deadline=None, database=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
NAMES = st.text(st.characters(min_codepoint=97, max_codepoint=104), min_size=1, max_size=4)


def body_of(got: Any) -> bytes:  # Any: a response of the test client, streamed or not
    return b"".join(got.streaming_content) if got.streaming else bytes(got.content)


@pytest.mark.parametrize("path", PATHS)
def test_tag_stays_while_nothing_changes_and_saves_the_body(path: str, reader: User, approved: ArtifactVersion) -> None:
    client = bearer(reader, "read")
    first, second = client.get(ROOT + path), client.get(ROOT + path)
    again = client.get(ROOT + path, headers={"if-none-match": first["ETag"]})

    assert first["ETag"] == second["ETag"]
    assert first["ETag"].startswith('"')
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])


def test_tags_of_different_questions_differ(reader: User, approved: ArtifactVersion) -> None:
    client = bearer(reader, "read")
    tags = [client.get(ROOT + path)["ETag"] for path in PATHS if path not in ("/items", "/npcs?q=w")]

    assert len(set(tags)) == len(tags)


@pytest.mark.parametrize("path", ["/npcs", "/npcs.ndjson", "/sessions/1/transcript", "/changes"])
@BOUNDED
@given(other=st.text(st.sampled_from('abc0*"W/, '), max_size=12))
def test_tag_that_was_not_given_out_gets_the_body(
    path: str, other: str, reader: User, approved: ArtifactVersion
) -> None:
    with override_settings(API_RATE=10**9):
        got = bearer(reader, "read").get(ROOT + path, headers={"if-none-match": other})

    # A star stands for whatever there is.
    assert got.status_code == (304 if other.strip() == "*" else 200)


def test_tag_of_a_page_tells_its_bytes_apart(gm: User, campaign: Campaign, approved: ArtifactVersion) -> None:
    """Over a history of approvals: equal tags have equal bodies, and another body has another tag."""
    client = bearer(gm, "read")
    seen: dict[str, tuple[str, bytes]] = {}
    for number in range(2, 7):
        names: factories.Ranges = {"Wick": ((50, 52),)} if number % 2 else {f"Guest {number}": ((50, 52),)}
        version = factories.make_version(factories.make_transcript(factories.make_session(campaign, number)), names)
        versions.approve(version_id=version.pk, note="", by=gm)
        for path in ("/npcs", "/npcs?limit=1", "/items", "/npcs.ndjson"):
            got = client.get(ROOT + path)
            body = body_of(got)
            assert seen.setdefault(got["ETag"], (path, body)) == (path, body)

    assert len({path for path, _ in seen.values()}) == 4


def test_secret_of_the_game_masters_leaves_a_players_tag_as_it_was(
    gm: User, player: User, campaign: Campaign, approved: ArtifactVersion
) -> None:
    secrets.hide_entry(campaign=campaign, kind="npc", entity_id=npc_id(comparison_key("Wick")), by=gm)
    theirs = bearer(player, "read").get(f"{ROOT}/npcs")["ETag"]
    dell = npc_id(comparison_key("Harbourmaster Dell"))
    before = bearer(gm, "read").get(f"{ROOT}/npcs")["ETag"]
    secrets.hide_entry(campaign=campaign, kind="npc", entity_id=dell, by=gm)
    after = bearer(player, "read").get(f"{ROOT}/npcs", headers={"if-none-match": theirs})

    assert after.status_code == 200
    assert "Dell" not in after.content.decode()
    assert bearer(gm, "read").get(f"{ROOT}/npcs", headers={"if-none-match": before}).status_code == 304


@pytest.mark.parametrize("who", ["gm", "reader"])
def test_unchanged_page_takes_three_queries(who: str, gm: User, reader: User, approved: ArtifactVersion) -> None:
    client = bearer({"gm": gm, "reader": reader}[who], "read")
    tag = client.get(f"{ROOT}/npcs")["ETag"]
    with CaptureQueriesContext(connection) as seen:
        got = client.get(f"{ROOT}/npcs", headers={"if-none-match": tag})

    assert got.status_code == 304
    assert len(seen) == 3, [query["sql"] for query in seen]


@pytest.mark.parametrize(
    "path",
    ["/npcs?limit=200", "/npcs.ndjson", "/npcs.ndjson?quotes=true", "/changes?limit=200", "/sessions"],
)
def test_queries_do_not_grow_with_the_rows(path: str, gm: User, transcript: Transcript) -> None:
    client, counts = bearer(gm, "read"), []
    client.get(ROOT + path)
    for people in (3, 60):
        npcs = {f"Person {number}": ((44, 46), (55, 55)) for number in range(people)}
        versions.approve(version_id=factories.make_version(transcript, npcs).pk, note="", by=gm)
        with CaptureQueriesContext(connection) as seen:
            got = client.get(ROOT + path)
            body = body_of(got)
        counts.append(len(seen))
        assert body

    assert counts[0] == counts[1]


@BOUNDED
@given(
    there=st.lists(NAMES, min_size=1, max_size=8, unique=True),
    comes=st.lists(st.lists(NAMES, max_size=3, unique=True), max_size=12),
    limit=st.integers(1, 4),
)
def test_pages_hold_every_old_entry_once_whatever_comes_meanwhile(
    there: list[str], comes: list[list[str]], limit: int, reader: User, campaign: Campaign
) -> None:
    RegistryEntry.objects.filter(campaign=campaign).delete()
    add(campaign, there)
    client, got, cursor, arrivals = bearer(reader, "read"), [], "", iter(comes)
    with override_settings(API_RATE=10**9):
        while cursor is not None:
            page = client.get(f"{ROOT}/npcs?limit={limit}&cursor={cursor}").json()
            got += [item["name"] for item in page["items"]]
            cursor = page["next_cursor"]
            add(campaign, next(arrivals, []))

    assert len(got) == len(set(got))
    assert got == sorted(got)
    assert set(there) <= set(got)


def add(campaign: Campaign, names: list[str]) -> None:
    RegistryEntry.objects.bulk_create(
        [
            RegistryEntry(campaign=campaign, kind="npc", entity_id=npc_id(name), name=name, key=name, evidence_count=1)
            for name in names
        ],
        ignore_conflicts=True,
    )


@given(key=st.tuples(TEXT, st.integers(0, 2**62)))
def test_cursor_gives_back_the_key_that_it_was_made_of(key: tuple[str, int]) -> None:
    order = Keyset({"name": str, "number": int})

    assert order.after(order.cursor(key)) == key


@pytest.mark.parametrize("limit", [1, 2, 5, 200])
def test_transcript_is_whole_by_cursor(limit: int, reader: User, transcript: Transcript) -> None:
    client, units, cursor = bearer(reader, "read"), [], ""
    while cursor is not None:
        page = client.get(f"{ROOT}/sessions/1/transcript?limit={limit}&cursor={cursor}").json()
        units += page["units"]
        cursor = page["next_cursor"]

    assert units == client.get(f"{ROOT}/sessions/1/transcript").json()["units"]


def test_changes_are_told_once_and_since_stays_while_nothing_happens(
    gm: User, campaign: Campaign, approved: ArtifactVersion
) -> None:
    client = bearer(gm, "read")
    told, since, more = [], "", True
    while more:
        news = client.get(f"{ROOT}/changes?limit=2&since={since}").json()
        told += [change["name"] for change in news["items"]]
        since, more = news["since"], news["more"]
    quiet = client.get(f"{ROOT}/changes?since={since}").json()
    later = factories.make_version(factories.make_transcript(factories.make_session(campaign, 2)), {"Sable": ((9, 9),)})
    versions.approve(version_id=later.pk, note="", by=gm)
    news = client.get(f"{ROOT}/changes?since={since}").json()

    assert sorted(told) == sorted(approved_names(approved))
    assert quiet == {"items": [], "since": since, "more": False}
    assert [(change["name"], change["change"], change["session"]) for change in news["items"]] == [
        ("Sable", "created", 2)
    ]


def approved_names(version: ArtifactVersion) -> list[str]:
    records: list[dict[str, Any]] = json.loads(version.payload)["npcs"]
    return [record["name"] for record in records]


def test_whole_registry_comes_a_line_an_entry_with_its_words(reader: User, approved: ArtifactVersion) -> None:
    client = bearer(reader, "read")
    got = client.get(f"{ROOT}/npcs.ndjson?quotes=true")
    rows = [json.loads(line) for line in body_of(got).splitlines()]

    assert got["Content-Type"] == "application/x-ndjson"
    assert rows == [client.get(f"{ROOT}/npcs/{row['id']}?quotes=true").json() for row in rows]
    assert [row["name"] for row in rows] == sorted(approved_names(approved), key=comparison_key)


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/npcs", {"name"}),
        ("/npcs", {"id", "sessions"}),
        ("/npcs.ndjson", {"id", "evidence"}),
        (f"/npcs/{npc_id(comparison_key('Wick'))}", {"name", "other_ids"}),
        ("/sessions/1/transcript", {"unit_id", "text"}),
    ],
)
def test_fields_leave_the_rest_out(path: str, fields: set[str], reader: User, approved: ArtifactVersion) -> None:
    got = bearer(reader, "read").get(f"{ROOT}{path}?fields={','.join(sorted(fields))}")
    body = body_of(got)
    first = json.loads(body.splitlines()[0])
    row = next((first[name][0] for name in ("items", "units") if name in first), first)

    assert set(row) == fields


def test_field_that_there_is_not_is_refused(reader: User, approved: ArtifactVersion) -> None:
    got = bearer(reader, "read").get(f"{ROOT}/npcs?fields=id,secret")

    assert (got.status_code, got.json()["errors"][0]["parameter"]) == (422, "fields")


def test_as_of_answers_as_if_the_campaign_had_ended_there(
    gm: User, reader: User, campaign: Campaign, approved: ArtifactVersion
) -> None:
    later = factories.make_version(factories.make_transcript(factories.make_session(campaign, 2)), {"Sable": ((9, 9),)})
    versions.approve(version_id=later.pk, note="", by=gm)
    client = bearer(reader, "read")
    names = {
        as_of: [item["name"] for item in client.get(f"{ROOT}/npcs{as_of}").json()["items"]]
        for as_of in ("", "?as_of=1", "?as_of=2")
    }

    assert names[""] == names["?as_of=2"]
    assert set(names[""]) - set(names["?as_of=1"]) == {"Sable"}
    assert client.get(f"{ROOT}/sessions/2?as_of=1").status_code == 404


def test_game_master_may_look_as_a_player(gm: User, campaign: Campaign, approved: ArtifactVersion) -> None:
    wick = npc_id(comparison_key("Wick"))
    secrets.hide_entry(campaign=campaign, kind="npc", entity_id=wick, by=gm)
    client = bearer(gm, "read")

    assert client.get(f"{ROOT}/npcs/{wick}").status_code == 200
    assert client.get(f"{ROOT}/npcs/{wick}?edition=player").status_code == 404
    assert Client().get(f"{ROOT}/npcs/{wick}").status_code == 404
