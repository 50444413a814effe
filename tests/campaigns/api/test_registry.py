from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from campaigns.actions import versions
from campaigns.models import ArtifactVersion, Campaign, RegistryEntry, Transcript
from extraction.identity import comparison_key, npc_id
from tests import factories
from tests.campaigns.api.conftest import bearer
from tests.standard import NPCS, UNITS

LIST = "/api/v1/campaigns/salt-ferry/npcs"
NAMES = sorted(NPCS, key=comparison_key)


def names(client: Client, path: str = LIST) -> list[str]:
    return [item["name"] for item in client.get(path).json()["items"]]


def test_registry_holds_none_of_a_pending_version(gm: User, pending: ArtifactVersion) -> None:
    client = bearer(gm, "read")
    dell = npc_id(comparison_key("Harbourmaster Dell"))

    assert client.get(LIST).json() == {"items": [], "next_cursor": None}
    assert client.get(f"{LIST}/{dell}").status_code == 404
    assert client.get("/api/v1/campaigns/salt-ferry/sessions/1/artifacts/npcs").status_code == 404


def test_registry_holds_an_approved_version(gm: User, pending: ArtifactVersion) -> None:
    client = bearer(gm, "write")
    decided = client.post(
        f"/api/v1/artifact-versions/{pending.pk}/approve", {"note": "checked"}, content_type="application/json"
    )
    items = client.get(LIST).json()["items"]

    assert (decided.json()["state"], decided.json()["note"]) == ("approved", "checked")
    assert [item["name"] for item in items] == NAMES
    assert items[0] == {
        "id": npc_id(comparison_key(NAMES[0])),
        "name": NAMES[0],
        "sessions": [1],
        "evidence_count": len(NPCS[NAMES[0]]),
    }


def test_registry_latest_holds_pending_records_for_game_masters(
    gm: User, reader: User, pending: ArtifactVersion
) -> None:
    latest = f"{LIST}?status=latest"
    dell = npc_id(comparison_key("Harbourmaster Dell"))

    assert names(bearer(gm, "read"), latest) == NAMES
    assert bearer(gm, "read").get(f"{LIST}/{dell}?status=latest").json()["evidence_count"] == 3
    assert bearer(reader, "read").get(latest).status_code == 404
    assert bearer(reader, "read").get(f"{LIST}/{dell}?status=latest").status_code == 404


def test_registry_unites_sessions(gm: User, campaign: Campaign, approved: ArtifactVersion) -> None:
    later = factories.make_transcript(factories.make_session(campaign, 2))
    version = factories.make_version(later, {"Wick": ((41, 41),), "Brother Sable": ((9, 9),)})
    versions.approve(version_id=version.pk, note="", by=gm)
    client = bearer(gm, "read")
    wick = client.get(f"{LIST}/{npc_id(comparison_key('Wick'))}").json()

    assert wick["sessions"] == [1, 2]
    assert [item["session"] for item in wick["evidence"]] == [1, 1, 2]
    assert names(client, f"{LIST}?session=2") == ["Brother Sable", "Wick"]
    assert names(client, f"{LIST}?session=3") == []


@pytest.mark.parametrize(
    ("q", "expected"),
    [
        pytest.param("VOSS", ["Aurelio Voss"], id="any-case"),
        pytest.param("l", ["Aurelio Voss", "Harbourmaster Dell", "Mother Quillon"], id="part"),
        pytest.param("%", [], id="wildcard-is-a-letter"),
        pytest.param("_", [], id="underscore-is-a-letter"),
    ],
)
@pytest.mark.parametrize("status", ["approved", "latest"])
def test_registry_search_finds_part_of_a_name(
    q: str, expected: list[str], status: str, gm: User, approved: ArtifactVersion
) -> None:
    got = bearer(gm, "read").get(LIST, {"q": q, "status": status}).json()["items"]

    assert [item["name"] for item in got] == expected


@pytest.mark.parametrize("status", ["approved", "latest"])
@pytest.mark.parametrize("limit", [1, 2, 3, 4, 200])
def test_registry_pages_hold_every_entry_once(limit: int, status: str, gm: User, approved: ArtifactVersion) -> None:
    assert walk(bearer(gm, "read"), limit, status) == NAMES


def test_registry_pages_hold_every_old_entry_once_while_new_ones_arrive(
    gm: User, campaign: Campaign, approved: ArtifactVersion
) -> None:
    client, got, cursor = bearer(gm, "read"), [], None
    for turn in range(20):
        page = client.get(LIST, {"limit": 1, **({"cursor": cursor} if cursor else {})}).json()
        got += [item["name"] for item in page["items"]]
        for name in (f"A{turn}", f"M{turn}", f"Z{turn}"):
            key = comparison_key(name)
            RegistryEntry.objects.create(
                campaign=campaign, kind="npc", entity_id=npc_id(key), name=name, key=key, evidence_count=1
            )
        cursor = page["next_cursor"]

    assert [name for name in got if name in NAMES] == NAMES
    assert len(got) == len(set(got))


