"""What every address has in common: headers, sizes, media types, compression, and what is to go."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, override_settings

from campaigns.api import sunset
from campaigns.api.gate import ADDRESS_MAX_BYTES
from campaigns.api.root import api
from campaigns.api.sunset import Ending
from campaigns.models import ArtifactVersion, Campaign, Transcript
from tests.campaigns.api.conftest import bearer

ROOT = "/api/v1"
NPCS = f"{ROOT}/campaigns/salt-ferry/npcs"
SESSION = f"{ROOT}/campaigns/salt-ferry/sessions/1"


@pytest.fixture
def client(gm: User) -> Client:
    return bearer(gm, "write")


@pytest.mark.parametrize("path", [NPCS, f"{ROOT}/campaigns/none", f"{ROOT}/openapi.json"])
def test_every_answer_names_the_version(path: str, client: Client, approved: ArtifactVersion) -> None:
    assert client.get(path)["Notarius-API-Version"] == api.version == sunset.VERSION


@pytest.mark.parametrize("path", [NPCS, f"{ROOT}/campaigns", f"{SESSION}/transcript", f"{ROOT}/tokens/current"])
def test_no_answer_may_be_kept_for_others(path: str, client: Client, approved: ArtifactVersion) -> None:
    assert client.get(path)["Cache-Control"].startswith("private")


def test_nothing_is_going(client: Client, approved: ArtifactVersion) -> None:
    got = client.get(NPCS)

    assert sunset.ENDINGS == {}
    assert not {"Deprecation", "Sunset", "Link"} & set(got.headers)


def test_operation_that_is_to_go_says_so(
    client: Client, approved: ArtifactVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    ending = Ending(since=date(2031, 1, 1), instead="list_items", until=date(2032, 2, 1))
    monkeypatch.setattr(sunset, "ENDINGS", {"list_npcs": ending})
    got = client.get(NPCS)

    assert got.status_code == 200
    assert got["Deprecation"] == "@1924992000"
    assert got["Sunset"] == "Sun, 01 Feb 2032 00:00:00 GMT"
    assert got["Link"] == '</api/v1/docs#list_items>; rel="deprecation"; type="text/html"'


def test_nothing_goes_within_a_year() -> None:
    with pytest.raises(ValueError, match="a year"):
        Ending(since=date(2031, 1, 1), instead="list_items", until=date(2031, 12, 31))


@pytest.mark.parametrize(
    ("accept", "status"),
    [
        ("*/*", 200),
        ("application/json", 200),
        ("text/html, */*;q=0.1", 200),
        ("application/*", 200),
        ("text/html", 406),
        ("image/png, text/plain", 406),
    ],
)
def test_media_type_that_is_not_given_is_refused(
    accept: str, status: int, client: Client, approved: ArtifactVersion
) -> None:
    got = client.get(NPCS, headers={"accept": accept})

    assert got.status_code == status
    if status == 406:
        assert (got["Content-Type"], got.json()["code"]) == ("application/problem+json", "request.not_acceptable")


def test_artifact_comes_as_plain_json_to_those_who_accept_nothing_else(
    client: Client, approved: ArtifactVersion
) -> None:
    got = client.get(f"{SESSION}/artifacts/npcs", headers={"accept": "application/json"})

    assert got["Content-Type"] == "application/json"
    assert got.content.decode() == approved.payload
    assert "Accept" in got["Vary"]


@pytest.mark.parametrize(
    ("path", "media_type"),
    [
        (f"{SESSION}/runs", "text/plain"),
        (f"{SESSION}/runs", "application/x-www-form-urlencoded"),
        (f"{SESSION}/transcripts", "application/json"),
    ],
)
def test_body_of_another_media_type_is_refused(
    path: str, media_type: str, client: Client, transcript: Transcript
) -> None:
    got = client.post(path, b"{}", content_type=media_type)

    assert (got.status_code, got.json()["code"]) == (415, "request.media_type")


def test_body_that_is_too_large_is_refused_before_it_is_read(client: Client, transcript: Transcript) -> None:
    with override_settings(API_BODY_MAX_BYTES=1_024):
        got = client.post(f"{SESSION}/runs", b" " * 1_025 + b"{}", content_type="application/json")

    assert (got.status_code, got.json()["code"]) == (413, "request.too_large")


@pytest.mark.parametrize("length", [{}, {"CONTENT_LENGTH": ""}, {"CONTENT_LENGTH": "0"}])
def test_body_without_a_length_is_refused_and_not_taken_for_none(
    length: dict[str, str], client: Client, transcript: Transcript
) -> None:
    sent: dict[str, Any] = {  # Any: a WSGI environment
        "CONTENT_TYPE": "application/json",
        "HTTP_TRANSFER_ENCODING": "chunked",
        "wsgi.input": io.BytesIO(b'{"lanes": ["npcs"], "token_cap": 5}'),
        **length,
    }
    got = client.generic("POST", f"{SESSION}/runs", **sent)

    assert (got.status_code, got.json()["code"]) == (411, "request.length_required")
    assert not transcript.session.runs.exists()


@pytest.mark.parametrize("length", ["9" * 5_000, "0" * 5_000 + "9" * 9])
def test_body_of_a_length_that_is_no_number_any_more_is_too_large(
    length: str, client: Client, transcript: Transcript
) -> None:
    got = client.post(f"{SESSION}/runs", b"{}", content_type="application/json", CONTENT_LENGTH=length)

    assert (got.status_code, got.json()["code"]) == (413, "request.too_large")


@pytest.mark.parametrize("beyond", [0, 1])
def test_address_that_is_too_long_is_a_problem(beyond: int, client: Client, campaign: Campaign) -> None:
    wanted = (414, "request.address_too_long") if beyond else (422, "request.invalid")
    start = f"{ROOT}/campaigns?cursor="
    got = client.get(start + "x" * (ADDRESS_MAX_BYTES + beyond - len(start)))

    assert (got.status_code, got.json()["code"]) == wanted


def test_upload_that_is_far_too_large_is_refused_before_it_is_read(client: Client, campaign: Campaign) -> None:
    with override_settings(UPLOAD_MAX_BYTES=1_000):
        got = client.post(f"{SESSION}/transcripts", {"file": SimpleUploadedFile("a.txt", b"x" * 70_000)})

    assert (got.status_code, got.json()["code"]) == (413, "request.too_large")


def test_page_is_no_larger_than_the_settings_say(client: Client, approved: ArtifactVersion) -> None:
    limit = next(
        each
        for each in api.document["paths"][f"{ROOT}/campaigns/{{slug}}/npcs"]["get"]["parameters"]
        if each["name"] == "limit"
    )

    assert limit["schema"]["maximum"] == 200
    assert client.get(f"{NPCS}?limit=200").status_code == 200
    assert client.get(f"{NPCS}?limit=201").status_code == 422


def test_head_is_get_without_the_body(client: Client, approved: ArtifactVersion) -> None:
    head, got = client.head(NPCS), client.get(NPCS)

    assert (head.status_code, head.content) == (200, b"")
    assert (head["ETag"], head["Content-Length"]) == (got["ETag"], str(len(got.content)))


def test_answer_is_compressed_for_programs_and_never_where_a_cookie_came_along(
    gm: User, client: Client, transcript: Transcript
) -> None:
    browser = Client()
    browser.force_login(gm)
    path = f"{SESSION}/transcript"
    packed, plain = (who.get(path, headers={"accept-encoding": "gzip"}) for who in (client, browser))

    assert packed["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.content) == plain.content
    assert "Content-Encoding" not in plain
    assert packed["ETag"] == f"W/{plain['ETag']}"
    assert client.get(path, headers={"if-none-match": packed["ETag"]}).status_code == 304


@pytest.mark.parametrize("status", [401, 403, 404, 405, 406, 413, 415, 422])
def test_problem_has_one_shape(status: int, client: Client, reader: User, transcript: Transcript) -> None:
    def run(who: Client, body: bytes, media_type: str = "application/json") -> Any:  # Any: a response
        return who.post(f"{SESSION}/runs", body, content_type=media_type)

    asked: dict[int, Callable[[], Any]] = {
        401: lambda: run(Client(), b"{}"),
        403: lambda: run(bearer(reader, "write"), b"{}"),
        404: lambda: client.get(f"{NPCS}/npc:none"),
        405: lambda: client.delete(NPCS),
        406: lambda: client.get(NPCS, headers={"accept": "text/html"}),
        413: lambda: run(client, b" " * 2**21),
        415: lambda: run(client, b"x", "text/plain"),
        422: lambda: run(client, b'{"lanes": 1}'),
    }
    got = asked[status]()
    body = got.json()

    assert (got.status_code, got["Content-Type"], got["Cache-Control"]) == (
        status,
        "application/problem+json",
        "no-store",
    )
    assert {"type", "title", "status", "code", "detail"} <= set(body)
    assert body["status"] == status


def test_fault_of_a_body_has_a_pointer_and_one_of_the_query_a_name(client: Client, pending: ArtifactVersion) -> None:
    act = {"act": "merge", "records": [0, "x"], "canonical": 0}
    path = f"{ROOT}/artifact-versions/{pending.pk}"
    faults = [
        client.post(f"{path}/acts", act, content_type="application/json").json()["errors"],
        client.post(f"{path}/approve", {"note": 1}, content_type="application/json").json()["errors"],
        client.get(f"{NPCS}?limit=x").json()["errors"],
    ]

    assert [fault[0].get("pointer") for fault in faults] == ["#/records/1", "#/note", None]
    assert [(fault[0]["in"], fault[0].get("parameter")) for fault in faults] == [
        ("body", None),
        ("body", None),
        ("query", "limit"),
    ]
