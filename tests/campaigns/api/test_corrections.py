from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from django.contrib.auth.models import User
from django.test import Client

from campaigns.actions.corrections import units_of
from campaigns.models import AuditEntry, Campaign, GameSession, GlossaryTerm, Transcript
from extraction.source.documents import SourceUnit
from tests import factories

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Response

PATH = "/api/v1/campaigns/salt-ferry/sessions/1/transcript/corrections"
UNITS = (
    SourceUnit(7, "SPEAKER_05", "The fairy waits."),
    SourceUnit(3, "Ida", "So do I."),
    SourceUnit(9, "Ida", "Yes."),
)


@pytest.fixture
def session(campaign: Campaign) -> GameSession:
    GlossaryTerm.objects.create(campaign=campaign, term="the Ferry", heard_as=["the fairy"])
    return factories.make_transcript(factories.make_session(campaign), UNITS).session


def post(user: User, body: object) -> Response:
    client = Client()
    client.force_login(user)
    return client.post(PATH, body if isinstance(body, str) else json.dumps(body), content_type="application/json")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"act": "rename_speaker", "old": "Ida", "new": ""}, (3, None, "So do I.")),
        ({"act": "reassign_units", "first_unit_id": 3, "last_unit_id": 9, "speaker": "Yun"}, (3, "Yun", "So do I.")),
        ({"act": "reword_unit", "unit_id": 3, "text": "So did I.", "seen": 1}, (3, "Ida", "So did I.")),
        ({"act": "split_unit", "unit_id": 7, "parts": ["The", "fairy waits."]}, (10, "SPEAKER_05", "fairy waits.")),
        ({"act": "join_units", "first_unit_id": 3, "last_unit_id": 9}, (3, "Ida", "So do I. Yes.")),
    ],
    ids=lambda value: value["act"] if isinstance(value, dict) else "",
)
def test_correction_makes_the_next_revision(
    body: dict[str, object], expected: tuple[int, str | None, str], gm: User, session: GameSession
) -> None:
    got = post(gm, body)
    made = session.transcripts.latest("revision")

    assert got.status_code == 201
    assert got["Location"] == PATH.rpartition("/")[0]
    answer = json.loads(got.content)
    assert (answer["source_id"], answer["revision"], answer["digest"]) == (made.source_id, 2, made.digest)
    unit = units_of(made)[1]
    assert (unit.unit_id, unit.speaker, unit.text) == expected
    assert AuditEntry.objects.get().by == gm


def test_glossary_is_applied_by_pairs(gm: User, session: GameSession) -> None:
    body = {"act": "apply_glossary", "chosen": [{"term": "the Ferry", "heard_as": "the fairy"}]}

    assert post(gm, body).status_code == 201
    assert units_of(session.transcripts.latest("revision"))[0].text == "the Ferry waits."


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"act": "burn"}, 422),
        ({"act": "reword_unit", "unit_id": 3}, 422),
        ({"act": "reword_unit", "unit_id": 0, "text": "x"}, 422),
        ({"act": "reword_unit", "unit_id": 3, "text": "x", "more": 1}, 422),
        ({"act": "reword_unit", "unit_id": 3, "text": "x\x00"}, 400),
        ('{"act": "reword_unit", "unit_id": 3, "text": "\\ud800"}', 422),
        ({"act": "reword_unit", "unit_id": 3, "text": "x" * 50_000}, 422),
        ({"act": "reword_unit", "unit_id": 77, "text": "x"}, 404),
        ({"act": "reword_unit", "unit_id": 3, "text": "x", "seen": 4}, 409),
        ({"act": "split_unit", "unit_id": 3, "parts": ["So do", "you."]}, 400),
        ({"act": "join_units", "first_unit_id": 7, "last_unit_id": 3}, 400),
        ("{", 400),
    ],
)
def test_correction_that_cannot_be_is_a_problem_and_changes_nothing(
    body: object, status: int, gm: User, session: GameSession
) -> None:
    got = post(gm, body)

    assert (got.status_code, got["Content-Type"]) == (status, "application/problem+json")
    assert (Transcript.objects.count(), AuditEntry.objects.count()) == (1, 0)


@pytest.mark.parametrize("who", ["player", "reader", "outsider"])
def test_corrections_are_for_game_masters(who: str, request: pytest.FixtureRequest, session: GameSession) -> None:
    user: User = request.getfixturevalue(who)
    client = Client()
    client.force_login(user)

    assert post(user, {"act": "rename_speaker", "old": "Ida", "new": "Yun"}).status_code in (403, 404)
    assert client.get(f"{PATH.rpartition('/')[0]}/evidence").status_code in (403, 404)
    assert Transcript.objects.count() == 1


def test_evidence_of_a_session_without_a_transcript_is_none(gm: User, campaign: Campaign) -> None:
    factories.make_session(campaign, 2)
    client = Client()
    client.force_login(gm)

    found = client.get("/api/v1/campaigns/salt-ferry/sessions/2/transcript/evidence").json()
    assert found == {"source_id": None, "versions": []}