@pytest.mark.parametrize(
    "cursor", ["x", "%00", "WzFd", "W10=", "WyJhIiwgMV0=", "bnVsbA==", "é", "WyJhXHUwMDAwIiwiYiJd", "A" * 1_999]
)
def test_registry_cursor_of_somebody_else_is_refused(cursor: str, gm: User, approved: ArtifactVersion) -> None:
    got = bearer(gm, "read").get(LIST, {"cursor": cursor})

    # What no cursor can look like is a fault of the parameter.
    assert got.status_code == (422 if cursor in ("%00", "é") else 400)
    assert got.json()["code"] == "request.invalid"


def test_entry_has_evidence_in_order_and_quotes_for_members(reader: User, approved: ArtifactVersion) -> None:
    client, path = bearer(reader, "read"), f"{LIST}/{npc_id(comparison_key('Wick'))}"
    plain, quoted = client.get(path).json()["evidence"], client.get(f"{path}?quotes=true").json()["evidence"]
    text = {unit.unit_id: f"{unit.speaker}: {unit.text}" for unit in UNITS}

    assert [(item["start_unit_id"], item["end_unit_id"]) for item in plain] == [(50, 52), (206, 205)]
    assert "quote" not in plain[0]
    assert [item["quote"] for item in quoted] == [
        "\n".join(text[at] for at in ids) for ids in ((50, 51, 52), (206, 205))
    ]


def test_entry_quotes_are_refused_to_those_who_are_no_members(
    public: Campaign, outsider: User, approved: ArtifactVersion
) -> None:
    path = f"{LIST}/{npc_id(comparison_key('Wick'))}"
    nobody = Client().get(f"{path}?quotes=true")

    assert Client().get(path).status_code == 200
    assert (nobody.status_code, nobody.json()["code"]) == (401, "auth.required")
    assert bearer(outsider, "read").get(f"{path}?quotes=true").status_code == 404


def test_public_answers_hold_no_transcript_text_and_no_speaker(public: Campaign, approved: ArtifactVersion) -> None:
    path = f"{LIST}/{npc_id(comparison_key('Wick'))}"
    sessions = "/api/v1/campaigns/salt-ferry/sessions"
    pages = (LIST, path, sessions, f"{sessions}/1", f"{sessions}/1/artifacts", f"{sessions}/1/artifacts/npcs")
    said = "".join(Client().get(page).content.decode() for page in pages)

    assert not [unit for unit in UNITS if unit.text in said or (unit.speaker and unit.speaker in said)]


@pytest.mark.parametrize("path", [LIST, f"{LIST}/{npc_id(comparison_key('Wick'))}"])
def test_etag_is_strong_and_answers_304(path: str, reader: User, approved: ArtifactVersion) -> None:
    client = bearer(reader, "read")
    first = client.get(path)
    again = client.get(path, headers={"if-none-match": first["ETag"]})

    assert first["ETag"].startswith('"')
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])


def test_etag_is_checked_after_access(reader: User, outsider: User, approved: ArtifactVersion) -> None:
    tag = bearer(reader, "read").get(LIST)["ETag"]

    assert Client().get(LIST, headers={"if-none-match": tag}).status_code == 404
    assert bearer(outsider, "read").get(LIST, headers={"if-none-match": tag}).status_code == 404
    assert bearer(outsider, "read").get(LIST, headers={"if-none-match": "*"}).status_code == 404


def test_etag_changes_with_the_registry_and_the_question(
    gm: User, campaign: Campaign, approved: ArtifactVersion
) -> None:
    client = bearer(gm, "read")
    before = [client.get(path)["ETag"] for path in (LIST, f"{LIST}?q=w", f"{LIST}?limit=1", f"{LIST}?status=latest")]
    later = factories.make_version(factories.make_transcript(factories.make_session(campaign, 2)), {"Sable": ((9, 9),)})
    versions.approve(version_id=later.pk, note="", by=gm)
    after = client.get(LIST, headers={"if-none-match": before[0]})

    assert len(set(before)) == 4
    assert (after.status_code, after["ETag"] in before) == (200, False)


def test_list_takes_a_constant_number_of_queries(gm: User, campaign: Campaign, transcript: Transcript) -> None:
    client = bearer(gm, "read")
    client.get(LIST)
    counts = []
    for people in (3, 60):
        npcs = {f"Person {n}": ((44, 46), (55, 55)) for n in range(people)}
        version = factories.make_version(transcript, npcs)
        versions.approve(version_id=version.pk, note="", by=gm)
        with CaptureQueriesContext(
            connection,
        ) as seen:
            client.get(f"{LIST}?limit=200")
        counts.append(len(seen))

    assert counts[0] == counts[1]


def walk(client: Client, limit: int, status: str) -> list[str]:
    got: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        page = client.get(f"{LIST}?limit={limit}&status={status}&cursor={cursor}").json()
        got += [item["name"] for item in page["items"]]
        cursor = page["next_cursor"]
    return got
