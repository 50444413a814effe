"""Idempotency-Key: what is asked twice is done once."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from campaigns.actions import idempotency, removal, sessions, withdrawal
from campaigns.actions.idempotency import Answer, Reused
from campaigns.api import once
from campaigns.errors import Conflict
from campaigns.models import Answered, ArtifactVersion, Campaign, Decision, Run, Transcript
from extraction.errors import InternalError
from tests import factories, standard
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
    idempotency.answer(row=row, given=Answer(202, "application/json", "", b"{}"), must_stand=True)
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
    idempotency.answer(row=row, given=Answer(200, "", "", b""), must_stand=True)
    idempotency.release(row=row)

    with pytest.raises(Reused):
        idempotency.claim(actor="t1", key="k", digest="d", at=noon)


def test_tokens_are_made_without_a_key_so_that_none_is_kept_in_clear(gm: User, db: None) -> None:
    client = bearer(gm, "admin")
    got = client.post("/api/v1/tokens", {"name": "x", "scope": "read"}, content_type="application/json", headers=KEY)

    assert got.status_code == 201
    assert not Answered.objects.exists()


NOTE = "The king is dead."


def hidden_away(gm: User, slug: str = "salt-ferry") -> int:
    """Keep a passage from players, with a note, under a key; return the secret's number."""
    unit = standard.UNITS[0].unit_id
    wanted = {"kind": "range", "session": 1, "start_unit_id": unit, "end_unit_id": unit, "note": NOTE}
    answer = bearer(gm, "admin").post(
        f"/api/v1/campaigns/{slug}/secrets", wanted, content_type="application/json", headers=KEY
    )
    assert answer.status_code == 201
    return int(answer.json()["id"])


def told() -> bytes:
    """Return all that is kept of answers."""
    return b"".join(bytes(row.body) for row in Answered.objects.all())


def test_answers_about_a_campaign_go_with_it(gm: User, transcript: Transcript) -> None:
    other = factories.make_campaign("the-other")
    factories.make_membership(other, gm, "gm")
    factories.make_transcript(factories.make_session(other))
    kept = hidden_away(gm, "the-other")
    hidden_away(gm)
    removal.remove_campaign(campaign=transcript.session.campaign, confirmed="salt-ferry", by=None)

    assert [row.campaign_id for row in Answered.objects.all()] == [other.pk]
    assert f'"id":{kept},'.encode() in told().replace(b" ", b"")


def test_answers_are_forgotten_when_words_are_withdrawn(gm: User, transcript: Transcript) -> None:
    hidden_away(gm)
    assert NOTE.encode() in told()
    withdrawal.withdraw_words(campaign=transcript.session.campaign, label=standard.PIKE, by=None)

    assert told() == b""


def test_answers_are_forgotten_when_a_session_is_removed(gm: User, transcript: Transcript) -> None:
    hidden_away(gm)
    sessions.remove(session_id=transcript.session.pk, by=None)

    assert told() == b""


def test_every_write_knows_whose_its_answer_is(
    gm: User, client: Client, transcript: Transcript, pending: ArtifactVersion
) -> None:
    """Each kind of address: by short name, by a run, a version, a decision and a secret."""
    started = run(client, {"idempotency-key": "run"}).json()["id"]
    acted = {"act": "rename", "record": 0, "name": "Dell"}
    secret = hidden_away(gm)
    asked: list[tuple[str, object]] = [
        (f"runs/{started}/cancel", {}),
        (f"artifact-versions/{pending.pk}/acts", acted),
        ("decisions/{}/withdraw", {}),
        (f"secrets/{secret}/reveal", {}),
    ]
    admin = bearer(gm, "admin")
    for at, (path, body) in enumerate(asked):
        decision = Decision.objects.last()
        full = f"/api/v1/{path.format(decision.pk if decision else 0)}"
        got = admin.post(full, body, content_type="application/json", headers={"idempotency-key": f"k{at}"})
        assert got.status_code in (200, 201, 409), (path, got.content)

    rows = Answered.objects.all()
    assert {row.campaign_id for row in rows} == {transcript.session.campaign_id}
    assert len(rows) >= 5


def test_an_endpoint_whose_answers_belong_to_nobody_is_refused_at_the_start() -> None:
    with pytest.raises(InternalError):
        once._kept(lambda request, name: None, True)  # type: ignore[arg-type,return-value]  # never called


@pytest.mark.parametrize("slug", ["no-such", "%00", "a%20b"])
def test_a_campaign_that_there_is_not_is_told_with_a_key_too(slug: str, client: Client, transcript: Transcript) -> None:
    got = client.post(
        f"/api/v1/campaigns/{slug}/exports", {"format": "json"}, content_type="application/json", headers=KEY
    )

    assert got.status_code == 404
    assert not Answered.objects.exists()


def test_an_answer_about_a_campaign_that_the_release_before_removed_is_not_given_again(
    client: Client, transcript: Transcript
) -> None:
    """That release knows of no answers about a campaign, and the database lets it remove the campaign all the same."""
    first = run(client)
    Answered.objects.update(campaign_id=transcript.session.campaign_id + 1_000_000)
    Run.objects.update(state=Run.State.CANCELLED)
    again = run(client)
    Answered.objects.update(campaign_id=transcript.session.campaign_id + 1_000_000)

    assert again.json()["id"] != first.json()["id"]
    assert idempotency.purge(at=timezone.now()) == 1


def test_what_is_still_at_work_while_words_go_is_not_done(
    client: Client, transcript: Transcript, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The withdrawal forgets the row of a request that has not answered yet, and which may have read the words."""
    keep = idempotency.answer

    def withdrawn_before(**arguments: object) -> None:
        idempotency.forget(campaign=transcript.session.campaign)
        keep(**arguments)  # type: ignore[arg-type]  # as it was called

    monkeypatch.setattr(idempotency, "answer", withdrawn_before)
    refused, stored = run(client), upload(client, b"Yun: Hm.")
    monkeypatch.undo()

    assert (refused.status_code, refused.json()["code"]) == (409, "idempotency.in_flight")
    assert (stored.status_code, told()) == (201, b"")
    assert (Run.objects.count(), run(client).status_code) == (0, 202)
