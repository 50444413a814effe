"""Idempotency-Key: what is asked twice is done once."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from campaigns.actions import idempotency
from campaigns.actions.idempotency import Answer, Reused
from campaigns.errors import Conflict
from campaigns.models import Answered, ArtifactVersion, Campaign, Decision, Run, Transcript
from tests.campaigns.api.conftest import bearer

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Response

SESSION = "/api/v1/campaigns/salt-ferry/sessions/1"
KEY = {"idempotency-key": "one"}


@pytest.fixture
def client(gm: User) -> Client:
    return bearer(gm, "write")


def run(client: Client, headers: dict[str, str] = KEY, pipeline: str = "npcs-only") -> Response:
    return client.post(f"{SESSION}/runs", {"pipeline": pipeline}, content_type="application/json", headers=headers)


def upload(client: Client, text: bytes) -> Response:
    return client.post(f"{SESSION}/transcripts", {"file": SimpleUploadedFile("night.txt", text)}, headers=KEY)


def test_run_is_started_once_and_answered_again(client: Client, transcript: Transcript) -> None:
    first, again = run(client), run(client)

    assert (first.status_code, again.status_code, Run.objects.count()) == (202, 202, 1)
    assert (again.content, again["Location"], again["Content-Type"]) == (
        first.content,
        first["Location"],
        first["Content-Type"],
    )
    assert "Idempotent-Replayed" not in first
    assert again["Idempotent-Replayed"] == "true"


def test_upload_is_kept_once_and_answered_201_again(client: Client, campaign: Campaign) -> None:
    first, again = upload(client, b"Yun: Hm."), upload(client, b"Yun: Hm.")

    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json() == first.json()


def test_act_of_a_review_makes_one_version(client: Client, pending: ArtifactVersion) -> None:
    path = f"/api/v1/artifact-versions/{pending.pk}/acts"
    act = {"act": "rename", "record": 0, "name": "Dell"}
    answers = [client.post(path, act, content_type="application/json", headers=KEY) for _ in range(2)]

    assert [got.status_code for got in answers] == [201, 201]
    assert (Decision.objects.count(), ArtifactVersion.objects.count()) == (1, 2)


def test_key_that_stood_for_something_else_is_refused(client: Client, transcript: Transcript) -> None:
    run(client)
    other = run(client, pipeline="complete")

    assert (other.status_code, other.json()["code"], Run.objects.count()) == (422, "idempotency.reused", 1)


def test_file_of_other_content_is_something_else(client: Client, campaign: Campaign) -> None:
    upload(client, b"Yun: Hm.")

    assert upload(client, b"Yun: Ah.").json()["code"] == "idempotency.reused"


def test_keys_of_two_tokens_do_not_meet(gm: User, client: Client, transcript: Transcript) -> None:
    run(client)

    assert run(bearer(gm, "write")).status_code == 202
    assert Run.objects.count() == 2


def test_request_that_is_still_at_work_is_a_conflict(client: Client, transcript: Transcript) -> None:
    run(client)
    Answered.objects.update(status=None)
    got = run(client)

    assert (got.status_code, got.json()["code"]) == (409, "idempotency.in_flight")


def test_request_that_failed_may_be_tried_again(client: Client, transcript: Transcript) -> None:
    refused = run(client, pipeline="no-such")
    again = run(client)

    assert (refused.status_code, again.status_code) == (422, 202)


def test_work_and_answer_are_one(client: Client, transcript: Transcript, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the answer cannot be kept, nothing was done: who asks again does it once."""

    def fails(**arguments: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(idempotency, "answer", fails)
    failed = run(client)
    monkeypatch.undo()
    again = run(client)

    assert (failed.status_code, again.status_code, Run.objects.count()) == (500, 202, 1)


@pytest.mark.parametrize("key", ["", "x" * 256, "two words", "é"])
def test_key_is_visible_ascii(key: str, client: Client, transcript: Transcript) -> None:
    assert run(client, {"idempotency-key": key}).status_code in (400, 422)
    assert Run.objects.count() == 0


def test_write_without_a_key_leaves_no_row(client: Client, transcript: Transcript) -> None:
    run(client, {})

    assert not Answered.objects.exists()


def test_answer_is_given_for_a_day_and_then_removed(db: None) -> None:
    noon = timezone.now()
    row = idempotency.claim(actor="t1", key="k", digest="d", at=noon)
    assert isinstance(row, Answered)
    idempotency.answer(row=row, given=Answer(202, "application/json", "", b"{}"))
    within = idempotency.claim(actor="t1", key="k", digest="d", at=noon + timedelta(hours=23))

    assert within == Answer(202, "application/json", "", b"{}")
    assert idempotency.purge(at=noon + timedelta(hours=23)) == 0
    assert isinstance(idempotency.claim(actor="t1", key="k", digest="other", at=noon + timedelta(hours=25)), Answered)
    assert idempotency.purge(at=noon + timedelta(hours=50)) == 1


def test_request_that_died_with_its_process_is_taken_over(db: None) -> None:
    noon = timezone.now()
    idempotency.claim(actor="t1", key="k", digest="d", at=noon)

    with pytest.raises(Conflict):
        idempotency.claim(actor="t1", key="k", digest="d", at=noon + timedelta(minutes=4))
    assert isinstance(idempotency.claim(actor="t1", key="k", digest="d", at=noon + timedelta(minutes=6)), Answered)


def test_released_row_is_free_and_an_answered_one_stays(db: None) -> None:
    noon = timezone.now()
    row = idempotency.claim(actor="t1", key="k", digest="d", at=noon)
    assert isinstance(row, Answered)
    idempotency.release(row=row)
    row = idempotency.claim(actor="t1", key="k", digest="e", at=noon)
    assert isinstance(row, Answered)
    idempotency.answer(row=row, given=Answer(200, "", "", b""))
    idempotency.release(row=row)

    with pytest.raises(Reused):
        idempotency.claim(actor="t1", key="k", digest="d", at=noon)


def test_tokens_are_made_without_a_key_so_that_none_is_kept_in_clear(gm: User, db: None) -> None:
    client = bearer(gm, "admin")
    got = client.post("/api/v1/tokens", {"name": "x", "scope": "read"}, content_type="application/json", headers=KEY)

    assert got.status_code == 201
    assert not Answered.objects.exists()
