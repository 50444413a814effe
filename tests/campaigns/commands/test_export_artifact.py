from __future__ import annotations

import json

import pytest

from campaigns.models import Campaign, Transcript
from tests import factories
from tests.campaigns.commands.conftest import Refused, Run

WHERE = ("--campaign", "salt-ferry", "--session", "1", "--lane", "npcs")


@pytest.fixture
def transcript(campaign: Campaign) -> Transcript:
    return factories.make_transcript(factories.make_session(campaign))


def test_export_artifact_writes_the_approved_payload(run: Run, transcript: Transcript) -> None:
    approved = factories.make_version(transcript, state="approved")
    factories.make_version(transcript, {"Wick": [(50, 52)]})

    written = run("export_artifact", *WHERE)

    assert written == approved.payload + "\n"
    assert json.loads(written) == factories.npcs_payload(transcript)


def test_export_artifact_latest_is_the_highest_usable(run: Run, transcript: Transcript) -> None:
    factories.make_version(transcript, state="approved")
    pending = factories.make_version(transcript, {"Wick": [(50, 52)]})
    factories.make_version(transcript, {}, state="rejected")

    assert run("export_artifact", *WHERE, "--status", "latest") == pending.payload + "\n"


@pytest.mark.parametrize("lane", ["npcs", "dnd/npcs"])
def test_export_artifact_takes_any_version_by_number(run: Run, transcript: Transcript, lane: str) -> None:
    first = factories.make_version(transcript, {"Wick": [(50, 52)]}, state="rejected")
    factories.make_version(transcript, state="approved")

    assert run("export_artifact", *WHERE[:4], "--lane", lane, "--version", "1") == first.payload + "\n"


def test_export_artifact_without_approved_version_points_to_latest(refused: Refused, transcript: Transcript) -> None:
    factories.make_version(transcript)

    assert "--status latest" in refused("export_artifact", *WHERE)


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(("--campaign", "nowhere", "--session", "1", "--lane", "npcs"), id="campaign"),
        pytest.param(("--campaign", "salt-ferry", "--session", "2", "--lane", "npcs"), id="session"),
        pytest.param(("--campaign", "salt-ferry", "--session", str(10**30), "--lane", "npcs"), id="huge-session"),
        pytest.param(("--campaign", "salt-ferry", "--session", "1", "--lane", "dragons"), id="lane"),
        pytest.param((*WHERE, "--status", "latest"), id="nothing-yet"),
        pytest.param((*WHERE, "--version", "7"), id="version"),
        pytest.param((*WHERE, "--version", str(10**30)), id="huge-version"),
        pytest.param((*WHERE, "--version", "1", "--status", "latest"), id="version-and-status"),
    ],
)
def test_export_artifact_refuses(refused: Refused, transcript: Transcript, arguments: tuple[str, ...]) -> None:
    assert refused("export_artifact", *arguments)
