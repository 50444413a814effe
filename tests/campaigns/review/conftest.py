from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from campaigns.models import Campaign, Transcript
from tests import factories
from tests.campaigns.review.acting import signed_in


@pytest.fixture
def client(gm: User) -> Client:
    """A browser in which the campaign's game master is signed in."""
    return signed_in(gm)


@pytest.fixture
def transcript(campaign: Campaign) -> Transcript:
    """The transcript of session 3, of a few units."""
    return factories.make_transcript(factories.make_session(campaign, 3))
