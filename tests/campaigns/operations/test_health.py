"""What balancers and monitoring programs are told."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django import db
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import DjangoAssertNumQueries, Settings

from campaigns.actions import pulses
from campaigns.models import LaneRun, Run
from campaigns.views import health
from tests.factories import make_lane_run, make_user

pytestmark = pytest.mark.django_db
TOKEN = "a-token-for-the-scraper"


@pytest.fixture(autouse=True)
def fresh_process() -> None:
    health.MIGRATED.clear()


def samples(client: Client, **headers: str) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    answer = client.get("/metrics", headers=headers)
    assert answer.status_code == 200
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(answer.content.decode())
        for sample in family.samples
    }


def test_alive_is_said_without_a_database(client: Client, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(0):
        assert client.get("/healthz").json() == {"status": "ok"}


def test_ready_tells_whether_a_worker_is_there(client: Client) -> None:
    before = client.get("/readyz")
    pulses.stamp(kind=pulses.SUPERVISOR, name="here", at=timezone.now())

    assert (before.status_code, before.json()["worker"]) == (200, False)
    assert client.get("/readyz").json() == {"status": "ok", "database": True, "migrated": True, "worker": True}


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        (db.OperationalError("password of the server"), {"status": "unavailable", "database": False}),
        (None, {"status": "behind", "database": True, "migrated": False, "worker": False}),
    ],
    ids=["database away", "migration missing"],
)
def test_not_ready_is_a_503_that_names_the_part(
    client: Client, monkeypatch: pytest.MonkeyPatch, trouble: Exception | None, said: dict[str, object]
) -> None:
    def missing() -> list[object]:
        if trouble is not None:
            raise trouble
        return ["0004"]

    monkeypatch.setattr("campaigns.views.health._missing_migrations", missing)
    answer = client.get("/readyz")

    assert (answer.status_code, answer.json()) == (503, said)


def test_a_database_that_answers_and_has_no_tables_yet_is_told_apart_from_none(client: Client) -> None:
    MigrationRecorder(db.connection).migration_qs.all().delete()
    with db.connection.cursor() as cursor:
        cursor.execute("ALTER TABLE campaigns_workerpulse RENAME TO away")
    answer = client.get("/readyz")

    assert answer.status_code == 503
    assert answer.json() == {"status": "behind", "database": True, "migrated": False, "worker": False}


def test_migrations_are_looked_for_until_none_is_missing_and_the_database_always(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[list[object]] = [["0004"], []]
    monkeypatch.setattr("campaigns.views.health._missing_migrations", lambda: found.pop(0))
    said = [client.get("/readyz").json()["migrated"] for _ in range(4)]

    def away(**at: object) -> bool:
        raise db.OperationalError

    monkeypatch.setattr("campaigns.actions.pulses.any_supervisor", away)

    assert (said, found) == ([False, True, True, True], [])
    assert client.get("/readyz").status_code == 503


def test_metrics_are_for_the_token_and_for_site_admins(client: Client, settings: Settings) -> None:
    settings.METRICS_TOKEN = TOKEN
    client.force_login(make_user())

    assert client.get("/metrics").status_code == 404
    assert client.get("/metrics", headers={"authorization": "Bearer another"}).status_code == 404
    assert client.get("/metrics", headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200
    client.force_login(make_user(superuser=True))
    assert client.get("/metrics").status_code == 200


def test_without_a_token_set_no_token_fits(client: Client, settings: Settings) -> None:
    settings.METRICS_TOKEN = None

    assert client.get("/metrics", headers={"authorization": "Bearer "}).status_code == 404
    assert client.get("/metrics", headers={"authorization": "Bearer None"}).status_code == 404


def test_metrics_count_lanes_calls_tokens_and_the_queue(client: Client, settings: Settings) -> None:
    settings.METRICS_TOKEN = TOKEN
    lane = make_lane_run()
    LaneRun.objects.filter(pk=lane.pk).update(
        state="queued",
        calls=7,
        prompt_tokens=900,
        cached_tokens=300,
        completion_tokens=50,
        rung_at=timezone.now() - timedelta(seconds=90),
    )
    found = samples(client, authorization=f"Bearer {TOKEN}")

    assert found["notarius_lanes", (("state", "queued"),)] == 1
    assert found["notarius_calls", (("lane", lane.key),)] == 7
    assert found["notarius_tokens", (("kind", "cached"), ("lane", lane.key))] == 300
    assert found["notarius_queue_age_seconds", ()] >= 90


def test_lanes_of_a_paused_run_wait_for_nobody(client: Client, settings: Settings) -> None:
    settings.METRICS_TOKEN = TOKEN
    lane = make_lane_run()
    LaneRun.objects.update(state="queued", rung_at=timezone.now() - timedelta(hours=9))
    Run.objects.filter(pk=lane.run_id).update(state="paused")

    assert samples(client, authorization=f"Bearer {TOKEN}")["notarius_queue_age_seconds", ()] == 0


def test_no_counter_falls_when_a_campaign_is_deleted(client: Client, settings: Settings) -> None:
    """Prometheus takes a counter that falls for a program that began anew, and adds all of it once more."""
    settings.METRICS_TOKEN = TOKEN
    lane = make_lane_run()
    LaneRun.objects.update(calls=7, prompt_tokens=900)

    def counters() -> dict[str, float]:
        text = client.get("/metrics", headers={"authorization": f"Bearer {TOKEN}"}).content.decode()
        return {
            f"{sample.name} {sorted(sample.labels.items())}": sample.value
            for family in text_string_to_metric_families(text)
            if family.type == "counter"
            for sample in family.samples
        }

    before = counters()
    lane.run.session.campaign.delete()
    after = counters()

    assert before
    assert all(after.get(name, 0.0) >= value for name, value in before.items())


def test_metrics_count_answers_by_view_and_never_by_address(client: Client, settings: Settings) -> None:
    settings.METRICS_TOKEN = TOKEN
    key = ("notarius_http_answers_total", (("method", "GET"), ("status", "200"), ("view", "healthz")))
    before = samples(client, authorization=f"Bearer {TOKEN}").get(key, 0.0)
    client.get("/healthz")
    client.get("/campaigns/the-hidden-name/sessions/1/upload/")
    answer = client.get("/metrics", headers={"authorization": f"Bearer {TOKEN}"})

    assert samples(client, authorization=f"Bearer {TOKEN}")[key] == before + 1
    assert b"the-hidden-name" not in answer.content
