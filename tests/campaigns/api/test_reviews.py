"""Reviews over HTTP: the same acts, refusals and histories as on the pages."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, get_args

import pytest
from django.contrib.auth.models import User
from django.test import Client

from campaigns.acts import ACTS
from campaigns.api.act_schemas import AnAct
from campaigns.models import ArtifactVersion, Decision, Transcript
from tests import factories
from tests.campaigns.api.conftest import bearer
from tests.campaigns.review import families
from tests.campaigns.reviews.acting import DELL, GROUP, PEOPLE, VOSS, WICK, group_of, names

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Response

VERSIONS = "/api/v1/artifact-versions"


@pytest.fixture
def client(gm: User) -> Client:
    return bearer(gm, "write")


@pytest.fixture
def people(transcript: Transcript) -> ArtifactVersion:
    """Four people, of whom one was united from two."""
    return factories.make_version(transcript, PEOPLE, consolidations=group_of(transcript, GROUP))


def act(client: Client, version: int, key: str, **said: object) -> Response:
    return client.post(f"{VERSIONS}/{version}/acts", {"act": key, **said}, content_type="application/json")


def test_programs_have_every_act_of_the_pages() -> None:
    union = get_args(AnAct)[0]
    keys = {get_args(each.model_fields["act"].annotation)[0] for each in get_args(union)}

    assert keys == set(ACTS)


def test_version_shows_records_with_the_places_that_acts_name(client: Client, people: ArtifactVersion) -> None:
    shown = client.get(f"{VERSIONS}/{people.pk}").json()

    assert [record["position"] for record in shown["records"]] == [0, 1, 2, 3]
    assert shown["records"][WICK]["record"]["name"] == "Wick"
    assert [member["name"] for member in shown["records"][VOSS]["members"]] == list(GROUP)
    assert (shown["head"], shown["next_undo"], shown["state"]) == (people.pk, None, "pending")


@pytest.mark.parametrize(
    ("said", "kind", "left"),
    [
        pytest.param({"act": "accept", "record": VOSS}, "accept", 4, id="accept"),
        pytest.param({"act": "accept_all", "records": [VOSS]}, "accept", 4, id="accept-all"),
        pytest.param({"act": "explode", "record": VOSS}, "explode", 5, id="explode"),
        pytest.param({"act": "canonical", "record": VOSS, "member": 1}, "canonical", 4, id="canonical"),
        pytest.param({"act": "merge", "records": [DELL, WICK], "canonical": DELL}, "merge", 3, id="merge"),
        pytest.param({"act": "rename", "record": WICK, "name": "Old Wick"}, "rename", 4, id="rename"),
        pytest.param({"act": "remove", "record": WICK}, "remove", 3, id="remove"),
        pytest.param({"act": "same", "record": DELL, "other": WICK}, "same", 3, id="same"),
        pytest.param({"act": "not_same", "record": DELL, "other": WICK}, "not_same", 4, id="not-same"),
        pytest.param({"act": "unsure", "record": DELL, "other": WICK}, "unsure", 4, id="unsure"),
        pytest.param(
            {"act": "split", "record": DELL, "refs": [2], "name": "Somebody"}, "split_evidence", 5, id="split"
        ),
        pytest.param(
            {"act": "evidence", "record": DELL, "ranges": [{"start_unit_id": 44, "end_unit_id": 46}]},
            "evidence",
            4,
            id="evidence",
        ),
        pytest.param({"act": "move", "record": DELL, "refs": [0], "to": WICK}, "move_evidence", 4, id="move"),
        pytest.param(
            {"act": "add", "fields": {"name": "The Bell"}, "ranges": [{"start_unit_id": 203, "end_unit_id": 203}]},
            "add",
            5,
            id="add",
        ),
    ],
)
def test_act_makes_the_next_version_and_a_decision(
    said: dict[str, object], kind: str, left: int, client: Client, people: ArtifactVersion
) -> None:
    got = client.post(f"{VERSIONS}/{people.pk}/acts", {**said, "reason": "seen"}, content_type="application/json")
    made = ArtifactVersion.objects.latest("number")
    decision = Decision.objects.get()

    assert got.status_code == 201, got.content
    assert (got["Location"], got.json()["version"]["id"]) == (f"{VERSIONS}/{made.pk}", made.pk)
    assert (decision.kind, decision.reason, decision.by and decision.by.username) == (kind, "seen", "gm")
    assert len(names(made)) == left


def test_undo_redo_and_roll_back(client: Client, people: ArtifactVersion) -> None:
    renamed = act(client, people.pk, "rename", record=WICK, name="Old Wick").json()["version"]["id"]
    undone = act(client, renamed, "undo").json()["version"]["id"]
    redone = act(client, undone, "redo").json()["version"]["id"]
    back = act(client, redone, "roll_back", target=people.pk).json()["version"]["id"]
    found = [names(ArtifactVersion.objects.get(pk=each))[WICK] for each in (renamed, undone, redone, back)]

    assert found == ["Old Wick", "Wick", "Old Wick", "Wick"]


def test_turn_is_edited_split_and_joined(client: Client, transcript: Transcript) -> None:
    two = [families.action("raises the candle"), families.action("speaks", category="other")]
    turn = families.turn(transcript, "Corwen", two, "Corwen holds on.", ((202, 202), (211, 211)))
    version = families.make_version(transcript, "combat-turns", [turn])
    units = {
        "ranges": [{"start_unit_id": 211, "end_unit_id": 211}],
        "kept": [{"start_unit_id": 202, "end_unit_id": 202}],
    }
    edited = act(client, version.pk, "edit", record=0, fields={"round": 3}).json()["version"]["id"]
    said = {"fields": {"summary": "Corwen speaks."}, "kept_summary": "Corwen raises the candle."}
    split = act(client, edited, "split_turn", record=0, actions=[1], **units, **said).json()["version"]["id"]
    joined = act(client, split, "join_turns", records=[0, 1]).json()["version"]["id"]
    turns = [json.loads(ArtifactVersion.objects.get(pk=each).payload)["turns"] for each in (edited, split, joined)]

    assert [len(each) for each in turns] == [1, 2, 1]
    assert turns[0][0]["round"] == 3
    assert [len(each["actions"]) for each in turns[1]] == [1, 1]
    assert [each["summary"] for each in turns[1]] == ["Corwen raises the candle.", "Corwen speaks."]


@pytest.mark.parametrize(
    "said", [{"fields": {"summary": "\n "}, "kept_summary": " "}, {"fields": {"summary": None}, "kept_summary": ""}]
)
def test_half_of_a_split_turn_does_not_take_over_the_summary_of_both(
    client: Client, transcript: Transcript, said: dict[str, object]
) -> None:
    two = [families.action("raises the candle"), families.action("speaks", category="other")]
    turn = families.turn(transcript, "Corwen", two, "Corwen raises it and speaks.", ((202, 202), (211, 211)))
    version = families.make_version(transcript, "combat-turns", [turn])
    units = [{"start_unit_id": 202, "end_unit_id": 202}, {"start_unit_id": 211, "end_unit_id": 211}]
    halves = {"record": 0, "actions": [1], "kept": units[:1], "ranges": units[1:]}
    got = act(client, version.pk, "split_turn", **halves, **said)

    bare = act(client, version.pk, "split_turn", **halves)

    assert (got.status_code, got.json()["code"]) == (422, "review.invalid")
    assert {each["pointer"]: each["code"] for each in got.json()["errors"]} == {
        "#/kept_summary": "record.shape",
        "#/summary": "record.shape",
    }
    assert (bare.status_code, bare.json()["code"]) == (422, "request.invalid")
    assert not Decision.objects.exists()


def test_act_on_an_old_version_does_nothing_and_names_the_newest(client: Client, people: ArtifactVersion) -> None:
    act(client, people.pk, "rename", record=WICK, name="Old Wick")
    got = act(client, people.pk, "rename", record=DELL, name="Dell")

    assert (got.status_code, got.json()["code"], got.json()["newest"]) == (409, "version.stale", 2)
    assert Decision.objects.count() == 1


def test_act_that_breaks_the_rules_names_the_field(client: Client, transcript: Transcript) -> None:
    version = families.make_version(transcript, "combat-turns", families.one_of_each(transcript)["combat-turns"])
    got = act(client, version.pk, "edit", record=0, fields={"turn_kind": "dance"})

    assert (got.status_code, got.json()["code"]) == (422, "review.invalid")
    assert got.json()["errors"][0]["pointer"] == "#/turn_kind"
    assert not Decision.objects.exists()


def test_verdict_is_stopped_by_a_tag_that_is_out_of_date(client: Client, people: ArtifactVersion) -> None:
    tag = client.get(f"{VERSIONS}/{people.pk}")["ETag"]
    body: dict[str, Any] = {"data": {"note": ""}, "content_type": "application/json"}
    wrong = client.post(f"{VERSIONS}/{people.pk}/reject", headers={"if-match": '"other"'}, **body)
    right = client.post(f"{VERSIONS}/{people.pk}/reject", headers={"if-match": tag}, **body)
    late = client.post(f"{VERSIONS}/{people.pk}/approve", headers={"if-match": tag}, **body)

    assert (wrong.status_code, wrong.json()["code"]) == (412, "request.precondition")
    assert (right.status_code, late.status_code) == (200, 412)


def test_decisions_are_listed_and_withdrawn(client: Client, people: ArtifactVersion) -> None:
    made = act(client, people.pk, "merge", records=[DELL, WICK], canonical=DELL).json()
    listed = client.get(f"{VERSIONS}/{people.pk}/decisions").json()["items"]
    path = f"/api/v1/decisions/{made['decision']['id']}/withdraw"
    answers = [client.post(path, {"reason": "no"}, content_type="application/json") for _ in range(2)]

    assert [(row["kind"], row["by"]) for row in listed] == [("merge", "gm")]
    assert [got.status_code for got in answers] == [200, 409]
    assert answers[0].json()["about"] == made["decision"]["id"]


def test_two_versions_are_compared(client: Client, people: ArtifactVersion) -> None:
    made = act(client, people.pk, "remove", record=WICK).json()["version"]["id"]
    got = client.get(f"{VERSIONS}/{people.pk}/compare/{made}").json()

    assert (got["removed"], got["added"], got["equal"]) == ([WICK], [], False)
    assert got["causes"] == ["person"]


def test_versions_of_an_artifact_are_listed_for_game_masters(
    client: Client, reader: User, people: ArtifactVersion
) -> None:
    act(client, people.pk, "remove", record=WICK)
    path = "/api/v1/campaigns/salt-ferry/sessions/1/artifacts/npcs/versions"

    assert [(row["number"], row["state"]) for row in client.get(path).json()["items"]] == [
        (1, "superseded"),
        (2, "pending"),
    ]
    assert bearer(reader, "write").get(path).status_code == 404
