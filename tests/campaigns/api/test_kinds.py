"""Items and places over HTTP, and ids that lead to an entry which is not called by them any more."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from campaigns.actions import versions
from campaigns.models import ArtifactVersion, Campaign, Transcript
from extraction.identity import comparison_key, npc_id
from tests import factories
from tests.campaigns.api.conftest import bearer
from tests.campaigns.review import families
from tests.standard import UNITS

ROOT = "/api/v1/campaigns/salt-ferry"
STATUSES = ("approved", "latest")


@pytest.fixture
def later(campaign: Campaign, transcript: Transcript) -> Transcript:
    return factories.make_transcript(factories.make_session(campaign, 2))


def publish(
    gm: User,
    status: str,
    transcript: Transcript,
    family: str,
    *records: families.Record,
    consolidations: families.Record | None = None,
) -> ArtifactVersion:
    """Store a version that is approved, or only the latest, and supersede the pending one before it."""
    ArtifactVersion.objects.filter(
        artifact__session=transcript.session, artifact__lane=f"dnd/{family}", state="pending"
    ).update(state="superseded")
    version = families.make_version(transcript, family, records, consolidations=consolidations)
    return versions.approve(version_id=version.pk, note="", by=gm) if status == "approved" else version


@pytest.mark.parametrize("status", STATUSES)
def test_items_of_sessions_join_by_id(status: str, gm: User, transcript: Transcript, later: Transcript) -> None:
    clapper = families.item(transcript, "The Clapper", ((14, 14), (16, 16)))
    publish(gm, status, transcript, "items", clapper)
    publish(gm, status, later, "items", families.item(later, "the clapper"), families.item(later, "Candle"))
    client = bearer(gm, "read")
    listed = client.get(f"{ROOT}/items?status={status}").json()["items"]
    shown = client.get(f"{ROOT}/items/{clapper['id']}?status={status}&quotes=true").json()
    text = {unit.unit_id: f"{unit.speaker}: {unit.text}" for unit in UNITS}

    assert [(item["name"], item["sessions"], item["evidence_count"]) for item in listed] == [
        ("Candle", [2], 1),
        ("The Clapper", [1, 2], 3),
    ]
    assert [(each["session"], each["quote"]) for each in shown["evidence"]] == [
        (1, text[14]),
        (1, text[16]),
        (2, text[16]),
    ]


@pytest.mark.parametrize("status", STATUSES)
def test_places_join_by_name_and_every_member_id_answers_with_the_current_one(
    status: str, gm: User, transcript: Transcript, later: Transcript
) -> None:
    first, second = families.place(transcript, "Saltwick"), families.place(later, "SALTWICK", ((9, 9),))
    publish(gm, status, later, "locations", second)
    publish(gm, status, transcript, "locations", first)
    client = bearer(gm, "read")
    listed = client.get(f"{ROOT}/locations?status={status}").json()["items"]
    answers = [client.get(f"{ROOT}/locations/{each['id']}?status={status}") for each in (first, second)]

    assert listed == [{"id": first["id"], "name": "Saltwick", "sessions": [1, 2], "evidence_count": 2}]
    assert [got.status_code for got in answers] == [200, 200]
    assert answers[0].json() == answers[1].json()
    assert answers[0].json()["id"] == first["id"]
    assert answers[0]["ETag"] != answers[1]["ETag"]


@pytest.mark.parametrize("status", STATUSES)
def test_places_of_one_name_in_one_session_stay_apart(
    status: str, gm: User, transcript: Transcript, later: Transcript
) -> None:
    gates = [families.place(transcript, "The Gate"), families.place(transcript, "The Gate", ((9, 9),))]
    other = families.place(later, "The Gate", ((14, 14),))
    publish(gm, status, transcript, "locations", *gates)
    publish(gm, status, later, "locations", other)
    client = bearer(gm, "read")
    paged = _walk(client, f"{ROOT}/locations?status={status}&limit=1")
    shown = [client.get(f"{ROOT}/locations/{gate['id']}?status={status}").json() for gate in gates]

    assert sorted(str(item["id"]) for item in paged) == sorted(str(each["id"]) for each in (*gates, other))
    assert [each["evidence"][0]["start_unit_id"] for each in shown] == [41, 9]


@pytest.mark.parametrize("status", STATUSES)
def test_consolidated_id_answers_with_the_current_one(status: str, gm: User, transcript: Transcript) -> None:
    billy = {**families.item(transcript, "Billy"), "id": npc_id(comparison_key("Billy"))}
    druid = {**billy, "id": npc_id(comparison_key("Billy the druid")), "name": "Billy the druid"}
    applied = {"applied": [{"id": billy["id"], "canonical": "Billy", "members": [billy, druid]}]}
    publish(gm, status, transcript, "npcs", billy, consolidations=applied)
    got = bearer(gm, "read").get(f"{ROOT}/npcs/{druid['id']}?status={status}")

    assert (got.status_code, got.json()["id"], got.json()["name"]) == (200, billy["id"], "Billy")


@pytest.mark.parametrize("status", STATUSES)
def test_id_of_a_place_whose_anchor_moved_keeps_answering(status: str, gm: User, transcript: Transcript) -> None:
    before, now = families.place(transcript, "Saltwick"), families.place(transcript, "Saltwick", ((44, 44),))
    publish(gm, "approved", transcript, "locations", before)
    publish(gm, status, transcript, "locations", now)
    got = bearer(gm, "read").get(f"{ROOT}/locations/{before['id']}?status={status}")

    assert (got.status_code, got.json()["id"]) == (200, now["id"])


def test_id_of_another_campaign_or_kind_is_unknown(gm: User, transcript: Transcript) -> None:
    place, thing = families.place(transcript, "Saltwick"), families.item(transcript, "Clapper")
    publish(gm, "approved", transcript, "locations", place)
    publish(gm, "approved", transcript, "items", thing)
    client = bearer(gm, "read")
    factories.make_membership(factories.make_campaign("elsewhere"), gm, "gm")

    assert client.get(f"{ROOT}/items/{place['id']}").status_code == 404
    assert client.get(f"{ROOT}/locations/{thing['id']}").json()["code"] == "entry.unknown"
    assert client.get(f"/api/v1/campaigns/elsewhere/locations/{place['id']}").status_code == 404


def test_etag_of_the_latest_list_follows_a_version_that_differs_in_its_consolidations_alone(
    gm: User, transcript: Transcript
) -> None:
    place = families.place(transcript, "Saltwick")
    publish(gm, "latest", transcript, "locations", place)
    client, path = bearer(gm, "read"), f"{ROOT}/locations/{place['id']}?status=latest"
    before = client.get(path)["ETag"]
    applied = {"applied": [{"id": place["id"], "canonical": "Saltwick", "members": [place]}]}
    publish(gm, "latest", transcript, "locations", place, consolidations=applied)

    assert client.get(path, headers={"if-none-match": before}).status_code == 200


def test_entry_takes_a_constant_number_of_queries(gm: User, campaign: Campaign) -> None:
    client, counts = bearer(gm, "read"), []
    client.get(f"{ROOT}/locations")
    for number in range(1, 7):
        transcript = factories.make_transcript(factories.make_session(campaign, number))
        place = families.place(transcript, "Saltwick")
        publish(gm, "approved", transcript, "locations", place)
        with CaptureQueriesContext(connection) as seen:
            client.get(f"{ROOT}/locations/{place['id']}?status=latest")
            client.get(f"{ROOT}/locations?status=latest")
            client.get(f"{ROOT}/locations")
        counts.append(len(seen))

    assert len(set(counts)) == 1


def _walk(client: Client, path: str) -> list[dict[str, object]]:
    got: list[dict[str, object]] = []
    cursor: str | None = ""
    while cursor is not None:
        page = client.get(f"{path}&cursor={cursor}").json()
        got += page["items"]
        cursor = page["next_cursor"]
    return got
