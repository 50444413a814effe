"""Runs over the API: foreseen, capped, paused, resumed, listed."""

from __future__ import annotations

import pytest
from django.test import Client

from campaigns.api.root import api
from campaigns.models import ArtifactVersion, LaneRun, Run
from extraction.codes import Code
from tests import factories
from tests.factories import make_transcript, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def address() -> str:
    session = make_transcript().session
    return f"/api/v1/campaigns/{session.campaign.slug}/sessions/{session.number}"


@pytest.fixture
def client() -> Client:
    client = Client()
    client.force_login(make_user(superuser=True))
    return client


def test_a_run_is_foreseen_and_nothing_is_started(client: Client, address: str) -> None:
    answer = client.get(f"{address}/forecast?pipeline=npcs-only").json()

    assert [lane["lane"] for lane in answer["lanes"]] == ["dnd/npcs"]
    assert answer["calls"] == answer["lanes"][0]["calls"] > 0
    assert not Run.objects.exists()


def test_a_run_is_paused_at_its_cap_and_resumed_with_a_higher_one(client: Client, address: str) -> None:
    body = {"pipeline": "npcs-only", "token_cap": 500}
    run = client.post(f"{address}/runs", body, content_type="application/json").json()
    LaneRun.objects.update(prompt_tokens=600)
    paused = client.post(f"/api/v1/runs/{run['id']}/pause").json()
    refused = client.post(f"/api/v1/runs/{run['id']}/resume", {}, content_type="application/json")
    resumed = client.post(f"/api/v1/runs/{run['id']}/resume", {"token_cap": 900}, content_type="application/json")

    assert (run["token_cap"], run["pause_code"]) == (500, None)
    assert (paused["state"], paused["pause_code"]) == ("paused", Code.RUN_PAUSED)
    assert (refused.status_code, refused.json()["code"]) == (409, Code.RUN_CAP_REACHED)
    assert (resumed.json()["state"], resumed.json()["token_cap"]) == ("running", 900)


@pytest.mark.parametrize("caps", [{"token_cap": 0}, {"cost_cap": -1}, {"cost_cap": "much"}, {"caps": 1}], ids=str)
def test_a_cap_that_is_none_is_refused(client: Client, address: str, caps: dict[str, object]) -> None:
    assert client.post(f"{address}/runs", caps, content_type="application/json").status_code == 422
    assert not Run.objects.exists()


def test_runs_are_listed_newest_first_and_page_by_page(client: Client, address: str) -> None:
    for _ in range(3):
        client.post(f"{address}/runs", {"pipeline": "npcs-only"}, content_type="application/json")
    first = client.get(f"{address}/runs?limit=2").json()
    second = client.get(f"{address}/runs?limit=2&cursor={first['next_cursor']}").json()
    ids = [run["id"] for run in (*first["items"], *second["items"])]

    assert ids == sorted(Run.objects.values_list("pk", flat=True), reverse=True)
    assert second["next_cursor"] is None


def test_a_forecast_of_some_lanes_is_the_run_of_them(client: Client, address: str) -> None:
    whole = client.get(f"{address}/forecast").json()
    some = client.get(f"{address}/forecast?lanes=npcs,dnd/scenes").json()
    run = client.post(f"{address}/runs", {"lanes": ["npcs", "dnd/scenes"]}, content_type="application/json").json()

    assert {lane["lane"] for lane in some["lanes"]} == {"dnd/npcs", "dnd/scenes"}
    assert {lane["lane"] for lane in some["lanes"]} == {lane["lane"] for lane in run["lanes"]}
    assert 0 < some["calls"] < whole["calls"]


@pytest.mark.parametrize("lanes", [["dragons"], ["npcs", "dragons"], []], ids=str)
def test_a_forecast_refuses_the_lanes_that_a_run_refuses(client: Client, address: str, lanes: list[str]) -> None:
    foreseen = client.get(f"{address}/forecast", {"lanes": ",".join(lanes)})
    started = client.post(f"{address}/runs", {"lanes": lanes}, content_type="application/json")
    told = [(answer.status_code, answer.json()["code"], answer.json()["detail"]) for answer in (foreseen, started)]

    assert told[0] == told[1]
    assert 400 <= foreseen.status_code < 500


@pytest.mark.parametrize("body", [b"", b"{}"], ids=["no body", "empty object"])
@pytest.mark.parametrize("typed", [False, True], ids=["untyped", "typed"])
def test_a_run_starts_and_resumes_without_wishes(client: Client, address: str, body: bytes, typed: bool) -> None:
    media = "application/json" if typed or body else ""
    started = client.generic("POST", f"{address}/runs", body, content_type=media)
    client.post(f"/api/v1/runs/{started.json()['id']}/pause")
    resumed = client.generic("POST", f"/api/v1/runs/{started.json()['id']}/resume", body, content_type=media)

    assert (started.status_code, started.json()["pipeline"], len(started.json()["lanes"])) == (202, "complete", 10)
    assert (started.json()["token_cap"], started.json()["cost_cap"]) == (None, None)
    assert (resumed.status_code, resumed.json()["state"]) == (200, "running")


@pytest.mark.parametrize("act", ["approve", "reject"])
def test_a_verdict_needs_no_body(client: Client, act: str) -> None:
    version = factories.make_version(make_transcript(), {"Dell": ((44, 46),)})
    answer = client.generic("POST", f"/api/v1/artifact-versions/{version.pk}/{act}", content_type="")

    assert answer.status_code == 200
    assert ArtifactVersion.objects.get(pk=version.pk).state != ArtifactVersion.State.PENDING


def test_the_document_wants_a_body_only_where_a_field_of_it_must_be_given() -> None:
    """A program that was made from the document would otherwise send one for nothing."""
    components = api.document["components"]["schemas"]
    wanted = {}
    for methods in api.document["paths"].values():
        for operation in methods.values():
            body = operation.get("requestBody", {"content": {}})
            schema = body["content"].get("application/json", {}).get("schema", {})
            if "$ref" in schema:
                must = bool(components[schema["$ref"].rpartition("/")[2]].get("required"))
                wanted[operation["operationId"]] = (body["required"], must)

    assert {"start_run", "resume_run", "approve_version", "reject_version", "withdraw_decision"} <= set(wanted)
    assert {name: given for name, (given, must) in wanted.items() if given != must} == {}
