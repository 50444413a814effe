"""Eighty files that are no transcript: each is refused with its code, and leaves neither a row nor a file."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import Settings

from campaigns.models import Campaign
from extraction.codes import Code
from tests.campaigns.upload.bad_files import BAD_FILES
from tests.campaigns.upload.test_bad_input import BAD, SPEECH, rows

ADDRESS = "/api/v1/campaigns/salt-ferry/sessions/1/transcripts"


@pytest.fixture
def listening() -> Iterator[list[str]]:
    """Who has called at a port of this machine that a bad file may name."""
    calls: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        calls.append(f"{server.getsockname()[1]}")

        def wait() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                calls.append("called")
                connection.close()

        thread = threading.Thread(target=wait, daemon=True)
        thread.start()
        yield calls
        server.shutdown(socket.SHUT_RDWR)
        thread.join(timeout=10)


def test_there_are_eighty() -> None:
    assert len(BAD_FILES) + len(BAD) >= 80
    assert not set(BAD_FILES) & set(BAD)
    assert len({data for data, _ in (*BAD_FILES.values(), *BAD.values())}) == len(BAD_FILES) + len(BAD)


@pytest.mark.parametrize("kind", BAD_FILES)
def test_bad_file_is_refused_with_its_code_and_leaves_nothing(
    kind: str, browser: Client, campaign: Campaign, data_dir: Path
) -> None:
    data, code = BAD_FILES[kind]
    before = rows()
    got = browser.post(ADDRESS, {"file": SimpleUploadedFile("night.txt", data)})
    problem = got.json()

    assert got.status_code == (413 if code is Code.INGEST_TOO_LARGE else 422)
    assert problem["code"] == code.value
    assert problem["detail"].endswith(".")
    assert len(problem["detail"]) < 300
    assert rows() == before
    assert [path for path in data_dir.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("kind", [*BAD, *BAD_FILES][::7])
def test_bad_file_that_waits_for_a_decision_is_gone_when_it_is_discarded(
    kind: str, browser: Client, campaign: Campaign, data_dir: Path, settings: Settings
) -> None:
    data, _ = {**BAD, **BAD_FILES}[kind]
    sent = browser.post("/campaigns/salt-ferry/upload/", {"number": 1, "file": SimpleUploadedFile("night.txt", data)})
    if sent.status_code == 303:
        browser.post(sent["Location"], {"act": "discard"})

    assert [path for path in data_dir.rglob("*") if path.is_file()] == []


def test_site_serves_on_after_all_of_them(browser: Client, campaign: Campaign) -> None:
    for data, _ in BAD_FILES.values():
        browser.post(ADDRESS, {"file": SimpleUploadedFile("night.txt", data)})
    got = browser.post(ADDRESS, {"file": SimpleUploadedFile("night.txt", SPEECH.encode())})

    assert got.status_code == 201


def test_no_entity_of_a_file_fetches_anything(browser: Client, campaign: Campaign, listening: list[str]) -> None:
    [port] = listening
    entity = f"<!DOCTYPE x [<!ENTITY a SYSTEM 'http://127.0.0.1:{port}/x'>]><x>&a;</x>"
    for text in (
        f"<?xml version='1.0'?>{entity}",
        f"WEBVTT\n\n00:01.000 --> 00:02.000\n{entity}\n",
        f"Ida: {entity}\n",
    ):
        browser.post(ADDRESS, {"file": SimpleUploadedFile("night.txt", text.encode())})

    assert listening == [port]
