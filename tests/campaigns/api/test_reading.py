from __future__ import annotations

import hashlib

import pytest
from django.contrib.auth.models import User
from django.test import Client

from campaigns.actions import versions
from campaigns.models import ArtifactVersion, Campaign, Transcript
from tests import factories
from tests.campaigns.api.conftest import bearer
from tests.campaigns.review import families
from tests.standard import UNITS

SESSION = "/api/v1/campaigns/salt-ferry/sessions/1"
IDS = [unit.unit_id for unit in UNITS]


@pytest.fixture
def client(gm: User) -> Client:
    return bearer(gm, "read")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param("", IDS, id="all"),
        pytest.param("?start_unit=204&end_unit=206", IDS[IDS.index(204) : IDS.index(206) + 1], id="by-position"),
        pytest.param("?start_unit=208", IDS[IDS.index(208) :], id="to-the-end"),
        pytest.param("?end_unit=42", [41, 42], id="from-the-start"),
    ],
)
def test_transcript_is_in_document_order(
    query: str, expected: list[int], client: Client, transcript: Transcript
) -> None:
    got = client.get(f"{SESSION}/transcript{query}")

    assert [unit["unit_id"] for unit in got.json()["units"]] == expected
    assert got.json()["digest"] == transcript.digest
    assert client.get(f"{SESSION}/transcript{query}", headers={"if-none-match": got["ETag"]}).status_code == 304


def test_artifact_is_the_stored_bytes_under_their_media_type(client: Client, approved: ArtifactVersion) -> None:
    got = client.get(f"{SESSION}/artifacts/npcs")

    assert got["Content-Type"] == "application/vnd.notarius.dnd.npcs.v1+json"
    assert hashlib.sha256(got.content).hexdigest() == approved.digest
    assert client.get(f"{SESSION}/artifacts/npcs", headers={"if-none-match": got["ETag"]}).status_code == 304


def test_artifact_is_chosen_by_status_or_number(
    client: Client, reader: User, transcript: Transcript, approved: ArtifactVersion
) -> None:
    newer = factories.make_version(transcript, {"Wick": ((50, 52),)})
    path = f"{SESSION}/artifacts/npcs"

    assert client.get(path).content.decode() == approved.payload
    assert client.get(f"{path}?status=latest").content.decode() == newer.payload
    assert client.get(f"{path}?version=2").content.decode() == newer.payload
    assert bearer(reader, "read").get(f"{path}?version=1").status_code == 200
    assert bearer(reader, "read").get(f"{path}?version=2").status_code == 404


def test_session_shows_artifact_states_as_far_as_one_may_see(
    client: Client, reader: User, transcript: Transcript, approved: ArtifactVersion
) -> None:
    newer = factories.make_version(transcript)
    own, theirs = (who.get(SESSION).json()["artifacts"] for who in (client, bearer(reader, "read")))
    both = {"family": "npcs", "approved": 1, "approved_id": approved.pk, "stale": []}

    assert own == [both | {"latest": 2, "latest_id": newer.pk}]
    assert theirs == [both | {"latest": 1, "latest_id": approved.pk}]
    assert client.get(f"{SESSION}/artifacts").json() == {"items": own, "next_cursor": None}


def test_session_says_what_is_stale_and_why_as_far_as_one_may_see(
    client: Client, reader: User, transcript: Transcript, approved: ArtifactVersion
) -> None:
    newer = factories.make_version(transcript)
    factories.make_transcript(transcript.session, UNITS[:-1])
    own, theirs = (who.get(SESSION).json()["artifacts"][0]["stale"] for who in (client, bearer(reader, "read")))
    reason = {"reason": "transcript", "family": "npcs", "was": 1, "now": 2}

    assert own == [{"version": 1, **reason}, {"version": newer.number, **reason}]
    assert theirs == []


def test_rejected_artifact_is_gone(client: Client, gm: User, pending: ArtifactVersion) -> None:
    versions.reject(version_id=pending.pk, note="", by=gm)

    assert client.get(f"{SESSION}/artifacts/npcs?status=latest").status_code == 404
    assert client.get(SESSION).json()["artifacts"] == []


