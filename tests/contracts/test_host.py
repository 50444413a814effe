"""What somebody else on the same machine gets: no key, no file, no address that listens, no task of theirs done."""

from __future__ import annotations

import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from django.core import signing
from django.core.management import load_command_class
from django_q.signing import SignedPackage
from pytest_django import Settings

from tests.campaigns.supervisor.installation import ROOT, Installation

REQUIREMENTS = sorted(ROOT.glob("requirements*.txt"))


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
def test_data_directory_and_generated_key_are_their_owners_alone(tmp_path: Path) -> None:
    place = Installation(tmp_path / "new" / "data")
    done = subprocess.run(
        ["sh", "-c", f"umask 022; exec {sys.executable} manage.py check"],
        cwd=ROOT,
        env=place.environ,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    key = (place.folder / "secret_key").read_text(encoding="utf-8")

    assert done.returncode == 0, done.stderr
    assert (mode(place.folder), mode(place.folder / "secret_key")) == (0o700, 0o600)
    assert len(key) >= 50
    assert key not in done.stdout + done.stderr


def test_site_and_assistants_listen_on_loopback_unless_they_are_told_otherwise() -> None:
    parsers = [load_command_class("campaigns", name).create_parser("manage.py", name) for name in ("up", "mcp")]

    assert [parser.get_default("host") for parser in parsers] == ["127.0.0.1", "127.0.0.1"]


def test_task_that_another_key_signed_is_not_done(settings: Settings) -> None:
    ours = SignedPackage.dumps({"func": "campaigns.tasks.work_lane"})
    assert SignedPackage.loads(ours) == {"func": "campaigns.tasks.work_lane"}
    forged = signing.dumps({"func": "os.system"}, key="another key", salt="django_q.q")

    with pytest.raises(signing.BadSignature):
        SignedPackage.loads(forged)


@pytest.mark.parametrize("file", REQUIREMENTS, ids=lambda file: file.name)
def test_every_package_is_pinned_with_its_hash(file: Path) -> None:
    text = re.sub(r"\\\n", " ", file.read_text(encoding="utf-8"))
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]

    assert lines
    assert [line.split()[0] for line in lines if "==" not in line or "--hash=sha256:" not in line] == []
