"""What the log says of an exception."""

from __future__ import annotations

import io
import logging
import logging.config
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

SECRET = "Ottilie hides the ledger under the third plank"


def test_an_error_of_a_page_is_logged_without_its_words(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise ValueError(SECRET)

    monkeypatch.setattr("campaigns.views.home.visible_campaigns", fail)
    logged: Any = settings.LOGGING
    configured = logging.config.DictConfigurator({"version": 1}).configure_formatter(dict(logged["formatters"]["line"]))
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(configured)
    logging.getLogger("django.request").addHandler(handler)
    try:
        answer = Client(raise_request_exception=False).get("/")
    finally:
        logging.getLogger("django.request").removeHandler(handler)

    assert answer.status_code == 500
    assert "ValueError" in stream.getvalue()
    assert SECRET not in stream.getvalue()
    assert SECRET not in answer.content.decode()
