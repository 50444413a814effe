"""Uploads that nobody decided on: gone by command too, where nobody comes to upload again."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from campaigns.adapters import uploads
from campaigns.models import Campaign


@pytest.fixture
def waiting(campaign: Campaign, data_dir: Path) -> list[Path]:
    """Two uploads, the first of which is older than an hour."""
    for _ in range(2):
        uploads.keep(chunks=[b"Ida: Hm.\n"], name="night.txt", campaign=campaign, user_id=1)
    old, new = (data_dir / "uploads").iterdir()
    past = time.time() - uploads.KEPT_S - 60
    os.utime(old, (past, past))
    return [old, new]


def test_purge_removes_what_waited_for_an_hour(waiting: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    call_command("purge", "--uploads", "--dry-run")
    assert all(path.exists() for path in waiting)
    call_command("purge", "--uploads")

    assert [path.exists() for path in waiting] == [False, True]
    assert capsys.readouterr().out == "1 uploads would be removed.\n1 uploads removed.\n"


def test_purge_of_exchanges_leaves_uploads(waiting: list[Path]) -> None:
    call_command("purge", "--exchanges")

    assert all(path.exists() for path in waiting)


@pytest.mark.parametrize(
    "arguments", [("--uploads", "--older-than", "1"), ("--uploads", "--campaign", "salt-ferry"), ("--uploads", "--due")]
)
def test_purge_refuses_what_makes_no_sense_for_uploads(arguments: tuple[str, ...], waiting: list[Path]) -> None:
    with pytest.raises(CommandError):
        call_command("purge", *arguments)

    assert all(path.exists() for path in waiting)
