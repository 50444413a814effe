"""What the log says: of an exception, of an address, and of the work that a line belongs to."""

from __future__ import annotations

import io
import json
import logging
import logging.config
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as site
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from campaigns import tasks
from campaigns.actions import exports, leases, pausing, plans, runs, webhooks
from campaigns.models import Campaign, LaneRun, Run
from campaigns.tracing import tracing
from tests.factories import make_session, make_transcript, make_user
from tests.standard import NPCS

CLICK = "my-request-id-12345"
SECRET = "Ottilie hides the ledger under the third plank"


@contextmanager
def logged(formatter: str) -> Iterator[io.StringIO]:
    """Give what the configured handler writes of Django's and our own log lines."""
    logging_settings: Any = site.LOGGING
    configured: Any = logging.config.DictConfigurator(dict(logging_settings))
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(configured.configure_formatter(dict(logging_settings["formatters"][formatter])))
    for name in logging_settings["handlers"]["console"]["filters"]:
        handler.addFilter(configured.configure_filter(dict(logging_settings["filters"][name])))
    loggers = [logging.getLogger("django.request"), logging.getLogger("campaigns")]
    for logger in loggers:
        logger.addHandler(handler)
    try:
        yield stream
    finally:
        for logger in loggers:
            logger.removeHandler(handler)


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise ValueError(SECRET)

    monkeypatch.setattr("campaigns.views.health.MIGRATED", threading.Event())
    monkeypatch.setattr("campaigns.views.health._missing_migrations", fail)


@pytest.mark.parametrize("formatter", ["console", "json"])
def test_an_error_of_a_page_is_logged_without_its_words(db: None, failing: None, formatter: str) -> None:
    with logged(formatter) as stream:
        answer = Client(raise_request_exception=False).get("/readyz")

    assert answer.status_code == 500
    assert "ValueError" in stream.getvalue()
    assert SECRET not in stream.getvalue()
    assert SECRET not in answer.content.decode()


def test_a_line_names_the_view_and_not_the_address(db: None) -> None:
    client = Client()
    client.force_login(make_user())
    with logged("console") as stream:
        client.get("/campaigns/the-hidden-name/sessions/3/transcript/")
        client.get("/the-hidden-name%0a2026-01-01 ERROR forged")

    assert "404 in transcript" in stream.getvalue()
    assert "hidden-name" not in stream.getvalue()
    assert len(stream.getvalue().splitlines()) == 2


def test_json_lines_carry_the_request_that_the_answer_names(db: None, failing: None) -> None:
    with logged("json") as stream:
        answer = Client(raise_request_exception=False).get("/readyz")
    line = json.loads(stream.getvalue().splitlines()[0])

    assert line["request"] == answer["X-Request-ID"]
    assert (line["level"], line["message"]) == ("ERROR", "500 in readyz")
    assert line["error"].endswith("ValueError (its text is not logged)")


@pytest.mark.parametrize(("given", "kept"), [("proxy-12345", True), ("no\nforged line", False), ("x" * 41, False)])
def test_an_id_of_a_proxy_is_taken_over_where_it_is_a_plain_word(given: str, kept: bool) -> None:
    answer = Client().get("/healthz", headers={"x-request-id": given})

    assert (answer["X-Request-ID"] == given) is kept


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("get", "/nowhere/", 404),
        ("get", "/campaigns/nowhere/", 404),
        ("post", "/api/v1/campaigns/salt-ferry/npcs", 405),
    ],
)
def test_lines_of_refusals_carry_the_request_that_the_answer_names(
    campaign: Campaign, gm: User, method: str, path: str, status: int
) -> None:
    client = Client()
    client.force_login(gm)
    with logged("json") as stream:
        answer = client.generic(method.upper(), path, headers={"x-request-id": CLICK})

    assert (answer.status_code, answer["X-Request-ID"]) == (status, CLICK)
    assert [line["request"] for line in lines(stream)] == [CLICK]


def test_the_line_of_a_422_of_the_api_carries_its_request(campaign: Campaign, gm: User) -> None:
    client = Client()
    client.force_login(gm)
    with logged("console") as stream:
        answer = client.get("/api/v1/campaigns/salt-ferry/npcs?limit=none", headers={"x-request-id": CLICK})

    assert answer.status_code == 422
    assert stream.getvalue().endswith(f"422 in notarius-api:list_npcs [request={CLICK}]\n")


def started_by_a_click(campaign: Campaign, gm: User, captured: DjangoCaptureOnCommitCallbacks) -> LaneRun:
    make_transcript(make_session(campaign, 1))
    client = Client()
    client.force_login(gm)
    with captured(execute=True):
        answer = client.post(
            "/api/v1/campaigns/salt-ferry/sessions/1/runs",
            {"pipeline": "npcs-only"},
            content_type="application/json",
            headers={"x-request-id": CLICK},
        )
    assert answer.status_code == 202
    return LaneRun.objects.get()