@pytest.mark.parametrize("limit", [1, 2, 3, 50])
def test_lists_of_sessions_and_campaigns_page_through_all(
    limit: int, gm: User, campaign: Campaign, admin: User
) -> None:
    for number in (3, 1, 2):
        factories.make_session(campaign, number)
    for slug in ("b", "a"):
        factories.make_campaign(slug, name="One name for two")

    assert _walk(bearer(gm, "read"), "/api/v1/campaigns/salt-ferry/sessions", limit, "number") == [1, 2, 3]
    assert _walk(bearer(admin, "read"), "/api/v1/campaigns", limit, "slug") == ["a", "b", "salt-ferry"]


@pytest.mark.parametrize("family", families.RECORDS_KEYS)
def test_artifact_of_each_family_is_served_to_its_audience(
    family: str, client: Client, reader: User, gm: User, transcript: Transcript
) -> None:
    version = families.make_version(transcript, family, families.one_of_each(transcript)[family])
    path = f"{SESSION}/artifacts/{family}"
    pending = [who.get(f"{path}?status=latest").status_code for who in (client, bearer(reader, "read"))]
    versions.approve(version_id=version.pk, note="", by=gm)
    got = bearer(reader, "read").get(path)

    assert pending == [200, 404]
    assert (got.content.decode(), got["Content-Type"]) == (
        version.payload,
        f"application/vnd.notarius.dnd.{family}.v1+json",
    )
    assert client.get(path, headers={"if-none-match": got["ETag"]}).status_code == 304


def test_session_shows_the_states_of_all_families(client: Client, transcript: Transcript) -> None:
    for family, records in families.one_of_each(transcript).items():
        families.make_version(transcript, family, records)
    shown = client.get(f"{SESSION}/artifacts").json()["items"]

    assert [item["family"] for item in shown] == sorted(families.RECORDS_KEYS)
    assert {(item["approved"], item["latest"]) for item in shown} == {(None, 1)}


def test_docs_page_loads_nothing_from_elsewhere(db: None) -> None:
    html = Client().get("/api/v1/docs").content.decode()

    assert "//" not in html.replace('xmlns="http://www.w3.org', "").replace("</", "")


def _walk(client: Client, path: str, limit: int, field: str) -> list[object]:
    got: list[object] = []
    cursor: str | None = ""
    while cursor is not None:
        page = client.get(f"{path}?limit={limit}&cursor={cursor}").json()
        got += [item[field] for item in page["items"]]
        cursor = page["next_cursor"]
    return got


def test_nobody_in_particular_gets_an_artifact_without_its_words(
    client: Client, public: Campaign, gm: User, transcript: Transcript
) -> None:
    version = families.make_version(transcript, "combat-turns", families.one_of_each(transcript)["combat-turns"])
    versions.approve(version_id=version.pk, note="", by=gm)
    path = f"{SESSION}/artifacts/combat-turns"
    whole, wordless = client.get(path), Client().get(path)
    turn, served = whole.json()["turns"][0], wordless.json()["turns"][0]

    assert whole.content.decode() == version.payload
    assert served["source_refs"] == turn["source_refs"]
    assert (served["actor"], served["round"]) == (turn["actor"], turn["round"])
    assert turn["summary"] not in wordless.content.decode()
    assert not any(action["declaration"] in wordless.content.decode() for action in turn["actions"])
    assert Client().get(path, headers={"if-none-match": whole["ETag"]}).status_code == 200
    assert Client().get(path, headers={"if-none-match": wordless["ETag"]}).status_code == 304


def test_hidden_version_answers_like_one_that_does_not_exist(
    public: Campaign, transcript: Transcript, approved: ArtifactVersion
) -> None:
    factories.make_version(transcript, {"Wick": ((50, 52),)})
    hidden, absent = (Client().get(f"{SESSION}/artifacts/npcs?version={number}") for number in (2, 3))

    assert hidden.status_code == absent.status_code == 404
    assert hidden.json() == absent.json()
