"""What webhooks are told of, what a message holds, and that nobody is told what they may not see."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from pytest_django import Settings

from campaigns.actions import members, runs, versions, webhooks
from campaigns.errors import ActionError, Conflict, NotFound
from campaigns.models import AuditEntry, Campaign, Delivery, Membership, Run, Transcript, Webhook
from campaigns.webhooks import signing
from extraction.codes import Code
from tests import factories
from tests.leaks import Leaks

SITE = "https://notarius.example"


@pytest.fixture
def transcript(campaign: Campaign) -> Transcript:
    return factories.make_transcript(factories.make_session(campaign))


def told(event: str) -> list[dict[str, Any]]:
    rows = Delivery.objects.filter(event=event).order_by("pk").values_list("body", flat=True)
    return [json.loads(body) for body in rows]


def test_approval_is_told_in_ids_and_addresses_alone(
    campaign: Campaign, gm: User, webhook: Webhook, transcript: Transcript, leaks: Leaks
) -> None:
    version = factories.make_version(transcript)

    versions.approve(version_id=version.pk, note="The widow again", by=gm)
    webhooks.announce_changes(timezone.now())

    (approved,), (changed,) = told("version.approved"), told("entity.changed")
    assert approved["type"] == "version.approved"
    assert approved["data"] == {
        "campaign": "salt-ferry",
        "session": 1,
        "family": "npcs",
        "version": 1,
        "version_id": version.pk,
        "url": f"{SITE}/api/v1/campaigns/salt-ferry/sessions/1/artifacts/npcs",
    }
    assert {change["change"] for change in changed["data"]["changes"]} == {"created"}
    assert changed["data"]["changes"][0]["url"].startswith(f"{SITE}/api/v1/campaigns/salt-ferry/npcs/npc:sha256:")
    bodies = "".join(Delivery.objects.values_list("body", flat=True))
    assert leaks.found_in([bodies]) == []
    assert "widow" not in bodies


def test_changes_are_told_once(campaign: Campaign, gm: User, webhook: Webhook, transcript: Transcript) -> None:
    versions.approve(version_id=factories.make_version(transcript).pk, note="", by=gm)

    assert [webhooks.announce_changes(timezone.now()) for _ in range(3)] == [1, 0, 0]


def test_webhook_hears_of_nothing_that_was_before_it(
    campaign: Campaign, gm: User, transcript: Transcript, settings: Settings
) -> None:
    versions.approve(version_id=factories.make_version(transcript).pk, note="", by=gm)
    webhooks.create(campaign=campaign, url="http://127.0.0.1:9/", events=["entity.changed"], site=SITE, by=gm)

    assert webhooks.announce_changes(timezone.now()) == 0


@pytest.mark.parametrize("end", ["succeeded", "cancelled"])
def test_end_of_a_run_is_told(gm: User, webhook: Webhook, transcript: Transcript, end: str) -> None:
    run = factories.make_run(transcript, plan={"lanes": []})
    lane = run.lanes.get()
    lane.token = "t"
    lane.save()
    if end == "cancelled":
        runs.cancel(run=run, by=gm)
    else:
        runs.finish(lane_id=lane.pk, token="t", result=factories.make_result(transcript))

    (message,) = told("run.finished")
    assert message["data"] == {
        "campaign": "salt-ferry",
        "session": 1,
        "run": run.pk,
        "pipeline": "npcs-only",
        "state": end,
        "url": f"{SITE}/api/v1/runs/{run.pk}",
    }


def test_nothing_is_told_of_what_was_rolled_back(
    gm: User, webhook: Webhook, transcript: Transcript, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("campaigns.actions.webhooks.announce_approval", fail)
    version = factories.make_version(transcript)
    with pytest.raises(RuntimeError):
        versions.approve(version_id=version.pk, note="", by=gm)

    version.refresh_from_db()
    assert version.state == "pending"
    assert not Delivery.objects.exists()


def test_owner_who_is_no_gm_any_more_hears_less_and_then_nothing(
    campaign: Campaign, gm: User, player: User, webhook: Webhook, transcript: Transcript
) -> None:
    members.transfer(campaign=campaign, member_id=campaign.memberships.get(user=player).pk, by=gm)
    runs.cancel(run=factories.make_run(transcript), by=player)
    versions.approve(version_id=factories.make_version(transcript).pk, note="", by=player)
    members.leave(campaign=campaign, by=gm)
    versions.approve(version_id=factories.make_version(transcript).pk, note="", by=player)
    webhooks.announce_changes(timezone.now())

    assert list(Delivery.objects.values_list("event", flat=True)) == ["version.approved"]


def test_other_events_and_other_campaigns_are_not_told(campaign: Campaign, gm: User, transcript: Transcript) -> None:
    webhooks.create(campaign=campaign, url="http://127.0.0.1:9/", events=["run.finished"], site=SITE, by=gm)
    other = factories.make_run(factories.make_transcript())

    versions.approve(version_id=factories.make_version(transcript).pk, note="", by=gm)
    runs.cancel(run=other, by=None)

    assert not Delivery.objects.exists()
    assert Run.objects.get(pk=other.pk).state == "cancelled"


@pytest.mark.parametrize(
    ("url", "events", "code"),
    [
        pytest.param("http://127.0.0.1/", [], Code.WEBHOOK_INVALID, id="no-event"),
        pytest.param("http://127.0.0.1/", ["ping"], Code.WEBHOOK_INVALID, id="not-to-be-asked-for"),
        pytest.param("http://127.0.0.1/", ["run.finished", "x"], Code.WEBHOOK_INVALID, id="unknown-event"),
        pytest.param("ftp://127.0.0.1/", ["run.finished"], Code.WEBHOOK_INVALID, id="no-http"),
        pytest.param("http://nowhere.invalid/", ["run.finished"], Code.WEBHOOK_UNRESOLVED, id="no-such-name"),
        pytest.param("http://192.168.0.9/", ["run.finished"], Code.WEBHOOK_ADDRESS, id="private"),
    ],
)
def test_webhook_that_could_not_work_is_refused(
    campaign: Campaign, gm: User, settings: Settings, url: str, events: list[str], code: Code
) -> None:
    settings.WEBHOOK_PRIVATE_ADDRESSES = False

    with pytest.raises(ActionError) as refused:
        webhooks.create(campaign=campaign, url=url, events=events, site=SITE, by=gm)

    assert refused.value.code is code
    assert not Webhook.objects.exists()


def test_number_of_webhooks_is_bounded(
    campaign: Campaign, gm: User, webhook: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhooks, "MOST_WEBHOOKS", 1)

    with pytest.raises(ActionError) as refused:
        webhooks.create(campaign=campaign, url=webhook.url, events=["run.finished"], site=SITE, by=gm)

    assert refused.value.code is Code.WEBHOOK_TOO_MANY


def test_secret_is_not_in_the_database(webhook: Webhook) -> None:
    stored = str(list(Webhook.objects.values_list()))

    assert signing.secret(webhook.salt).removeprefix("whsec_") not in stored


@pytest.mark.parametrize(
    "act",
    [
        pytest.param(lambda c, pk, by: webhooks.remove(campaign=c, webhook_id=pk, by=by), id="remove"),
        pytest.param(lambda c, pk, by: webhooks.enable(campaign=c, webhook_id=pk, by=by), id="enable"),
        pytest.param(lambda c, pk, by: webhooks.ping(campaign=c, webhook_id=pk, by=by), id="ping"),
    ],
)
def test_webhook_of_another_campaign_is_out_of_reach(
    webhook: Webhook, outsider: User, act: Callable[[Campaign, int, User], object]
) -> None:
    other = Membership.objects.get(user=outsider).campaign

    with pytest.raises(NotFound) as refused:
        act(other, webhook.pk, outsider)

    assert refused.value.code is Code.WEBHOOK_UNKNOWN
    assert Webhook.objects.filter(pk=webhook.pk).exists()


def test_webhook_that_is_off_is_not_pinged(campaign: Campaign, gm: User, webhook: Webhook) -> None:
    webhooks.disable(webhook, Code.WEBHOOK_GONE, timezone.now())

    with pytest.raises(Conflict) as refused:
        webhooks.ping(campaign=campaign, webhook_id=webhook.pk, by=gm)

    assert refused.value.code is Code.WEBHOOK_DISABLED


@pytest.mark.parametrize("act", ["create", "remove", "enable", "ping"])
def test_nothing_is_left_when_the_audit_fails(
    campaign: Campaign, gm: User, webhook: Webhook, monkeypatch: pytest.MonkeyPatch, act: str
) -> None:
    if act == "enable":
        webhooks.disable(webhook, Code.WEBHOOK_GONE, timezone.now())

    def fail(**kwargs: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("campaigns.actions.audit.record", fail)
    does: dict[str, Callable[[], object]] = {
        "create": lambda: webhooks.create(
            campaign=campaign, url=webhook.url, events=["run.finished"], site=SITE, by=gm
        ),
        "remove": lambda: webhooks.remove(campaign=campaign, webhook_id=webhook.pk, by=gm),
        "enable": lambda: webhooks.enable(campaign=campaign, webhook_id=webhook.pk, by=gm),
        "ping": lambda: webhooks.ping(campaign=campaign, webhook_id=webhook.pk, by=gm),
    }
    with pytest.raises(RuntimeError):
        does[act]()

    assert list(Webhook.objects.values_list("disabled_code", flat=True)) == ["webhook.gone" if act == "enable" else ""]
    assert not Delivery.objects.exists()


def test_acts_are_audited(campaign: Campaign, gm: User, webhook: Webhook) -> None:
    webhooks.ping(campaign=campaign, webhook_id=webhook.pk, by=gm)
    webhooks.disable(webhook, Code.WEBHOOK_GONE, timezone.now())
    webhooks.enable(campaign=campaign, webhook_id=webhook.pk, by=gm)
    webhooks.remove(campaign=campaign, webhook_id=webhook.pk, by=gm)

    acts = list(AuditEntry.objects.order_by("pk").values_list("act", flat=True))
    assert acts == [f"webhook.{act}" for act in ("create", "ping", "disable", "enable", "remove")]
