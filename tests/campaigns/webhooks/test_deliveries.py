"""From the row to the receiver: claimed once, tried again, given up, switched off, swept, forgotten."""

from __future__ import annotations

import json
import logging
from datetime import datetime, timedelta
from functools import partial

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from django_q.models import OrmQ
from pytest_django import DjangoCaptureOnCommitCallbacks

from campaigns import processes, schedules, tasks
from campaigns.actions import deliveries, members, retention, ringing, versions, webhooks
from campaigns.models import Campaign, Delivery, Webhook
from campaigns.webhooks.sending import Outcome
from extraction.codes import Code
from tests import factories
from tests.at_once import at_once
from tests.campaigns.webhooks.receiver import Receiver

NO = Outcome(Code.WEBHOOK_STATUS, 500)
YES = Outcome(None, 200)


@pytest.fixture
def delivery(campaign: Campaign, gm: User, webhook: Webhook) -> Delivery:
    return webhooks.ping(campaign=campaign, webhook_id=webhook.pk, by=gm)


def point_to(receiver: Receiver) -> None:
    Webhook.objects.update(url=receiver.url)


def attempt(delivery: Delivery, outcome: Outcome, at: datetime) -> Delivery:
    token = deliveries.claim(delivery_id=delivery.pk, at=at)
    assert token is not None
    assert deliveries.settle(delivery_id=delivery.pk, token=token, outcome=outcome, at=at)
    delivery.refresh_from_db()
    return delivery


def test_delivery_reaches_the_receiver_and_is_not_sent_twice(delivery: Delivery) -> None:
    with Receiver() as receiver:
        point_to(receiver)
        outcomes = [tasks.deliver_message(delivery.pk)["outcome"] for _ in range(2)]

    delivery.refresh_from_db()
    (message,) = receiver.seen
    assert outcomes == ["delivered", "not_claimed"]
    assert message.headers["webhook-id"] == delivery.event_id
    assert json.loads(message.body)["type"] == "ping"
    assert (delivery.state, delivery.attempts, delivery.status, delivery.code) == ("delivered", 1, 200, "")


def test_failed_attempt_is_tried_again_later_under_the_same_id_with_the_same_bytes(delivery: Delivery) -> None:
    with Receiver([500, 200]) as receiver:
        point_to(receiver)
        first = deliveries.deliver(delivery_id=delivery.pk)
        early = deliveries.deliver(delivery_id=delivery.pk)
        Delivery.objects.update(due_at=timezone.now())
        second = deliveries.deliver(delivery_id=delivery.pk)

    assert (first, early, second) == ("webhook.status", "not_claimed", "delivered")
    one, two = receiver.seen
    assert (one.headers["webhook-id"], one.body) == (two.headers["webhook-id"], two.body)


def test_waits_grow_and_the_last_failure_switches_the_webhook_off(delivery: Delivery, webhook: Webhook) -> None:
    at, waits = timezone.now(), []
    for _ in range(deliveries.MOST_ATTEMPTS - 1):
        attempt(delivery, NO, at)
        assert delivery.state == "waiting"
        waits.append(delivery.due_at - at)
        at = delivery.due_at
    attempt(delivery, NO, at)

    webhook.refresh_from_db()
    assert tuple(waits) == deliveries.WAITS
    assert waits == sorted(set(waits))
    assert (delivery.state, delivery.status, delivery.code) == ("failed", 500, "webhook.status")
    assert webhook.disabled_code == "webhook.status"


def test_webhook_stays_on_where_something_else_got_through(
    campaign: Campaign, gm: User, delivery: Delivery, webhook: Webhook
) -> None:
    other = webhooks.ping(campaign=campaign, webhook_id=webhook.pk, by=gm)
    Delivery.objects.filter(pk=delivery.pk).update(attempts=deliveries.MOST_ATTEMPTS - 1)
    at = timezone.now() + timedelta(seconds=1)

    attempt(other, YES, at)
    attempt(delivery, NO, at)

    webhook.refresh_from_db()
    assert (delivery.state, webhook.disabled_at) == ("failed", None)


def test_receiver_that_is_gone_is_believed_at_once(
    campaign: Campaign, gm: User, delivery: Delivery, webhook: Webhook
) -> None:
    waiting = webhooks.ping(campaign=campaign, webhook_id=webhook.pk, by=gm)

    attempt(delivery, Outcome(Code.WEBHOOK_GONE, 410), timezone.now())

    webhook.refresh_from_db()
    waiting.refresh_from_db()
    assert (delivery.state, webhook.disabled_code) == ("failed", "webhook.gone")
    assert (waiting.state, waiting.code) == ("failed", "webhook.disabled")


def test_owner_without_the_campaign_sends_nothing_more(
    campaign: Campaign, gm: User, delivery: Delivery, webhook: Webhook
) -> None:
    campaign.memberships.filter(user=gm).delete()

    with Receiver() as receiver:
        point_to(receiver)
        outcome = deliveries.deliver(delivery_id=delivery.pk)

    webhook.refresh_from_db()
    assert (outcome, receiver.seen) == ("webhook.owner_sees_nothing", [])
    assert webhook.disabled_code == "webhook.owner_sees_nothing"


def test_worker_without_the_lease_settles_nothing(delivery: Delivery) -> None:
    at = timezone.now()
    lost = deliveries.claim(delivery_id=delivery.pk, at=at)
    won = deliveries.claim(delivery_id=delivery.pk, at=at + deliveries.LEASE + timedelta(seconds=1))

    assert lost is not None
    assert won is not None
    assert not deliveries.settle(delivery_id=delivery.pk, token=lost, outcome=NO, at=at)
    assert deliveries.settle(delivery_id=delivery.pk, token=won, outcome=YES, at=at)
    delivery.refresh_from_db()
    assert (delivery.state, delivery.attempts) == ("delivered", 2)


