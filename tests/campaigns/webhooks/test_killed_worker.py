"""A real worker that really dies while a receiver has its message. Linux only: it finds processes in /proc."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.campaigns.supervisor.installation import Installation, eventually
from tests.campaigns.webhooks.receiver import Receiver

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")]

PING = """
from django.core.management import call_command
call_command("migrate", verbosity=0)
from django.contrib.auth.models import User
from campaigns.actions import webhooks
from campaigns.models import Campaign
campaign = Campaign.objects.create(slug="ferry", name="The Ferry")
gm = User.objects.create(username="greta")
campaign.memberships.create(user=gm, role="gm")
made, _ = webhooks.create(campaign=campaign, url={url!r}, events=["run.finished"], site="http://x/", by=gm)
webhooks.ping(campaign=campaign, webhook_id=made.pk, by=gm)
"""


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Installation]:
    place = Installation(tmp_path, NOTARIUS_WEBHOOK_PRIVATE_ADDRESSES="1")
    yield place
    place.end()


def test_message_of_a_killed_worker_is_sent_again_under_the_same_id(place: Installation) -> None:
    with Receiver(hang=True) as receiver:
        place.command("shell", "-v0", "-c", PING.format(url=receiver.url))
        place.start("work")
        eventually(lambda: receiver.seen, "the first attempt arrived")
        holder = str(place.value("select holder from campaigns_delivery"))
        receiver.hang = False
        os.kill(int(holder.partition(":")[2]), signal.SIGKILL)
        delivered = "select count(*) from campaigns_delivery where state = 'delivered'"
        eventually(lambda: place.value(delivered), "the message was delivered")

    first, *_, last = receiver.seen
    assert (first.headers["webhook-id"], first.body) == (last.headers["webhook-id"], last.body)
    assert place.value("select attempts from campaigns_delivery") == 2
