from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from campaigns.actions import webhooks
from campaigns.models import Campaign, Webhook

EVENTS = ["run.finished", "version.approved", "entity.changed"]


@pytest.fixture(autouse=True)
def receivers_on_this_machine(settings: Settings) -> None:
    """The tests' receivers listen on 127.0.0.1, which a site refuses unless it is told otherwise."""
    settings.WEBHOOK_PRIVATE_ADDRESSES = True


@pytest.fixture
def webhook(campaign: Campaign, gm: User) -> Webhook:
    """A webhook of the GM that is told of everything; nobody listens there."""
    url = "http://127.0.0.1:9/hook"
    return webhooks.create(campaign=campaign, url=url, events=EVENTS, site="https://notarius.example/", by=gm)[0]
