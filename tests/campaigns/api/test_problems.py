"""Every failure under /api/ is a problem with a stable code."""

from __future__ import annotations

import base64
import logging
from typing import TYPE_CHECKING

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, override_settings

from campaigns.library import registry
from campaigns.models import ArtifactVersion, Campaign, Run, Transcript
from tests import factories
from tests.campaigns.api.conftest import bearer

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Response

ROOT = "/api/v1"
SESSION = f"{ROOT}/campaigns/salt-ferry/sessions/1"
HUGE = base64.urlsafe_b64encode(b"[18446744073709551615]").decode()


@pytest.fixture
def client(gm: User) -> Client:
    return bearer(gm, "write")


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        pytest.param("get", "/api/v1/nothing", 404, "not_found", id="unknown-endpoint"),
        pytest.param("post", "/api/nothing", 404, "not_found", id="unknown-version-of-the-api"),
        pytest.param("get", "/api/v1/campaigns/no-such", 404, "campaign.unknown", id="unknown-campaign"),
        pytest.param("get", "/api/v1/campaigns/%00%27", 404, "campaign.unknown", id="hostile-slug"),
        pytest.param("get", f"{ROOT}/campaigns/salt-ferry/sessions/9", 404, "session.unknown", id="unknown-session"),
        pytest.param("get", f"{SESSION}/artifacts/items", 404, "artifact.none", id="unknown-artifact"),
        pytest.param("get", f"{ROOT}/campaigns/salt-ferry/npcs/npc:x", 404, "entry.unknown", id="unknown-entry"),
        pytest.param("get", f"{ROOT}/campaigns/salt-ferry/npcs/%00", 422, "request.invalid", id="nul-in-a-path"),
        pytest.param("get", f"{SESSION}/artifacts/%00", 422, "request.invalid", id="nul-in-a-family"),
        pytest.param("get", f"{ROOT}/campaigns/salt-ferry/sessions?cursor={HUGE}", 400, "request.invalid", id="huge"),
        pytest.param("get", f"{ROOT}/runs/99", 404, "run.unknown", id="unknown-run"),
        pytest.param("post", f"{ROOT}/artifact-versions/99/approve", 404, "version.unknown", id="unknown-version"),
        pytest.param("delete", "/api/v1/campaigns", 405, "method_not_allowed", id="method"),
        pytest.param("get", f"{SESSION}/transcripts", 405, "method_not_allowed", id="method-of-a-write"),
        pytest.param("get", f"{ROOT}/campaigns?limit=0", 422, "request.invalid", id="limit-too-small"),
        pytest.param("get", f"{ROOT}/campaigns?limit=201", 422, "request.invalid", id="limit-too-large"),
        pytest.param("get", f"{ROOT}/campaigns?limit=x", 422, "request.invalid", id="limit-no-number"),
        pytest.param("get", f"{ROOT}/campaigns?cursor=x", 400, "request.invalid", id="cursor"),
        pytest.param("get", f"{ROOT}/campaigns/salt-ferry/npcs?status=new", 422, "request.invalid", id="status"),
        pytest.param("get", f"{ROOT}/campaigns/salt-ferry/npcs?q=%00", 422, "request.invalid", id="nul"),
        pytest.param("get", f"{ROOT}/runs/99999999999999999999", 422, "request.invalid", id="number-too-large"),
        pytest.param("get", f"{SESSION}/transcript?start_unit=1", 404, "not_found", id="unknown-unit"),
        pytest.param("get", f"{SESSION}/transcript?start_unit=55&end_unit=41", 400, "request.invalid", id="reversed"),
        pytest.param("post", f"{SESSION}/transcripts", 422, "request.invalid", id="upload-without-a-file"),
    ],
)
def test_failure_is_a_problem(
    method: str, path: str, status: int, code: str, client: Client, campaign: Campaign, transcript: Transcript
) -> None:
    body = {} if method in ("get", "delete") else {"data": {"note": ""}}
    kind = {} if "transcripts" in path or method != "post" else {"content_type": "application/json"}
    got = getattr(client, method)(path, **body, **kind)
    problem = got.json()

    assert (got.status_code, got["Content-Type"]) == (status, "application/problem+json")
    assert (problem["status"], problem["code"], problem["type"]) == (status, code, "about:blank")
    assert problem["title"]
    assert problem["detail"]


@pytest.mark.parametrize(
    "body", [b"{", b"[]", b'{"note": 1}', b'{"note": "x", "more": 1}', b'{"note": "\\u0000"}', b"\xff"]
)
def test_verdict_that_is_no_valid_body_is_a_problem(body: bytes, client: Client, pending: ArtifactVersion) -> None:
    got = client.post(f"{ROOT}/artifact-versions/{pending.pk}/approve", body, content_type="application/json")

    assert got.status_code in (400, 422)
    assert (got["Content-Type"], got.json()["code"]) == ("application/problem+json", "request.invalid")
    assert ArtifactVersion.objects.get().state == "pending"


def test_validation_problem_names_the_field_and_not_the_value(client: Client, campaign: Campaign) -> None:
    got = client.get(f"{ROOT}/campaigns?limit=swordfish")

    assert [error["field"] for error in got.json()["errors"]] == ["query.limit"]
    assert "swordfish" not in got.content.decode()


