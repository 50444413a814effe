"""How often the sweep rings for an export: once for what nobody took, and not while everybody is busy."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.utils import timezone
from django_q.models import OrmQ
from pytest_django import DjangoCaptureOnCommitCallbacks
from redis.exceptions import ConnectionError as BrokerLost

from campaigns import queue
from campaigns.actions import exports, ringing, runs
from campaigns.models import Campaign, Export
from tests import factories

AGAIN = ringing.AGAIN + timedelta(seconds=1)


@pytest.fixture
def at(settings: LazySettings, tmp_path: Path) -> datetime:
    settings.DATA_DIR = tmp_path
    return timezone.now()


@pytest.fixture
def export(campaign: Campaign, player: User, at: datetime) -> Export:
    """Ordered just now, with a doorbell that nobody heard."""
    return Export.objects.create(campaign=campaign, ordered_by=player, format="csv", edition="player", rung_at=at)


def test_an_hour_of_busy_workers_is_one_doorbell(
    export: Export, at: datetime, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    rung = []
    for sweeps in range(1, 181):
        with django_capture_on_commit_callbacks(execute=True):
            rung.append(exports.sweep(at=at + sweeps * AGAIN))

    assert (sum(rung), OrmQ.objects.count()) == (1, 1)


def test_once_it_was_taken_a_lost_export_is_rung_for_again(
    export: Export, at: datetime, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    for sweeps in (1, 2):
        with django_capture_on_commit_callbacks(execute=True):
            assert exports.sweep(at=at + sweeps * AGAIN) == 1
        OrmQ.objects.all().delete()
    export.refresh_from_db()

    assert export.rung_at == at + 2 * AGAIN


def test_exports_that_wait_keep_no_lane_from_its_doorbell(
    export: Export, at: datetime, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    """The workers took the export's one doorbell: the line is empty, and the lane's turn has come."""
    for sweeps in range(1, 10):
        with django_capture_on_commit_callbacks(execute=True):
            exports.sweep(at=at + sweeps * AGAIN)
    OrmQ.objects.first().delete()
    factories.make_run(state="running").lanes.update(state="queued", rung_at=None)

    assert runs.sweep(at=at + 10 * AGAIN).rung == 1


def test_an_export_rung_for_in_the_future_is_rung_for_now(export: Export, at: datetime) -> None:
    """The clock was set back."""
    Export.objects.update(rung_at=at + timedelta(hours=8))

    assert exports.sweep(at=at) == 1
    assert exports.sweep(at=at) == 0


def test_what_expired_goes_though_the_broker_is_away(
    export: Export, at: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> int:
        raise BrokerLost

    monkeypatch.setattr(queue, "undelivered", away)
    old = Export.objects.create(
        campaign=export.campaign,
        ordered_by=export.ordered_by,
        format="csv",
        state=Export.State.SUCCEEDED,
        mark="0" * 32,
        expires_at=at,
    )
    with pytest.raises(BrokerLost):
        exports.sweep(at=at + AGAIN)
    old.refresh_from_db()

    assert old.state == Export.State.EXPIRED
