"""Runs over the API: foreseen, capped, paused, resumed, listed."""

from __future__ import annotations

import pytest
from django.test import Client

from campaigns.models import LaneRun, Run
from extraction.codes import Code
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
