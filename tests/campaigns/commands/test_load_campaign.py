from __future__ import annotations

from pathlib import Path

import pytest

from campaigns.models import Campaign, RosterEntry
from tests.campaigns.commands.conftest import Refused, Run
from tests.conftest import ROOT

FILE = '[campaign]\nslug = "salt-ferry"\nname = "The Salt Ferry"\n[gm]\nplayer = "Ottilie"\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "ferry.toml"
    path.write_text(FILE)
    return path


def test_load_campaign_creates_and_then_updates(run: Run, file: Path) -> None:
    assert run("load_campaign", file).startswith("Created campaign salt-ferry: 1 people")
    assert run("load_campaign", file).startswith("Updated campaign salt-ferry")
    assert Campaign.objects.count() == 1


def test_load_campaign_takes_a_byte_order_mark(run: Run, file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbf" + FILE.encode())

    assert run("load_campaign", file).startswith("Created")


def test_load_campaign_takes_the_sample(run: Run) -> None:
    run("load_campaign", ROOT / "assets" / "sample" / "campaign.toml")

    assert RosterEntry.objects.filter(kind="gm").count() == 1
    assert RosterEntry.objects.filter(kind="party").count() == 4


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"\x89PNG\r\n\x1a\n\xff\xfe", id="binary"),
        pytest.param(b"slug = ", id="bad-toml"),
        pytest.param(b"[campaign]\nslug = 'x'\n", id="missing-key"),
        pytest.param(FILE.encode() + b"[gm2]\n", id="unknown-key"),
        pytest.param(b"#" * 1_000_001, id="large"),
        pytest.param(FILE.encode("utf-16"), id="utf-16"),
    ],
)
def test_load_campaign_refuses_a_wrong_file(refused: Refused, file: Path, content: bytes) -> None:
    file.write_bytes(content)

    assert "ferry.toml" in refused("load_campaign", file)
    assert not Campaign.objects.exists()


def test_load_campaign_refuses_a_missing_file_and_a_folder(refused: Refused, tmp_path: Path) -> None:
    assert "no file" in refused("load_campaign", tmp_path / "none.toml")
    assert "folder" in refused("load_campaign", tmp_path)
