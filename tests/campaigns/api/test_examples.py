"""Every example is run as it stands, against a site that is served."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from django.contrib.auth.models import User

from campaigns.actions import tokens, versions
from campaigns.api import examples
from campaigns.models import Answered, ArtifactVersion, Campaign, Run
from tests import factories

if TYPE_CHECKING:
    from pytest_django.live_server_helper import LiveServer

pytestmark = pytest.mark.slow
COMMANDS = {"curl": ("bash", "-euo", "pipefail"), "python": (sys.executable,), "javascript": ("node",)}
NEEDS = {"curl": "curl", "python": sys.executable, "javascript": "node"}
SUFFIXES = {"curl": "sh", "python": "py", "javascript": "mjs"}
EXPECTED = {
    "people": ("Aurelio Voss", "Mother Quillon"),
    "poll": ("created", "Wick"),
    "upload": ("glass-tithe.s9.t1", "queued"),
    "review": ("approved",),
}
SAID = {
    "poll": {"curl": ("304", "since")},
    "upload": {"python": ("revision 1", "queued"), "javascript": ("revision 1", "queued")},
}
EACH = pytest.mark.parametrize(
    ("key", "language"), [(example.key, each.language) for example in examples.all_of() for each in example.snippets]
)


@EACH
def test_example_does_what_it_says(
    key: str, language: str, live_server: LiveServer, tmp_path: Path, transactional_db: None
) -> None:
    if shutil.which(NEEDS[language]) is None:
        pytest.skip(f"there is no {language} on this machine")
    campaign, token = _archive(waiting=key == "review")
    (tmp_path / "session-9.txt").write_text("Ottilie: The ferry leaves.\nYun: Without us?\n", encoding="utf-8")
    snippets = {(one.key, each.language): each.text for one in examples.all_of() for each in one.snippets}
    file = tmp_path / f"example.{SUFFIXES[language]}"
    file.write_text(snippets[key, language], encoding="utf-8")
    environ = {"PATH": os.environ["PATH"], "SITE": live_server.url, "CAMPAIGN": campaign.slug, "TOKEN": token}
    done = subprocess.run(
        [*COMMANDS[language], str(file)], cwd=tmp_path, env=environ, capture_output=True, text=True, timeout=60
    )

    assert done.returncode == 0, done.stderr
    for expected in SAID.get(key, {}).get(language, EXPECTED[key]):
        assert expected in done.stdout
    if key == "upload":
        assert (Run.objects.count(), Answered.objects.count()) == (1, 2)
    if key == "review":
        assert "Dell of the lantern" in ArtifactVersion.objects.approved().get().payload


def _archive(*, waiting: bool) -> tuple[Campaign, str]:
    """Store a campaign whose people are approved, or wait for a verdict, and return it with its game master's token."""
    campaign = factories.make_campaign("glass-tithe")
    gm: User = factories.make_user("gm")
    factories.make_membership(campaign, gm, "gm")
    version = factories.make_version(factories.make_transcript(factories.make_session(campaign, 1)))
    if not waiting:
        versions.approve(version_id=version.pk, note="", by=gm)
    return campaign, tokens.create(user=gm, name="example", scope="write")[1]
