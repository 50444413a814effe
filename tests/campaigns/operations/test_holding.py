"""A restored backup says what it would go on with, and with --hold nothing of it goes on."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.utils import timezone

from campaigns.actions import deliveries, pausing, runs, webhooks
from campaigns.keeping import backup, holding
from campaigns.management.commands import restore as command
from campaigns.models import Delivery, Run, Webhook
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def restored(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Leave the suite's own database where it is: the rows of the test are what came back."""
    monkeypatch.setattr(command, "restore", lambda file, replace: backup.Manifest("", "", (), "", {}))
    monkeypatch.setattr(command, "call_command", lambda *names, **options: None)
    yield


@pytest.fixture
def webhook() -> Webhook:
    """A webhook with one message that waits and one that a worker was sending when the backup was made."""
    campaign, gm = factories.make_campaign(), factories.make_user()
    factories.make_membership(campaign, gm, "gm")
    made = Webhook.objects.create(campaign=campaign, owner=gm, url="https://hooks.example.org/x", salt="any")
    for _ in range(2):
        webhooks.ping(campaign=campaign, webhook_id=made.pk, by=gm)
    assert deliveries.claim(delivery_id=Delivery.objects.earliest("pk").pk, at=timezone.now())
    return made


def told(*options: str) -> list[str]:
    out = StringIO()
    call_command("restore", str(Path("any.zip")), *options, stdout=out)
    return out.getvalue().splitlines()[1:]


def test_it_says_what_a_worker_goes_on_with(webhook: Webhook) -> None:
    going, paused = (factories.make_run(factories.make_transcript()) for _ in range(2))
    pausing.pause(run=paused, by=None)

    assert told() == [f"Open when it was made: runs {going.pk}, 2 webhook messages. A worker goes on with them."]
    assert holding.still_open() == ([going.pk], 2)


def test_what_is_held_does_not_go_on(webhook: Webhook) -> None:
    run = factories.make_run(factories.make_transcript(), state="running")
    run.lanes.update(state="queued", rung_at=None)
    [line] = told("--hold")
    at = timezone.now() + deliveries.LEASE * 2

    assert line.endswith("The runs are paused, the webhooks are switched off.")
    assert Run.objects.get().state == Run.State.PAUSED
    assert (runs.sweep(at=at).rung, deliveries.sweep(at=at)) == (0, 0)
    # Nor when a game master switches the webhook on again.
    webhooks.enable(campaign=webhook.campaign, webhook_id=webhook.pk, by=webhook.owner)
    assert deliveries.sweep(at=at) == 0
    assert set(Delivery.objects.values_list("state", "code")) == {("failed", "webhook.disabled")}
    assert told() == []
