"""A file's name says who recorded what and where. It is stored nowhere, so no prompt, page or export can show it."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.apps import apps
from django.core import serializers
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client

from campaigns.adapters.documents import load_document
from campaigns.models import Campaign, Run, Transcript
from tests.campaigns.upload.conftest import CAPTIONS, Send
from tests.extraction.ingest.zips import zipped

NAME = "Zwettlergasse 7, Ines telling.vtt"
SIGNS = ("Zwettler", "Ines telling")
PART = "Zwettlergasse/Ines telling.txt"


def everything_stored() -> str:
    rows = (row for model in apps.get_app_config("campaigns").get_models() for row in model._default_manager.all())
    return str(serializers.serialize("json", rows))


def by_page(browser: Client, send: Send, tmp_path: Path, name: str, data: bytes) -> list[str]:
    address = send(data, name)
    shown = browser.get(address).content.decode()
    stored = browser.post(address, {"act": "store"}, follow=True).content.decode()
    return [address, shown, stored]


def by_api(browser: Client, send: Send, tmp_path: Path, name: str, data: bytes) -> list[str]:
    path = "/api/v1/campaigns/salt-ferry/sessions/1/transcripts"
    got = browser.post(path, {"file": SimpleUploadedFile(name, data)})
    return [got.content.decode()]


def by_command(browser: Client, send: Send, tmp_path: Path, name: str, data: bytes) -> list[str]:
    file = tmp_path / name
    file.write_bytes(data)
    call_command("import_transcript", str(file), "--campaign", "salt-ferry", "--session", "1")
    return []


@pytest.mark.parametrize("door", [by_page, by_api, by_command])
@pytest.mark.parametrize(
    ("name", "data"),
    [
        (NAME, CAPTIONS),
        (NAME.replace(".vtt", ".zip"), zipped({PART: "Ida: Hm.\nYun: No.\n", f"2 {PART}": "Ida: Yes.\n"})),
    ],
    ids=["captions", "archive"],
)
def test_the_name_of_a_file_is_stored_and_shown_nowhere(
    door: object, name: str, data: bytes, browser: Client, campaign: Campaign, send: Send, tmp_path: Path
) -> None:
    assert callable(door)
    answers = door(browser, send, tmp_path, name, data)
    transcript = Transcript.objects.get()
    session = transcript.session
    pages = [
        browser.get(path).content.decode()
        for path in (
            f"/review/sessions/{session.pk}/",
            f"/review/sessions/{session.pk}/units",
            "/campaigns/salt-ferry/sessions/1/transcript/",
            "/api/v1/campaigns/salt-ferry/sessions/1/transcript",
        )
    ]
    document = load_document(transcript)

    for text in (*answers, *pages, everything_stored(), repr(document)):
        assert not any(sign in text for sign in SIGNS)


def test_the_name_of_a_file_is_in_no_artifact_that_was_made_of_it(
    browser: Client, campaign: Campaign, send: Send, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    by_page(browser, send, tmp_path, NAME, CAPTIONS)
    call_command("run_pipeline", "--campaign", "salt-ferry", "--session", "1", "--pipeline", "npcs-only", "--inline")

    assert Run.objects.get().state == Run.State.SUCCEEDED
    call_command("show_prompt", "npcs", "--campaign", "salt-ferry", "--session", "1")
    call_command(
        "export_artifact", "--campaign", "salt-ferry", "--session", "1", "--lane", "dnd/npcs", "--status", "latest"
    )
    written = capsys.readouterr()
    for text in (written.out, written.err, everything_stored()):
        assert not any(sign in text for sign in SIGNS)
