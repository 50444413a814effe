from __future__ import annotations

import json

import pytest

from campaigns.models import Campaign, Exchange, Run, Transcript
from tests import factories, standard
from tests.campaigns.commands.conftest import Refused
from tests.campaigns.commands.conftest import Run as RunCommand

WHERE = ("--campaign", "salt-ferry", "--session", "1")


@pytest.fixture
def transcript(campaign: Campaign) -> Transcript:
    return factories.make_transcript(factories.make_session(campaign))


def test_show_prompt_shows_messages_boundary_and_schema(run: RunCommand, transcript: Transcript) -> None:
    shown = run("show_prompt", "npcs", *WHERE)

    system, user = shown.index("--- system ---"), shown.index("--- user ---")
    boundary, schema = shown.index("--- cache boundary"), shown.index("--- schema ")
    assert system < user < schema
    assert system < boundary < schema
    assert all(unit.text in shown[system:schema] for unit in standard.UNITS)
    assert json.loads(shown[shown.index("\n", schema) :])["type"] == "object"


def test_show_prompt_sends_and_keeps_nothing(run: RunCommand, transcript: Transcript) -> None:
    run("show_prompt", "dnd/npcs", *WHERE)

    assert not Run.objects.exists()
    assert not Exchange.objects.exists()


def test_show_prompt_takes_the_latest_revision(run: RunCommand, transcript: Transcript) -> None:
    factories.make_transcript(transcript.session, standard.UNITS[:3])

    shown = run("show_prompt", "npcs", *WHERE)

    assert standard.UNITS[2].text in shown
    assert standard.UNITS[3].text not in shown


def test_show_prompt_shows_the_chunk_asked_for(
    run: RunCommand, refused: Refused, transcript: Transcript, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTARIUS_LLM_CHUNK_UNITS", "12")

    last = run("show_prompt", "npcs", *WHERE, "--chunk", "3")

    assert "chunk 3 of 3" in last
    assert standard.UNITS[-1].text in last
    assert standard.UNITS[0].text not in last
    assert "3" in refused("show_prompt", "npcs", *WHERE, "--chunk", "4")


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(("dragons", *WHERE), id="lane"),
        pytest.param(("npcs", "--campaign", "nowhere", "--session", "1"), id="campaign"),
        pytest.param(("npcs", "--campaign", "salt-ferry", "--session", "9"), id="session"),
        pytest.param(("npcs", *WHERE, "--chunk", "0"), id="chunk"),
        pytest.param(("npcs", *WHERE, "--profile", "none"), id="profile"),
    ],
)
def test_show_prompt_refuses(refused: Refused, transcript: Transcript, arguments: tuple[str, ...]) -> None:
    assert refused("show_prompt", *arguments)


def test_show_prompt_without_transcript(refused: Refused, campaign: Campaign) -> None:
    factories.make_session(campaign)

    assert "import_transcript" in refused("show_prompt", "npcs", *WHERE)


def test_show_prompt_with_wrong_model_settings(
    refused: Refused, transcript: Transcript, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTARIUS_LLM_MODEL", "small")

    assert "NOTARIUS_LLM_BASE_URL" in refused("show_prompt", "npcs", *WHERE)
