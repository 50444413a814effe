"""What the log says: of an exception, of an address, and of the work that a line belongs to."""

from __future__ import annotations

import io
import json
import logging
import logging.config
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from campaigns.tracing import tracing
from tests.factories import make_user

SECRET = "Ottilie hides the ledger under the third plank"


@contextmanager
def logged(formatter: str) -> Iterator[io.StringIO]:
    """Give what the configured handler writes of Django's and our own log lines."""
    logging_settings: Any = settings.LOGGING
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


def test_lines_of_a_worker_name_run_and_lane() -> None:
    with logged("console") as stream, tracing(request="click-1234", run=7, lane=70):
        logging.getLogger("campaigns.work").error("a lane failed")

    assert "a lane failed [request=click-1234 run=7 lane=70]" in stream.getvalue()
