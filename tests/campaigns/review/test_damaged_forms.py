"""Forms of a review that came back damaged: refused with a page that says so, never with a failure."""

from __future__ import annotations

import pytest
from django.db import transaction
from django.test import Client

from campaigns.acts import ACTS, act_for
from campaigns.models import ArtifactVersion, Transcript
from tests.campaigns.review import families
from tests.campaigns.review.acting import address
from tests.campaigns.reviews.acting import head

TEXTS = ("\x00", "209-204", "9" * 3_000)
FIELDS = (
    *("records", "refs", "ranges", "kept", "going", "to", "target", "decision", "summary", "reason"),
    *("actor", "round", "turn_kind", "enemy", "kind", "detail", "actions", "action-0-targets", "action-1-drop"),
)


@pytest.fixture
def fight(transcript: Transcript) -> ArtifactVersion:
    actions = [families.action("He swings."), families.action("He shoves.")]
    turns = [families.turn(transcript, actor, actions, "He acts.", ((204, 209),)) for actor in ("Voss", "Wick")]
    return families.make_version(transcript, "combat-turns", turns)


@pytest.fixture
def events(transcript: Transcript) -> ArtifactVersion:
    proof = {"source_refs": families.refs(transcript, ((204, 209),))}
    told = [{"enemy": name, "kind": "damaged", "detail": "hit", "actor": None, **proof} for name in ("Voss", "Wick")]
    return families.make_version(transcript, "enemy-events", told)


@pytest.mark.parametrize("lane", ["fight", "events"])
@pytest.mark.parametrize("text", TEXTS, ids=["nul", "reversed", "long"])
def test_damaged_fields_of_every_act_are_refused_or_done(
    client: Client, request: pytest.FixtureRequest, lane: str, text: str
) -> None:
    version: ArtifactVersion = request.getfixturevalue(lane)
    whole: dict[str, str | list[str]] = {"record": "0", "expected_version": "1"}
    everywhere = dict.fromkeys(FIELDS, text)
    twice = {name: ["0", text, text] for name in FIELDS}
    for act in (key for key in ACTS if act_for(key, version.artifact.lane)):
        for form in (whole | everywhere, whole | twice):
            before = transaction.savepoint()
            got = client.post(address(version, act), form)
            transaction.savepoint_rollback(before)

            assert got.status_code < 500, (act, form)


@pytest.mark.parametrize("count", ["", "0", "99999", "201", "-1", "x", "\uff11", "2\x00"])
def test_damaged_count_of_actions_falls_back_to_the_records_own(
    client: Client, fight: ArtifactVersion, count: str
) -> None:
    said: dict[str, str | int] = {"record": 0, "expected_version": 1, "actions": count}
    opened = client.get(address(fight, "edit"), said)
    sent = client.post(address(fight, "edit"), said)

    assert (opened.status_code, sent.status_code) == (200, 400)
    for page in (opened.content.decode(), sent.content.decode()):
        assert 'name="actions" value="3"' in page
        assert page.count("He shoves.") == 1
    assert "The form came back incomplete. Open it again." in sent.content.decode()
    assert head(fight) == fight


@pytest.mark.parametrize(
    ("act", "field"), [("evidence", "ranges"), ("move", "ranges"), ("add", "ranges"), ("split_turn", "kept")]
)
def test_more_units_than_a_database_is_asked_for_at_once_are_refused(
    client: Client, fight: ArtifactVersion, act: str, field: str
) -> None:
    said = {"record": 0, "to": 1, "expected_version": 1, "ranges": "204", field: ",".join(map(str, range(300_000)))}
    sent = client.post(address(fight, act), said)

    assert sent.status_code == 422
    assert f"There are {300_000:,} units and ranges here" in sent.content.decode()
    assert head(fight) == fight


def test_first_of_many_wrong_units_are_told(client: Client, fight: ArtifactVersion) -> None:
    said = {"record": 0, "expected_version": 1, "ranges": "204, " + ", ".join(map(str, range(1_000, 1_200)))}
    sent = client.post(address(fight, "evidence"), said).content.decode()

    assert (sent.count("There is no unit "), sent.count("And 180 more are wrong.")) == (20, 1)
    assert "There is no unit 1019 in this transcript." in sent
    assert head(fight) == fight
