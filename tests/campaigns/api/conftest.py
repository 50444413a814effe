"""A published and an approved registry, and clients for each of the cast."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest
from django.contrib.auth.models import User
from django.test import Client

from campaigns.actions import tokens, versions
from campaigns.models import ArtifactVersion, Campaign, Transcript
from tests import factories

Ask: TypeAlias = "Callable[[User | None], Client]"


@pytest.fixture
def transcript(campaign: Campaign) -> Transcript:
    return factories.make_transcript(factories.make_session(campaign, 1))


@pytest.fixture
def pending(transcript: Transcript) -> ArtifactVersion:
    return factories.make_version(transcript)


@pytest.fixture
def approved(pending: ArtifactVersion, gm: User) -> ArtifactVersion:
    return versions.approve(version_id=pending.pk, note="", by=gm)


@pytest.fixture
def public(campaign: Campaign) -> Campaign:
    campaign.public = True
    campaign.save(update_fields=["public"])
    return campaign


@pytest.fixture(params=["bearer", "session"])
def ask(request: pytest.FixtureRequest) -> Ask:
    """Return a client of the person, by each of the two ways to say who one is."""

    def as_user(user: User | None) -> Client:
        if user is None:
            return Client()
        if request.param == "session":
            client = Client()
            client.force_login(user)
            return client
        return bearer(user, "write")

    return as_user


def bearer(user: User, scope: str, campaign: Campaign | None = None) -> Client:
    _, raw = tokens.create(user=user, name="test", scope=scope, campaign=campaign)
    return Client(headers={"authorization": f"Bearer {raw}"}, enforce_csrf_checks=True)
