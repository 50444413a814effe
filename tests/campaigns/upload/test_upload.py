from __future__ import annotations

import os
import re
import stat
import time
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from campaigns.adapters import uploads
from campaigns.errors import Conflict
from campaigns.models import AuditEntry, Campaign, GameSession, Transcript, Unit
from tests import factories
from tests.campaigns.upload.conftest import CAPTIONS, Send
from tests.extraction.ingest.zips import zipped


def text_of(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def waiting(folder: Path) -> list[Path]:
    return sorted((folder / "uploads").glob("*"))


def test_upload_stores_nothing_before_it_was_looked_at(
    browser: Client, table: Campaign, send: Send, data_dir: Path
) -> None:
    page = text_of(browser.get(send(CAPTIONS)).content.decode())

    for part in ("3 units, 2 speakers", "webvtt", "utf-8", "SPEAKER_05 2", "Ida 1", "Ida as Corwen", "Then I swim."):
        assert part in page
    assert "ingest.skipped" in page
    assert "line 3" in page
    assert "“ salt wick ” may be Saltwick : 1 time" in page
    assert not GameSession.objects.exists()
    assert stat.S_IMODE(waiting(data_dir)[0].stat().st_mode) == 0o600


def test_preview_of_an_archive_says_in_which_file_something_was_skipped(
    browser: Client, table: Campaign, send: Send
) -> None:
    cues = CAPTIONS.decode().replace("NOTE made by hand", "NOTE one\n\nNOTE two")
    data = zipped({"part 1.txt": "Ida: We begin.\n", "part 2.vtt": cues, "cover.png": b"x"})
    page = text_of(browser.get(send(data, "night.zip")).content.decode())

    assert "4 units, 2 speakers, read as archive" in page
    assert "file 2, at 3, 5" in page
    assert "ingest.part_skipped" in page


def test_upload_keeps_no_name_of_the_file(browser: Client, table: Campaign, send: Send, data_dir: Path) -> None:
    address = send(CAPTIONS, "Night of the Bell.vtt")
    browser.post(address, {"act": "store"})

    assert "Bell" not in address
    assert "Bell" not in browser.get(f"/review/sessions/{GameSession.objects.get().pk}/").content.decode()
    assert all("Bell" not in path.name for path in waiting(data_dir))


def test_upload_stores_with_names_title_and_leads_to_the_session(
    browser: Client, gm: User, table: Campaign, send: Send, data_dir: Path
) -> None:
    address = send(CAPTIONS, number=4)
    chosen = {"label-0": "SPEAKER_05", "speaker-0": " Joost ", "label-1": "Ida", "speaker-1": "", "title": "The Ferry"}
    shown = text_of(browser.post(address, {"act": "preview", **chosen}).content.decode())
    got = browser.post(address, {"act": "store", **chosen}, follow=True)

    assert "Joost 2" in shown
    assert "Joost, GM" in shown
    assert got.redirect_chain[0][0] == f"/review/sessions/{GameSession.objects.get(number=4).pk}/"
    assert "Stored 3 units as salt-ferry.s4.t1." in got.content.decode()
    assert list(Unit.objects.order_by("position").values_list("speaker", flat=True)) == ["Joost", "Ida", "Joost"]
    assert GameSession.objects.get().title == "The Ferry"
    assert (Transcript.objects.get().created_by, AuditEntry.objects.get().by) == (gm, gm)
    assert waiting(data_dir) == []


def test_upload_of_the_same_again_says_so_and_changes_nothing(browser: Client, table: Campaign, send: Send) -> None:
    browser.post(send(CAPTIONS), {"act": "store"})
    address = send(CAPTIONS)
    seen = browser.get(address).content.decode()
    got = browser.post(address, {"act": "store"}, follow=True)

    assert "these very units already, as salt-ferry.s1.t1" in seen
    assert "these units already, as salt-ferry.s1.t1" in got.content.decode()
    assert Transcript.objects.count() == 1


def test_upload_into_a_session_that_exists_is_its_next_revision(browser: Client, table: Campaign, send: Send) -> None:
    browser.post(send(CAPTIONS), {"act": "store"})
    address = send(b"Ida: Another night.\n", "night.txt")

    assert "revision 2 of session 1" in browser.get(address).content.decode()
    browser.post(address, {"act": "store"})
    assert Transcript.objects.get(revision=2).source_id == "salt-ferry.s1.t2"


def test_preview_takes_another_format_and_encoding(browser: Client, table: Campaign, send: Send) -> None:
    address = send("Zoë: Łódź? Ja.\n".encode("cp1250"), "night.txt")
    browser.post(address, {"act": "store", "format": "text", "encoding": "cp1250"})

    kept = Transcript.objects.get()
    assert (kept.format, kept.encoding) == ("text", "cp1250")
    assert Unit.objects.get().text == "Łódź? Ja."


def test_preview_names_of_a_label_that_another_format_does_not_have_are_left_alone(
    browser: Client, table: Campaign, send: Send
) -> None:
    got = browser.post(send(CAPTIONS), {"act": "preview", "label-0": "Nobody", "speaker-0": "Joost"})

    assert got.status_code == 200
    assert "SPEAKER_05 2" in text_of(got.content.decode())


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ({"format": "docx"}, "The format is one of"),
        ({"format": "crd3"}, "JSON"),
        ({"encoding": "klingon"}, "encoding named for the file is not known"),
        ({"encoding": "utf-7"}, "not one of text files"),
        ({"encoding": "a\x00b"}, "encoding named for the file is not known"),
        ({"title": "two\nlines\x07"}, "A session title is one line"),
        ({"title": "x" * 201}, "A session title is one line"),
        ({"label-0": "SPEAKER_05", "speaker-0": "x" * 201}, "A speaker label is one line"),
        ({"label-0": "SPEAKER_05", "speaker-0": "Jo\x00ost"}, "A speaker label is one line"),
    ],
)
def test_preview_with_choices_that_cannot_be_says_so(
    chosen: dict[str, str], said: str, browser: Client, table: Campaign, send: Send
) -> None:
    address = send(CAPTIONS)
    got = browser.post(address, {"act": "store", **chosen})

    assert got.status_code == 422
    assert said in text_of(got.content.decode())
    assert "Nothing was stored." in got.content.decode()
    assert not GameSession.objects.exists()
    assert browser.get(address).status_code == 200


