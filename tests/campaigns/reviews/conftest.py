"""A pending registry of four people, one of them put together from two, and the acts that a test may do to it."""

from __future__ import annotations

import pytest

from campaigns.models import ArtifactVersion, Campaign, Transcript
from tests import factories
from tests.campaigns.pipelines.conftest import model, run_inline
from tests.campaigns.reviews.acting import GROUP, PEOPLE, group_of

__all__ = ["model", "registry", "run_inline", "transcript"]


@pytest.fixture
def transcript(campaign: Campaign) -> Transcript:
    return factories.make_transcript(factories.make_session(campaign, 3))


@pytest.fixture
def registry(transcript: Transcript) -> ArtifactVersion:
    """Dell 0, Wick 1, Mother Quillon 2, Aurelio Voss 3 (of Aurelio Voss and Captain Voss)."""
    return factories.make_version(transcript, PEOPLE, consolidations=group_of(transcript, GROUP))
