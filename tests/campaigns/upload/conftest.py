"""A game master's browser, a table with a glossary, and uploads in a folder of the test's own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import Settings

from campaigns.models import Campaign, GlossaryTerm, RosterEntry

CAPTIONS = (
    b"WEBVTT\n\nNOTE made by hand\n\n00:01.000 --> 00:02.000\n<v SPEAKER_05>The fairy to Saltwick is late.\n\n"
    b"00:02.000 --> 00:03.000\n<v Ida>Then I swim.\n\n00:03.000 --> 00:04.000\n<v SPEAKER_05>Salt wick is far.\n"
)
Send: TypeAlias = "Callable[..., str]"


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, settings: Settings) -> Path:
    settings.DATA_DIR = tmp_path
    return tmp_path


@pytest.fixture
def table(campaign: Campaign) -> Campaign:
    """The campaign with a GM, one player and two terms."""
    kinds = RosterEntry.Kind
    RosterEntry.objects.create(campaign=campaign, kind=kinds.GM, player="Joost", speaker_labels=["Joost"])
    RosterEntry.objects.create(
        campaign=campaign, kind=kinds.PARTY, player="Ida", character="Corwen", speaker_labels=["ida"]
    )
    GlossaryTerm.objects.create(campaign=campaign, position=0, term="Saltwick", heard_as=["salt wick", "sold wig"])
    GlossaryTerm.objects.create(campaign=campaign, position=1, term="the Ferry", heard_as=["the fairy"])
    return campaign


@pytest.fixture
def browser(gm: User) -> Client:
    client = Client()
    client.force_login(gm)
    return client


@pytest.fixture
def send(browser: Client, campaign: Campaign) -> Send:
    """Upload bytes and return the address of their preview."""

    def send_bytes(data: bytes, name: str = "Night of the Bell.vtt", number: int = 1) -> str:
        got = browser.post(
            f"/campaigns/{campaign.slug}/upload/", {"number": number, "file": SimpleUploadedFile(name, data)}
        )

        assert got.status_code == 303
        return str(got["Location"])

    return send_bytes