def test_lines_of_a_worker_lead_from_its_lane_back_to_the_click(
    campaign: Campaign, gm: User, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    with logged("json") as stream:
        lane = started_by_a_click(campaign, gm, django_capture_on_commit_callbacks)
        with django_capture_on_commit_callbacks(execute=True):
            tasks.work_lane(lane.pk)
    lane.refresh_from_db()
    of_run = {"request": CLICK, "run": lane.run_id}
    told = [(line["message"].partition(":")[0], line) for line in lines(stream)]

    assert [what for what, _ in told] == ["run started", "lane claimed", "lane ended", "run ended"]
    assert all(line.items() >= of_run.items() for _, line in told)
    assert [line.get("lane") for what, line in told if what.startswith("lane")] == [lane.pk, lane.pk]
    assert (
        f"key=dnd/npcs outcome=succeeded calls={lane.calls} prompt_tokens={lane.prompt_tokens} "
        in told[2][1]["message"]
    )
    assert not any(name in stream.getvalue() for name in NPCS)


def test_a_lane_that_failed_says_so_with_its_code(
    campaign: Campaign,
    gm: User,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    monkeypatch.setenv("NOTARIUS_LLM_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("NOTARIUS_LLM_MODEL", "test-model")
    monkeypatch.setenv("NOTARIUS_LLM_TRIES", "1")
    lane = started_by_a_click(campaign, gm, django_capture_on_commit_callbacks)
    with logged("console") as stream, django_capture_on_commit_callbacks(execute=True):
        tasks.work_lane(lane.pk)
    [ended] = [line for line in stream.getvalue().splitlines() if "lane ended" in line]

    assert "WARNING" in ended
    assert "outcome=llm.connection calls=" in ended
    assert ended.endswith(f"[lane={lane.pk} request={CLICK} run={lane.run_id}]")
    assert "run ended: state=failed lanes=1 unsuccessful=1" in stream.getvalue()


def test_pause_and_cancel_name_who_clicked_and_an_end_in_a_sweep_who_began(
    campaign: Campaign, gm: User, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    lane = started_by_a_click(campaign, gm, django_capture_on_commit_callbacks)
    run = Run.objects.get()
    token = leases.claim(lane_id=lane.pk, at=timezone.now())
    LaneRun.objects.update(attempts=leases.MAX_ATTEMPTS, lease_until=timezone.now() - timedelta(minutes=1))
    with logged("json") as stream, django_capture_on_commit_callbacks(execute=True):
        with tracing(request="another-click"):
            pausing.pause(run=run, by=gm)
        runs.sweep(at=timezone.now())

    assert token
    assert [(line["message"].partition(":")[0], line["request"]) for line in lines(stream)] == [
        ("run paused", "another-click"),
        ("lane taken back", CLICK),
        ("run ended", CLICK),
    ]


def test_nothing_is_told_of_a_run_whose_start_was_rolled_back(
    campaign: Campaign, gm: User, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    transcript = make_transcript(make_session(campaign, 1))
    pipeline = plans.named_pipeline("npcs-only")
    with (
        logged("json") as stream,
        django_capture_on_commit_callbacks(execute=True),
        suppress(ZeroDivisionError),
        transaction.atomic(),
    ):
        runs.start(session=transcript.session, pipeline=pipeline, lanes=None, by=gm)
        raise ZeroDivisionError

    assert not Run.objects.exists()
    assert stream.getvalue() == ""


def test_exports_and_deliveries_are_told_with_their_ids(
    campaign: Campaign,
    gm: User,
    settings: Settings,
    tmp_path: Path,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    settings.DATA_DIR, settings.WEBHOOK_PRIVATE_ADDRESSES = tmp_path, True
    hook, _ = webhooks.create(
        campaign=campaign, url="http://127.0.0.1:9/hook", events=["run.finished"], site="https://n.example/", by=gm
    )
    delivery = webhooks.ping(campaign=campaign, webhook_id=hook.pk, by=gm)
    with logged("json") as stream, tracing(request=CLICK), django_capture_on_commit_callbacks(execute=True):
        export = exports.order(who=gm, slug=campaign.slug, format="csv", by=gm)
    with logged("json") as worker:
        tasks.work_export(export.pk)
        tasks.deliver_message(delivery.pk)

    assert [(line["message"], line["request"], line["export"]) for line in lines(stream)] == [
        ("export ordered", CLICK, export.pk)
    ]
    told = [
        (line["message"].partition(" seconds")[0], line.get("export"), line.get("delivery")) for line in lines(worker)
    ]
    assert told == [
        ("export claimed", export.pk, None),
        ("export ended: outcome=succeeded", export.pk, None),
        ("delivery ended: outcome=webhook.connection", None, delivery.pk),
    ]