def test_decision_on_a_decided_version_is_a_conflict(client: Client, approved: ArtifactVersion) -> None:
    got = client.post(f"{ROOT}/artifact-versions/{approved.pk}/reject", {"note": ""}, content_type="application/json")

    assert (got.status_code, got.json()["code"]) == (409, "version.already_decided")


def test_bug_is_a_problem_and_its_words_are_not_logged(
    client: Client, approved: ArtifactVersion, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*args: object) -> str:
        raise RuntimeError("".join(("W", "ick said")))

    monkeypatch.setattr(registry, "registry_digest", broken)
    with caplog.at_level(logging.ERROR):
        got = client.get(f"{ROOT}/campaigns/salt-ferry/npcs")

    assert (got.status_code, got.json()["code"]) == (500, "internal")
    assert "RuntimeError" in caplog.text
    assert "Wick" not in caplog.text + got.content.decode()


def test_request_for_a_host_that_is_not_ours_is_a_problem(db: None) -> None:
    got = Client().get(f"{ROOT}/campaigns", headers={"host": "elsewhere.example"})

    assert (got.status_code, got["Content-Type"]) == (400, "application/problem+json")


def test_upload_makes_a_revision_and_an_equal_one_none(client: Client, campaign: Campaign) -> None:
    first, again, other = (
        _upload(client, text) for text in (b"Yun: Hm.\nIda: No.", b"Yun: Hm.\nIda: No.", b"Yun: Ah.")
    )

    assert [got.status_code for got in (first, again, other)] == [201, 200, 201]
    assert [got.json()["revision"] for got in (first, again, other)] == [1, 1, 2]
    assert first["Location"] == f"{SESSION}/transcript"
    assert client.get(first["Location"]).json()["source_id"] == "salt-ferry.s1.t2"


@pytest.mark.parametrize(
    ("data", "status", "code"),
    [
        pytest.param(b"", 422, "ingest.empty", id="empty"),
        pytest.param(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(256)), 422, "ingest.binary", id="binary"),
        pytest.param(b"Yun: Hm.\n" * 200, 413, "ingest.too_large", id="too-large"),
    ],
)
def test_upload_that_cannot_be_read_is_a_problem(
    data: bytes, status: int, code: str, client: Client, campaign: Campaign
) -> None:
    with override_settings(UPLOAD_MAX_BYTES=1_000):
        got = _upload(client, data)

    assert (got.status_code, got.json()["code"]) == (status, code)
    assert Transcript.objects.count() == 0


def test_upload_takes_another_encoding_or_says_that_there_is_none(client: Client, campaign: Campaign) -> None:
    data = "Zoë: Łódź!".encode("cp1250")
    path = f"{SESSION}/transcripts"
    kept = client.post(path, {"file": SimpleUploadedFile("night.txt", data), "encoding": "cp1250"})
    refused = client.post(path, {"file": SimpleUploadedFile("night.txt", data), "encoding": "klingon"})

    assert (kept.status_code, refused.status_code, refused.json()["code"]) == (201, 422, "ingest.encoding")
    assert [unit.text for unit in Transcript.objects.get().units.all()] == ["Łódź!"]


def test_run_is_started_shown_and_cancelled(client: Client, transcript: Transcript) -> None:
    started = client.post(f"{SESSION}/runs", {"pipeline": "npcs-only"}, content_type="application/json")
    shown = client.get(started["Location"])
    cancelled = client.post(f"{started['Location']}/cancel")
    again = client.post(f"{started['Location']}/cancel")

    assert (started.status_code, shown.status_code) == (202, 200)
    assert shown.json()["lanes"][0] | {"lane": "dnd/npcs", "state": "queued", "calls": 0} == shown.json()["lanes"][0]
    assert (cancelled.json()["state"], Run.objects.get().state) == ("cancelled", "cancelled")
    assert (again.status_code, again.json()["code"]) == (409, "run.finished")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        pytest.param({"pipeline": "no-such"}, "pipeline.invalid", id="pipeline"),
        pytest.param({"pipeline": "npcs-only", "lanes": ["dragons"]}, "pipeline.unknown_lane", id="lane"),
        pytest.param({"pipeline": "npcs-only", "lanes": []}, "pipeline.invalid", id="no-lanes"),
    ],
)
def test_run_of_what_there_is_not_is_a_problem(
    body: dict[str, object], code: str, client: Client, transcript: Transcript
) -> None:
    got = client.post(f"{SESSION}/runs", body, content_type="application/json")

    assert (got.status_code, got.json()["code"]) == (422, code)
    assert Run.objects.count() == 0


def test_run_without_a_transcript_says_what_to_do(client: Client, campaign: Campaign) -> None:
    factories.make_session(campaign, 1)
    got = client.post(f"{SESSION}/runs", {"pipeline": "npcs-only"}, content_type="application/json")

    assert (got.status_code, got.json()["code"]) == (400, "transcript.none")


def _upload(client: Client, data: bytes) -> Response:
    return client.post(f"{SESSION}/transcripts", {"file": SimpleUploadedFile("night.txt", data)})