def test_live_lease_shuts_others_out(delivery: Delivery) -> None:
    at = timezone.now()

    assert deliveries.claim(delivery_id=delivery.pk, at=at) is not None
    assert deliveries.claim(delivery_id=delivery.pk, at=at) is None


def test_delivery_that_kills_its_worker_each_time_is_given_up(delivery: Delivery) -> None:
    at = timezone.now()
    for _ in range(deliveries.MOST_ATTEMPTS):
        assert deliveries.claim(delivery_id=delivery.pk, at=at) is not None
        at += deliveries.LEASE + timedelta(seconds=1)

    assert deliveries.claim(delivery_id=delivery.pk, at=at) is None
    deliveries.sweep(at=at)
    delivery.refresh_from_db()
    assert (delivery.state, delivery.code) == ("failed", "webhook.interrupted")


def test_sweep_rings_for_what_nobody_came_for(
    delivery: Delivery, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    OrmQ.objects.all().delete()
    at = timezone.now() + ringing.AGAIN + timedelta(seconds=1)

    with django_capture_on_commit_callbacks(execute=True):
        rung = [deliveries.sweep(at=at), deliveries.sweep(at=at)]

    assert rung == [1, 0]
    assert [task.task["args"] for task in OrmQ.objects.all()] == [(delivery.pk,)]


def test_sweep_rings_for_what_was_rung_for_before_the_clock_was_set_back(
    delivery: Delivery, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    OrmQ.objects.all().delete()
    at = timezone.now()
    Delivery.objects.update(rung_at=at + timedelta(hours=1))

    with django_capture_on_commit_callbacks(execute=True):
        assert deliveries.sweep(at=at) == 1
    assert [task.task["args"] for task in OrmQ.objects.all()] == [(delivery.pk,)]


def test_sweep_takes_back_what_a_dead_worker_had(delivery: Delivery) -> None:
    at = timezone.now()
    deliveries.claim(delivery_id=delivery.pk, at=at)
    # No process has this number.
    Delivery.objects.update(holder=f"{processes.machine_mark()}:{2**22 + 1}")
    OrmQ.objects.all().delete()

    assert deliveries.sweep(at=at) == 1
    assert deliveries.claim(delivery_id=delivery.pk, at=at) is not None


def test_message_of_a_game_master_does_not_go_out_when_they_are_a_player_by_then(
    campaign: Campaign, gm: User, player: User, webhook: Webhook
) -> None:
    transcript = factories.make_transcript(factories.make_session(campaign))
    versions.approve(version_id=factories.make_version(transcript).pk, note="", by=gm)
    webhooks.announce_changes(timezone.now())
    members.transfer(campaign=campaign, member_id=campaign.memberships.get(user=player).pk, by=gm)

    with Receiver() as receiver:
        point_to(receiver)
        outcomes = {row.event: deliveries.deliver(delivery_id=row.pk) for row in Delivery.objects.order_by("pk")}

    webhook.refresh_from_db()
    assert outcomes == {"version.approved": "delivered", "entity.changed": Code.WEBHOOK_OWNER.value}
    assert len(receiver.seen) == 1
    # They may still be told what players may know.
    assert webhook.disabled_at is None


def test_sweep_every_few_seconds_leaves_the_old_to_the_daily_purge(delivery: Delivery) -> None:
    long_ago = timezone.now() - deliveries.KEPT - timedelta(hours=1)
    Delivery.objects.update(state="failed", finished_at=long_ago)

    deliveries.sweep(at=timezone.now())

    assert Delivery.objects.exists()
    assert retention.purge_due(at=timezone.now())["deliveries"] == 1


def test_sweep_of_the_supervisor_sweeps_deliveries(delivery: Delivery, webhook: Webhook) -> None:
    Delivery.objects.update(state="failed", finished_at=timezone.now() - deliveries.KEPT - timedelta(hours=1))
    young = Delivery.objects.create(
        webhook=webhook, event_id="msg_young", event="ping", body="{}", state="delivered",
        due_at=timezone.now(), finished_at=timezone.now(),
    )  # fmt: skip

    schedules.sweep(supervisor="test", at=timezone.now())

    assert list(Delivery.objects.all()) == [young]


def test_bug_leaves_neither_an_exception_nor_its_words(
    delivery: Delivery, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise ValueError("http://secret.example/")

    monkeypatch.setattr("campaigns.webhooks.sending.send", fail)
    with caplog.at_level(logging.DEBUG):
        outcome = deliveries.deliver(delivery_id=delivery.pk)

    assert outcome == "internal"
    assert "ValueError" in caplog.text
    assert "secret.example" not in caplog.text


@pytest.mark.django_db(transaction=True)
def test_of_many_workers_one_sends() -> None:
    campaign, gm = factories.make_campaign(), factories.make_user()
    factories.make_membership(campaign, gm, "gm")
    with Receiver() as receiver:
        made, _ = webhooks.create(campaign=campaign, url=receiver.url, events=["run.finished"], site="http://x/", by=gm)
        delivery = webhooks.ping(campaign=campaign, webhook_id=made.pk, by=gm)
        outcomes = at_once(*[partial(deliveries.deliver, delivery_id=delivery.pk)] * 4)

    assert sorted(outcomes) == ["delivered", "not_claimed", "not_claimed", "not_claimed"]
    assert len(receiver.seen) == 1
