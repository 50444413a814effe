"""The zip that the website gives is brought back as it is."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django import Settings

from campaigns.actions import exports
from campaigns.exports import reading_json
from campaigns.exports.folder import Refused
from campaigns.exports.unpacking import unpacked
from campaigns.library.sight import Edition
from campaigns.models import Campaign, Export
from extraction.codes import Code
from tests import factories
from tests.campaigns.exports.telling import sight, taken_out, tell

ROOT = "salt-ferry-gm-json"


@pytest.fixture
def campaign(db: None, settings: Settings, tmp_path: Path) -> Campaign:
    settings.DATA_DIR = tmp_path / "data"
    campaign, gm = factories.make_campaign("salt-ferry"), factories.make_user("gm")
    factories.make_membership(campaign, gm, "gm")
    tell(campaign, gm)
    return campaign


@pytest.fixture
def fetched(campaign: Campaign, client: Client) -> bytes:
    """What *Data, yourself* downloads."""
    client.force_login(User.objects.get(username="gm"))
    page = f"/campaigns/{campaign.slug}/exports/"
    client.post(page, {"format": "json", "edition": "gm"})
    export = Export.objects.get()
    assert exports.work(export_id=export.pk) == exports.SUCCEEDED
    return b"".join(client.get(f"{page}{export.pk}/file"))


def packed(files: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for path, data in files.items():
            archive.writestr(path, data)
    return out.getvalue()


def files_of(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name.removeprefix(f"{ROOT}/"): archive.read(name) for name in archive.namelist()}


def bring_in(data: bytes, tmp_path: Path) -> str:
    path, out = tmp_path / "backup.zip", StringIO()
    path.write_bytes(data)
    call_command("import_campaign", str(path), stdout=out)
    return out.getvalue()


@pytest.mark.parametrize("how", ["as fetched", "without its folder", "packed anew with what a system adds"])
def test_the_zip_of_the_website_is_brought_back(
    campaign: Campaign, fetched: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    files = files_of(fetched)
    added = {f"{ROOT}/.DS_Store": b"x", f"__MACOSX/{ROOT}/._campaign.json": b"x", "../out.json": b"x"}
    data = {
        "as fetched": fetched,
        "without its folder": packed(files),
        "packed anew with what a system adds": packed({f"{ROOT}/{path}": files[path] for path in files} | added),
    }[how]
    campaign.delete()

    assert "Restored campaign salt-ferry: 2 sessions." in bring_in(data, tmp_path)

    out = str(tmp_path / "again")
    call_command("export_campaign", "salt-ferry", format="json", edition="gm", out=out, stdout=StringIO())
    assert (tmp_path / "again" / "secrets.json").read_bytes() == files["secrets.json"]
    assert list(scratch.iterdir()) == []
    assert not (tmp_path / "out.json").exists()


def test_a_zip_that_is_no_backup_is_refused_in_one_sentence(campaign: Campaign, fetched: bytes, tmp_path: Path) -> None:
    players = taken_out(reading_json.files, sight(campaign, Edition.PLAYER))
    files = files_of(fetched)
    out_of_it = {f"../{path}": data for path, data in files.items() if path != "manifest.json"}
    bomb = {**files, "secrets.json": b" " * 2**22}
    campaign.delete()
    refused = {
        "no zip": (b"WEBVTT", "is no zip"),
        "half a zip": (fetched[: len(fetched) // 2], "is no zip"),
        "damaged": (fetched.replace(b"PK\x03\x04", b"PK\x03\x05"), "is damaged"),
        "another format": (packed({"Home.md": b"# Home"}), "manifest.json"),
        "two backups": (packed({"a/manifest.json": b"{}", "b/manifest.json": b"{}"}), "manifest.json"),
        "the players' edition": (packed(players), "edition for players"),
        "a path out of the folder": (
            packed({"manifest.json": files["manifest.json"], **out_of_it}),
            "has no file campaign.json",
        ),
        "a bomb": (packed(bomb), "more than any backup"),
        "a changed file": (packed({**files, "secrets.json": b"[]"}), "changed or is damaged"),
    }
    for what, (data, sentence) in refused.items():
        with pytest.raises(CommandError) as told:
            bring_in(data, tmp_path)
        assert sentence in str(told.value), what
        assert "\n" not in str(told.value), what
        assert not Campaign.objects.exists(), what


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_zip_is_refused_however_it_was_packed(tmp_path: Path, method: int) -> None:
    whole = packed({"manifest.json": b'{"a": 1}' * 300, "campaign.json": bytes(range(256)) * 20}, method)
    path, refused = tmp_path / "damaged.zip", 0
    for place in range(0, len(whole), 1 + len(whole) // 150):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        try:
            with unpacked(path):
                pass
        except Refused as error:
            assert error.code is Code.EXPORT_INVALID
            refused += 1

    assert refused > 10
