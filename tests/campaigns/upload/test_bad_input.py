"""Bad files by each of the three doors: a clear sentence, no server error, and not one row more than before."""

from __future__ import annotations

import html
import re
import struct
import tracemalloc
from pathlib import Path

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django import Settings

from campaigns.actions import transcripts
from campaigns.models import Campaign, Unit
from extraction.errors import IngestError
from tests.campaigns.upload.conftest import Send
from tests.extraction.ingest.zips import patched, zipped

MOST_BYTES = 12 * 2**20
MOST_UNITS = 500
SPEECH = "Ida: Hm.\nYun: No.\n"
BAD = {
    "no-bytes": (b"", "empty"),
    "one-byte": (b"\xff", "encoding"),
    "white-space": (b" \r\n\t", "white space"),
    "binary": (bytes(range(256)) * 40, "binary"),
    "picture": (b"\x89PNG\r\n\x1a\n" + bytes(64), "image"),
    "too-large": (b"Ida: Hm.\n" * (MOST_BYTES // 9 + 1), "larger|more than"),
    "too-many-units": (SPEECH.encode() * MOST_UNITS, "more than 500 units"),
    "one-line-of-10-mb": (b"Ida: " + b"hm " * (10 * 2**20 // 3), "more than the 20,000"),
    "bomb": (zipped({"a.txt": "Ida: Hm.\n" * 900_000}), "packed tighter"),
    "nested": (zipped({"a.txt": SPEECH, "b.txt": zipped({"c.txt": SPEECH})}), "archive"),
    "outside": (zipped({"../../a.txt": SPEECH}), "leads out"),
    "claims-2-gb": (patched(zipped({"a.txt": SPEECH}), 24, struct.pack("<I", 2**31 - 1)), "bytes allowed"),
    "cut-zip": (zipped({"a.txt": SPEECH})[:60], "archive"),
    "zip-of-nothing": (zipped({"a.png": b"x"}), "no transcript"),
    "deep-json": (b"[" * 10_000 + b"]" * 10_000, "deep"),
    "one-bracket": (b"{", "not valid JSON"),
    "one-bracket-of-a-list": (b"[\n", "not valid JSON"),
    "deep-json-of-objects": (b'{"a":' * 10_000 + b"1" + b"}" * 10_000, "deep"),
    "nul-in-json": (
        rb'{"schema":"notarius.transcript.v1","title":null,"units":[{"unit_id":1,"speaker":null,"text":"a\u0000b","start_ms":null,"end_ms":null}]}',
        "NUL",
    ),
    "cut-json": (b'{"schema": "notarius.transcript.v1", "units": [', "JSON"),
    "other-json": (b'{"weather": "rain"}', "no transcript format"),
    "half-pair-in-json": (
        rb'{"schema":"notarius.transcript.v1","title":null,"units":[{"unit_id":1,"speaker":null,"text":"\ud800","start_ms":null,"end_ms":null}]}',
        "surrogate",
    ),
    "half-pair": (b"Ida: \xed\xa0\x80 Hm.\n", "surrogate"),
    "nul": (b"Ida: Hm\x00 no.\n" * 20, "NUL|binary"),
    "damaged-utf-8": (("Zoë: Łódź żółć.\n" * 3).encode()[:-4] + b"\xc5\n", "damaged|encoding"),
    "page": (b"<!doctype html><html><body><p>Hello</p></body></html>", "HTML|page|format"),
    "captions-without-words": (b"WEBVTT\n\n00:01.000 --> 00:02.000\n\n", "no spoken line"),
}


@pytest.fixture(autouse=True)
def limits(settings: Settings) -> None:
    settings.UPLOAD_MAX_BYTES = MOST_BYTES
    settings.UPLOAD_MAX_UNITS = MOST_UNITS


def rows() -> dict[str, int]:
    return {model.__name__: model._default_manager.count() for model in apps.get_app_config("campaigns").get_models()}


def said(page: bytes) -> str:
    """Return the one sentence of the alert."""
    [alert] = re.findall(r'role="alert">([^<]+)<', page.decode())
    return html.unescape(alert)


@pytest.mark.parametrize("kind", BAD)
def test_bad_file_in_the_browser_is_one_sentence_and_changes_nothing(
    kind: str, browser: Client, campaign: Campaign
) -> None:
    data, words = BAD[kind]
    before = rows()
    file = SimpleUploadedFile("night.txt", data)
    sent = browser.post("/campaigns/salt-ferry/upload/", {"number": 1, "file": file})
    answers = [sent]
    if sent.status_code == 303:
        answers = [browser.get(sent["Location"]), browser.post(sent["Location"], {"act": "store"})]

    for got in answers:
        assert got.status_code in (400, 422)
        assert re.search(words, said(got.content))
    assert rows() == before


@pytest.mark.parametrize("kind", BAD)
def test_bad_file_by_the_api_is_a_problem_and_changes_nothing(kind: str, browser: Client, campaign: Campaign) -> None:
    data, words = BAD[kind]
    before = rows()
    path = "/api/v1/campaigns/salt-ferry/sessions/1/transcripts"
    got = browser.post(path, {"file": SimpleUploadedFile("night.txt", data)})

    assert (got.status_code, got["Content-Type"]) == (
        413 if got.json()["code"] == "ingest.too_large" else 422,
        "application/problem+json",
    )
    assert re.search(words, got.json()["detail"])
    assert rows() == before


@pytest.mark.parametrize("kind", BAD)
def test_bad_file_by_the_command_is_one_sentence_and_changes_nothing(
    kind: str, campaign: Campaign, tmp_path: Path
) -> None:
    data, words = BAD[kind]
    file = tmp_path / "night.txt"
    file.write_bytes(data)
    before = rows()

    with pytest.raises(CommandError, match=words):
        call_command("import_transcript", str(file), "--campaign", "salt-ferry", "--session", "1")
    assert rows() == before


@pytest.mark.parametrize(
    "text",
    [
        "<b>{{ user.password }}</b> {% debug %}",
        "\u202egnaw\u202c and \u2066so\u2069",
        "🎲 rolled a ♪ twenty",
        "' OR 1=1; --",
    ],
    ids=["markup", "direction", "signs", "sql"],
)
def test_odd_text_is_speech_and_comes_through_whole(text: str, browser: Client, campaign: Campaign, send: Send) -> None:
    address = send(f"Ida: {text}\n".encode(), "night.txt")
    page = browser.get(address).content.decode()
    browser.post(address, {"act": "store"})

    assert html.escape(text) in page
    assert Unit.objects.get().text == text


@pytest.mark.parametrize("post", [{}, {"number": "1"}, {"number": "1", "file": "text instead of a file"}])
def test_upload_without_a_file_says_so(post: dict[str, str], browser: Client, campaign: Campaign) -> None:
    got = browser.post("/campaigns/salt-ferry/upload/", {"number": "1", **post})

    assert got.status_code == 400
    assert said(got.content) == "Choose the file of the transcript."


def test_upload_with_thousands_of_fields_is_refused_before_it_is_read(browser: Client, campaign: Campaign) -> None:
    before = rows()
    got = browser.post("/campaigns/salt-ferry/upload/", {f"field-{at}": "x" for at in range(6_000)})

    assert got.status_code == 400
    assert rows() == before


def test_upload_needs_the_token_of_its_form(gm: User, campaign: Campaign) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(gm)
    got = client.post("/campaigns/salt-ferry/upload/", {"number": "1", "file": SimpleUploadedFile("a", b"A: B")})

    assert got.status_code == 403


def test_units_are_refused_or_kept_by_the_limit_alone(browser: Client, campaign: Campaign, settings: Settings) -> None:
    """One unit more than the site takes is refused while it is read: what lies behind it costs nothing."""
    # 300,000 of them are read in tests/extraction/ingest; here the limit is what counts.
    settings.UPLOAD_MAX_UNITS = 20_000
    data = b"Ida: Hm.\nYun: No.\n" * 10_000
    before = rows()

    with pytest.raises(IngestError, match="more than 20,000 units"):
        transcripts.import_transcript(campaign=campaign, number=1, data=data + b"Ida: Hm.\n", by=None)
    assert rows() == before
    assert len(transcripts.read(data=data).units) == 20_000


def test_a_file_that_claims_2_gb_is_refused_by_what_it_claims(tmp_path: Path, campaign: Campaign) -> None:
    """The file is a hole: whoever read it before looking at its size would take 2 GB of memory."""
    file = tmp_path / "night.vtt"
    with file.open("wb") as hole:
        hole.truncate(2**31)
    before = rows()
    tracemalloc.start()
    with pytest.raises(CommandError, match=r"larger|more than"):
        call_command("import_transcript", str(file), "--campaign", "salt-ferry", "--session", "1")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < 64 * 2**20
    assert rows() == before


@pytest.mark.parametrize("kind", ["bomb", "deep-json", "one-line-of-10-mb", "claims-2-gb", "nested"])
def test_bad_file_takes_memory_in_proportion_to_its_size(kind: str) -> None:
    data, words = BAD[kind]
    tracemalloc.start()
    with pytest.raises(IngestError, match=words):
        transcripts.read(data=data, filename="night.txt")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < 16 * 2**20 + 12 * len(data)


def test_text_that_turns_its_direction_stays_inside_of_its_element(
    browser: Client, campaign: Campaign, send: Send
) -> None:
    """The name and the words stand in elements of their own direction, so that they cannot turn what is beside them."""
    address = send("\u202eadI: \u202egnaw\nIda: \u05e9\u05dc\u05d5\u05dd\n".encode(), "night.txt")
    preview = browser.get(address).content.decode()
    browser.post(address, {"act": "store"})
    session = campaign.sessions.get()
    reading = browser.get(f"/review/sessions/{session.pk}/units").content.decode()

    assert (
        '<span class="said" dir="auto">\u202egnaw' in preview or '<span class="said" dir="auto">\u202eadI: ' in preview
    )
    assert "<bdi>Ida</bdi>" in preview
    assert '<p class="said" dir="auto">\u05e9\u05dc\u05d5\u05dd</p>' in reading
    assert '<span class="who" dir="auto">Ida</span>' in reading


def test_signs_survive_to_every_page_and_answer(browser: Client, campaign: Campaign, send: Send) -> None:
    text = "♪ 🎲 “naïve” Łódź ♪"
    address = send(f"Zoë: {text}\n".encode(), "night.txt")
    shown = browser.get(address).content.decode()
    browser.post(address, {"act": "store"})
    session = campaign.sessions.get()
    base = "/campaigns/salt-ferry/sessions/1/transcript"

    for page in (
        shown,
        browser.get(f"/review/sessions/{session.pk}/units").content.decode(),
        browser.get(f"{base}/units/1/").content.decode(),
        browser.get(f"/api/v1{base}").content.decode(),
    ):
        assert text in page
        assert "Zoë" in page