def test_preview_escapes_markup_and_template_syntax(browser: Client, table: Campaign, send: Send) -> None:
    data = b"Ida: <script>alert(1)</script> {{ settings.SECRET_KEY }} {% now 'Y' %}\n"
    page = browser.get(send(data, "night.txt")).content.decode()

    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt; {{ settings.SECRET_KEY }} {% now &#x27;Y&#x27; %}" in page


def test_preview_has_a_bounded_form_for_thousands_of_speakers(browser: Client, table: Campaign, send: Send) -> None:
    data = "".join(f"Person {at}: Hello there.\n" for at in range(3_000)).encode()
    address = send(data, "crowd.txt")
    page = browser.get(address).content.decode()
    got = browser.post(address, dict.fromkeys(re.findall(r' name="([^"]+)"', page), "") | {"act": "store"})

    assert page.count("<input") < 250
    assert "2900 more speakers" in page
    assert got.status_code == 303
    assert Unit.objects.count() == 3_000


def test_discard_removes_the_file(browser: Client, table: Campaign, send: Send, data_dir: Path) -> None:
    address = send(CAPTIONS)
    got = browser.post(address, {"act": "discard"}, follow=True)

    assert "nothing was stored" in got.content.decode()
    assert waiting(data_dir) == []
    assert browser.get(address).status_code == 404


def test_store_twice_tells_the_second_time_kindly(browser: Client, table: Campaign, send: Send) -> None:
    address = send(CAPTIONS)
    browser.post(address, {"act": "store"})
    got = browser.post(address, {"act": "store"})

    assert got.status_code == 404
    assert "waits no longer" in got.content.decode()
    assert Transcript.objects.count() == 1


def test_upload_is_another_persons_and_another_campaigns_no_business(
    browser: Client, gm: User, admin: User, table: Campaign, send: Send
) -> None:
    address = send(CAPTIONS)
    other = factories.make_campaign("far-shore")
    factories.make_membership(other, gm, "gm")
    stranger = Client()
    stranger.force_login(admin)

    assert stranger.get(address).status_code == 404
    assert browser.get(address.replace("salt-ferry", "far-shore")).status_code == 404
    assert browser.get(address).status_code == 200


@pytest.mark.parametrize("who", ["player", "reader", "outsider", "anonymous"])
def test_upload_is_for_game_masters(who: str, request: pytest.FixtureRequest, campaign: Campaign) -> None:
    client = Client()
    if who != "anonymous":
        client.force_login(request.getfixturevalue(who))
    for address in ("upload/", "sessions/1/upload/", f"sessions/1/upload/{'0' * 32}/", "sessions/1/transcript/"):
        got = client.get(f"/campaigns/salt-ferry/{address}")

        assert got.status_code == (302 if who == "anonymous" else 404)
        assert "/campaigns/salt-ferry/upload" not in client.get("/").content.decode()


def test_upload_is_linked_for_game_masters(browser: Client, campaign: Campaign) -> None:
    session = factories.make_session(campaign, 7)

    assert "/campaigns/salt-ferry/upload/" in browser.get("/").content.decode()
    assert "sessions/7/upload/" in browser.get(f"/review/sessions/{session.pk}/").content.decode()
    assert 'value="8"' in browser.get("/campaigns/salt-ferry/upload/").content.decode()
    assert 'value="7"' in browser.get("/campaigns/salt-ferry/sessions/7/upload/").content.decode()


@pytest.mark.parametrize("number", ["", "0", "-1", "one", "1.5", "1000001", "9" * 40, "²"])
def test_upload_refuses_numbers_that_are_none(number: str, browser: Client, campaign: Campaign, data_dir: Path) -> None:
    file = SimpleUploadedFile("night.vtt", CAPTIONS)
    got = browser.post("/campaigns/salt-ferry/upload/", {"number": number, "file": file})

    assert got.status_code == 400
    assert "A session number is a whole number" in got.content.decode()
    assert waiting(data_dir) == []


def test_addresses_with_huge_numbers_are_no_mistake_of_ours(browser: Client, table: Campaign, send: Send) -> None:
    address = send(CAPTIONS).replace("/sessions/1/", f"/sessions/{'9' * 30}/")

    assert browser.get(address).status_code == 200
    assert browser.post(address, {"act": "store"}).status_code == 422
    assert browser.get(f"/campaigns/salt-ferry/sessions/{'9' * 30}/transcript/").status_code == 404
    assert not GameSession.objects.exists()


def test_uploads_are_gone_after_an_hour(browser: Client, table: Campaign, send: Send, data_dir: Path) -> None:
    address = send(CAPTIONS)
    [path] = waiting(data_dir)
    past = time.time() - uploads.KEPT_S - 1
    os.utime(path, (past, past))

    assert browser.get(address).status_code == 404
    assert waiting(data_dir) == []


def test_uploads_keep_the_newest_three_of_a_person(
    send: Send, browser: Client, table: Campaign, data_dir: Path
) -> None:
    addresses = []
    for number in range(1, 6):
        addresses.append(send(b"Ida: Night %d.\n" % number, "night.txt", number))
        for path in waiting(data_dir):
            os.utime(path, (path.stat().st_mtime - 10, path.stat().st_mtime - 10))

    assert [browser.get(address).status_code for address in addresses] == [404, 404, 200, 200, 200]


def test_uploads_of_all_are_bounded(campaign: Campaign, data_dir: Path) -> None:
    for person in range(uploads.MOST):
        uploads.keep(chunks=[b"x"], name="", campaign=campaign, user_id=person)

    with pytest.raises(Conflict, match="within the hour"):
        uploads.keep(chunks=[b"x"], name="", campaign=campaign, user_id=uploads.MOST)
    assert len(waiting(data_dir)) == uploads.MOST


@pytest.mark.parametrize(
    ("name", "suffix"), [("a.VTT", ".vtt"), ("../../etc/passwd", ".upload"), ("x.a/b", ".upload"), ("x.äö", ".upload")]
)
def test_uploads_keep_a_plain_suffix_alone(name: str, suffix: str, campaign: Campaign, data_dir: Path) -> None:
    token = uploads.keep(chunks=[b"x"], name=name, campaign=campaign, user_id=1)

    assert [path.name for path in waiting(data_dir)] == [f"1-{campaign.pk}-{token}{suffix}"]
    assert uploads.fetch(token=token, campaign=campaign, user_id=1) == uploads.Waiting(b"x", f"transcript{suffix}")
    assert uploads.fetch(token="*", campaign=campaign, user_id=1) is None


def test_pages_run_under_the_strict_policy(browser: Client, table: Campaign, send: Send) -> None:
    address = send(CAPTIONS)
    for each in (address, "/campaigns/salt-ferry/upload/"):
        got = browser.get(each)

        assert "default-src 'self'" in got["Content-Security-Policy"]
        assert not re.search(r"<script(?![^>]*src=)|<style|\sstyle=|\son\w+=", got.content.decode())
