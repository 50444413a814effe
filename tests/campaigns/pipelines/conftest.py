"""The standard document as session 3 of a campaign, read by the storyteller in pages, one call after the other."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from campaigns.models import Campaign, Run, Transcript
from tests import factories
from tests.campaigns.pipelines.storyteller import Storyteller

RunPipeline = Callable[..., Run]


@pytest.fixture
def transcript(campaign: Campaign) -> Transcript:
    return factories.make_transcript(factories.make_session(campaign, 3))


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Storyteller:
    model = Storyteller()
    monkeypatch.setattr("campaigns.actions.work.client_for", lambda profile: model)
    monkeypatch.setenv("NOTARIUS_LLM_CHUNK_UNITS", "12")
    monkeypatch.setenv("NOTARIUS_LLM_CONCURRENCY", "1")
    return model


@pytest.fixture
def run_inline(transcript: Transcript, capfd: pytest.CaptureFixture[str]) -> RunPipeline:
    """Run a pipeline in this process and return the run, however it ended."""

    def run(*arguments: str) -> Run:
        where = ("--campaign", "salt-ferry", "--session", "3")
        try:
            call_command("run_pipeline", *where, "--inline", *arguments, stdout=StringIO())
        except CommandError:
            capfd.readouterr()
        return Run.objects.latest("pk")

    return run
