"""Requests with a key beside acts that forget answers: nobody waits in a circle, and nothing is half done."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from campaigns.actions import removal, sessions, withdrawal
from campaigns.errors import ActionError
from campaigns.models import Answered, Campaign, GameSession, Run
from tests import factories, standard
from tests.at_once import at_once
from tests.campaigns.api.conftest import bearer

ROUNDS = 4
SESSION = "/api/v1/campaigns/salt-ferry/sessions/1"
REFUSED = {404, 409, 422}


@pytest.fixture
def shared(transactional_db: None) -> tuple[Campaign, User]:
    """A campaign and its game master, in a database that several connections share and whose rows they lock."""
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one lock for all writers: there is no circle to wait in")
    campaign, gm = factories.make_campaign("salt-ferry"), factories.make_user("gm")
    factories.make_membership(campaign, gm, "gm")
    return campaign, gm


def asked(client: Client, name: str) -> int:
    """Start and cancel a run, keep a passage from players and order an export; return how many of these were done."""

    def post(at: str, path: str, body: object) -> object:
        key = {"idempotency-key": f"{name}-{at}"}
        got = client.post(path, body, content_type="application/json", headers=key)
        assert got.status_code < 300 or got.status_code in REFUSED, got.content
        done.append(got.status_code < 300)
        return got.json()

    done: list[bool] = []
    run = post("run", f"{SESSION}/runs", {"pipeline": "npcs-only"})
    if done[-1] and isinstance(run, dict):
        post("cancel", f"/api/v1/runs/{run['id']}/cancel", {})
    unit = standard.UNITS[0].unit_id
    hidden = {"kind": "range", "session": 1, "start_unit_id": unit, "end_unit_id": unit}
    post("secret", f"{SESSION.rpartition('/sessions')[0]}/secrets", hidden)
    post("export", f"{SESSION.rpartition('/sessions')[0]}/exports", {"format": "csv"})
    return sum(done)


def withdrawn(campaign: Campaign) -> None:
    withdrawal.withdraw_words(campaign=campaign, label=standard.PIKE, by=None)


def session_removed(campaign: Campaign) -> None:
    sessions.remove(session_id=GameSession.objects.get(campaign=campaign).pk, by=None)


def campaign_removed(campaign: Campaign) -> None:
    removal.remove_campaign(campaign=campaign, confirmed=campaign.slug, by=None)


@pytest.mark.parametrize("forgetting", [withdrawn, session_removed, campaign_removed])
def test_answers_are_forgotten_beside_requests_that_are_answered(
    shared: tuple[Campaign, User], forgetting: Callable[[Campaign], None]
) -> None:
    campaign, gm = shared
    forgot = 0
    for number in range(ROUNDS):
        if not Campaign.objects.exists():
            campaign = factories.make_campaign("salt-ferry")
            factories.make_membership(campaign, gm, "gm")
        GameSession.objects.filter(campaign=campaign).delete()
        factories.make_transcript(factories.make_session(campaign, 1))
        clients = [bearer(gm, "admin") for _ in range(3)]

        def forget(campaign: Campaign = campaign) -> int:
            for _ in range(500):
                # A run of it may not have ended; each is cancelled.
                with suppress(ActionError):
                    forgetting(campaign)
                    return 1
                time.sleep(0.02)
            return 0

        forgot += at_once(*(partial(asked, each, str(number)) for each in clients), forget)[-1]

    left = set(Answered.objects.values_list("campaign__slug", flat=True))
    assert left <= {"salt-ferry"}
    assert not Answered.objects.filter(status=None).exists()
    assert not Run.objects.filter(state__in=Run.UNENDED).exists()
    assert forgot == ROUNDS
