"""What ages by the settings, what has a term of its own, and what never goes."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.db import OperationalError
from django.utils import timezone
from pytest_django import Settings

from campaigns import schedules
from campaigns.actions import corrections, pausing, plans, pulses, retention, reviews, runs, versions
from campaigns.actions.work import SUCCEEDED, work
from campaigns.models import (
    Answered,
    ArtifactVersion,
    AuditEntry,
    Campaign,
    Checkpoint,
    Decision,
    Exchange,
    Run,
    Transcript,
    WorkerPulse,
)
from tests import factories
from tests.campaigns.review import families
from tests.campaigns.reviews.acting import on

State = ArtifactVersion.State
DAYS = {"KEEP_EXCHANGES_DAYS": 10, "KEEP_CHECKPOINTS_DAYS": 10, "KEEP_REJECTED_DAYS": 10}
OLD = timedelta(days=11)
SWEEP = timedelta(seconds=schedules.SWEEP_S)


@pytest.fixture(autouse=True)
def limits(settings: Settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    for name, days in DAYS.items():
        setattr(settings, name, days)


@pytest.fixture
def transcript(campaign: Campaign) -> Transcript:
    return factories.make_transcript(factories.make_session(campaign))


def aged(model: type[Any], at: datetime) -> None:
    model.objects.update(created_at=at - OLD)


def exchange(transcript: Transcript) -> Exchange:
    lane = factories.make_run(transcript, state=Run.State.SUCCEEDED).lanes.get()
    return Exchange.objects.create(lane=lane, prompt_id="p", request=b"", reply=b"", outcome="ok", provider="rules")


def checkpoint(transcript: Transcript) -> Checkpoint:
    return Checkpoint.objects.create(session=transcript.session, key="k", value=b"{}")


def unwanted(transcript: Transcript) -> ArtifactVersion:
    """A superseded extraction with a newer one after it."""
    first = factories.make_version(transcript, {"Dell": ((44, 46),)})
    ArtifactVersion.objects.filter(pk=first.pk).update(state=State.SUPERSEDED)
    factories.make_version(transcript, {"Dell": ((44, 46),), "Wick": ((50, 52),)})
    return first


MADE: dict[str, Callable[[Transcript], Any]] = {
    "exchanges": exchange,
    "checkpoints": checkpoint,
    "versions": unwanted,
}


@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize(("age", "gone"), [(10, False), (11, True)])
def test_setting_ends_what_is_older_and_nothing_younger(
    kind: str, age: int, gone: bool, transcript: Transcript
) -> None:
    row, at = MADE[kind](transcript), timezone.now()
    type(row).objects.update(created_at=at - timedelta(days=age) + timedelta(minutes=1))

    assert retention.due(at=at)[kind] == int(gone)
    assert retention.purge_due(at=at)[kind] == int(gone)
    assert type(row).objects.filter(pk=row.pk).exists() is not gone
    assert AuditEntry.objects.filter(act=f"{kind}.purge").count() == int(gone)


@pytest.mark.parametrize("kind", MADE)
def test_zero_days_keep_for_ever(kind: str, transcript: Transcript, settings: Settings) -> None:
    row = MADE[kind](transcript)
    type(row).objects.update(created_at=timezone.now() - timedelta(days=9_000))
    setattr(settings, retention.AGED[kind].setting, 0)

    assert kind not in retention.purge_due(at=timezone.now())
    assert type(row).objects.filter(pk=row.pk).exists()


@pytest.mark.parametrize("state", [Run.State.QUEUED, Run.State.RUNNING, Run.State.PAUSED])
def test_checkpoints_stay_while_a_run_may_need_them(state: Run.State, transcript: Transcript) -> None:
    checkpoint(transcript)
    Run.objects.filter(pk=factories.make_run(transcript).pk).update(state=state)
    aged(Checkpoint, at := timezone.now())

    assert retention.purge_due(at=at)["checkpoints"] == 0
    assert Checkpoint.objects.exists()


@pytest.mark.parametrize(
    ("state", "gone"),
    [
        (Run.State.QUEUED, False),
        (Run.State.RUNNING, False),
        (Run.State.PAUSED, False),
        (Run.State.SUCCEEDED, True),
        (Run.State.FAILED, True),
        (Run.State.CANCELLED, True),
    ],
)
def test_versions_stay_while_a_run_may_read_them(state: Run.State, gone: bool, transcript: Transcript) -> None:
    """Of that session alone, whichever of them it is that the run would read."""
    first = unwanted(transcript)
    other = factories.make_transcript(factories.make_session(transcript.session.campaign, number=2))
    unwanted(other)
    Run.objects.filter(pk=factories.make_run(transcript).pk).update(state=state)
    aged(ArtifactVersion, at := timezone.now())

    assert retention.due(at=at)["versions"] == retention.purge_due(at=at)["versions"] == 1 + gone
    assert ArtifactVersion.objects.filter(pk=first.pk).exists() is not gone


def test_a_paused_run_reads_after_a_purge_what_it_gave_before(transcript: Transcript, gm: Any) -> None:
    """Its own version was superseded by a run over the corrected transcript."""
    session = transcript.session
    lanes = ["dnd/npcs", "dnd/npc-occurrences"]
    run = runs.start(session=session, pipeline=plans.named_pipeline("complete"), lanes=lanes, by=gm)
    work(lane_id=run.lanes.get(key="dnd/npcs").pk)
    pausing.pause(run=run, by=gm)
    given = ArtifactVersion.objects.get()
    speaker = transcript.units.exclude(speaker=None).values_list("speaker", flat=True)[0]
    corrections.rename_speaker(session=session, old=str(speaker), new="Somebody", by=gm)
    newer = runs.start(session=session, pipeline=plans.named_pipeline("npcs-only"), lanes=None, by=gm)
    work(lane_id=newer.lanes.get().pk)
    given.refresh_from_db()
    aged(ArtifactVersion, at := timezone.now())
    retention.purge_due(at=at)
    pausing.resume(run=run, by=gm)

    assert given.state == State.SUPERSEDED
    assert work(lane_id=run.lanes.get(key="dnd/npc-occurrences").pk) == SUCCEEDED
    read = ArtifactVersion.objects.get(artifact__lane="dnd/npc-occurrences")
    assert read.manifest["references"]["npcs"]["version"] == given.number
    # Once the run has ended, what was made of it needs it.
    aged(ArtifactVersion, at)
    assert retention.purge_due(at=at)["versions"] == 0


def approved_once(first: ArtifactVersion) -> None:
    ArtifactVersion.objects.filter(pk=first.pk).update(decided_at=timezone.now() - OLD)


def approved(first: ArtifactVersion) -> None:
    ArtifactVersion.objects.filter(pk=first.pk).update(state=State.APPROVED)


def parent(first: ArtifactVersion) -> None:
    ArtifactVersion.objects.exclude(pk=first.pk).update(parent=first)


def newest(first: ArtifactVersion) -> None:
    first.artifact.versions.exclude(pk=first.pk).delete()


def made_by_a_decision(first: ArtifactVersion) -> None:
    session = first.artifact.session
    Decision.objects.create(session=session, lane=first.artifact.lane, kind="accept", made=first)


def read_by_another_lane(first: ArtifactVersion) -> None:
    reader = families.make_version(first.transcript, "spells", [])
    bound = {"npcs": {"lane": first.artifact.lane, "version": first.number, "digest": first.digest}}
    ArtifactVersion.objects.filter(pk=reader.pk).update(manifest={"references": bound})


def rolled_back_to(first: ArtifactVersion) -> None:
    session = first.artifact.session
    Decision.objects.create(session=session, lane=first.artifact.lane, kind="roll_back", data={"to": first.number})


@pytest.mark.parametrize(
    "needed",
    [approved_once, approved, parent, newest, made_by_a_decision, read_by_another_lane, rolled_back_to],
    ids=lambda needed: needed.__name__,
)
def test_version_that_something_refers_to_stays(
    needed: Callable[[ArtifactVersion], None], transcript: Transcript
) -> None:
    first = unwanted(transcript)
    needed(first)
    aged(ArtifactVersion, at := timezone.now())

    assert retention.purge_due(at=at)["versions"] == 0
    assert ArtifactVersion.objects.filter(pk=first.pk).exists()


def test_version_rejected_lately_stays_though_it_was_made_long_ago(transcript: Transcript) -> None:
    first = unwanted(transcript)
    at = timezone.now()
    ArtifactVersion.objects.filter(pk=first.pk).update(state=State.REJECTED, decided_at=at - timedelta(days=1))
    aged(ArtifactVersion, at)

    assert retention.purge_due(at=at)["versions"] == 0
    assert retention.purge_due(at=at + OLD)["versions"] == 1


def test_reviewed_history_is_the_same_after_a_purge(transcript: Transcript, gm: Any) -> None:
    """Acts, their decisions and what stands of them: nothing of it goes, however old."""
    first = unwanted(transcript)
    head = ArtifactVersion.objects.get(state=State.PENDING)
    done = reviews.remove(**on(head), record=0, reason="", by=gm)
    versions.approve(version_id=done.version.pk, note="", by=gm)
    history = list(Decision.objects.values_list("pk", "made", "kind"))
    aged(ArtifactVersion, at := timezone.now())
    retention.purge_due(at=at + OLD)

    assert list(Decision.objects.values_list("pk", "made", "kind")) == history
    assert not ArtifactVersion.objects.filter(pk=first.pk).exists()
    assert set(ArtifactVersion.objects.values_list("pk", flat=True)) == {head.pk, done.version.pk}


def test_terms_end_by_themselves(transcript: Transcript) -> None:
    at = timezone.now()
    Session.objects.create(session_key="a", session_data="", expire_date=at - timedelta(minutes=1))
    Session.objects.create(session_key="b", session_data="", expire_date=at + timedelta(minutes=1))
    Answered.objects.create(actor="a", key="k", digest="d", status=200, at=at - timedelta(days=3))
    removed = retention.purge_due(at=at)

    assert (removed["sign-ins"], removed["answers"]) == (1, 1)
    assert Session.objects.get().session_key == "b"


@pytest.mark.parametrize("arguments", [(), ("--due",)])
def test_command_without_a_kind_does_what_is_due(arguments: tuple[str, ...], transcript: Transcript) -> None:
    exchange(transcript)
    checkpoint(transcript)
    aged(Exchange, timezone.now())
    told, done = io.StringIO(), io.StringIO()
    call_command("purge", *arguments, "--dry-run", stdout=told)
    assert Exchange.objects.exists()
    call_command("purge", *arguments, stdout=done)

    assert "1 exchanges would be removed." in told.getvalue()
    assert "1 exchanges removed.\n0 checkpoints removed." in done.getvalue()
    assert not Exchange.objects.exists()
    assert Checkpoint.objects.exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("--due", "--exchanges"),
        ("--older-than", "3"),
        ("--campaign", "salt-ferry"),
        ("--exchanges", "--exports", "--older-than", "3"),
        ("--checkpoints", "--older-than", "36501"),
    ],
)
def test_command_refuses_what_makes_no_sense(arguments: tuple[str, ...], transcript: Transcript) -> None:
    exchange(transcript)
    with pytest.raises(CommandError):
        call_command("purge", *arguments)

    assert Exchange.objects.exists()


def test_supervisor_purges_once_a_day(transcript: Transcript) -> None:
    at = timezone.now()
    exchange(transcript)
    aged(Exchange, at)
    schedules.sweep(supervisor="here", at=at)
    assert not Exchange.objects.exists()
    exchange(transcript)
    aged(Exchange, at)
    schedules.sweep(supervisor="there", at=at + timedelta(hours=23))
    assert Exchange.objects.exists()
    schedules.sweep(supervisor="there", at=at + timedelta(hours=25))

    assert not Exchange.objects.exists()
    assert WorkerPulse.objects.filter(name="purge daily").count() == 1


def test_supervisor_outlives_a_disk_that_refuses(transcript: Transcript, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**kwargs: object) -> dict[str, int]:
        raise PermissionError("a path")

    monkeypatch.setattr(retention, "purge_due", refuse)
    schedules.purge_daily(at=timezone.now())

    assert WorkerPulse.objects.filter(name="purge daily").exists()


class Locked:
    """A purge that a locked database refuses so many times."""

    def __init__(self, times: int) -> None:
        self.times, self.tried = times, 0

    def __call__(self, **kwargs: object) -> dict[str, int]:
        self.tried += 1
        if self.tried <= self.times:
            raise OperationalError("database is locked")
        return {}


def test_a_purge_that_the_database_refused_is_tried_at_the_next_sweep(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    at, locked = timezone.now(), Locked(2)
    monkeypatch.setattr(retention, "purge_due", locked)
    for sweeps in range(2):
        with pytest.raises(OperationalError):
            schedules.purge_daily(at=at + sweeps * SWEEP)
    for sweeps in range(2, 100):
        schedules.purge_daily(at=at + sweeps * SWEEP)

    assert locked.tried == 3
    schedules.purge_daily(at=at + timedelta(hours=23))
    assert locked.tried == 3
    schedules.purge_daily(at=at + timedelta(hours=25))
    assert locked.tried == 4
    assert WorkerPulse.objects.filter(name="purge daily").count() == 1


def test_a_purge_that_could_not_be_given_back_is_tried_after_a_while(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The database refuses that too, or the supervisor was killed in the middle: no day is lost by it."""
    at, locked = timezone.now(), Locked(1)
    monkeypatch.setattr(retention, "purge_due", locked)
    stamp, stamps = pulses.stamp, count(1)

    def refuse_the_second(**told: Any) -> None:
        if next(stamps) == 2:
            raise OperationalError("database is locked")
        stamp(**told)

    monkeypatch.setattr(pulses, "stamp", refuse_the_second)
    with pytest.raises(OperationalError):
        schedules.purge_daily(at=at)
    schedules.purge_daily(at=at + SWEEP)
    assert locked.tried == 1
    schedules.purge_daily(at=at + schedules.PURGE_LEASE + SWEEP)

    assert locked.tried == 2


def test_another_supervisor_leaves_a_purge_alone_that_is_going_on(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    at, began = timezone.now(), []

    def purge(**kwargs: object) -> dict[str, int]:
        began.append(1)
        schedules.purge_daily(at=at + SWEEP)
        return {}

    monkeypatch.setattr(retention, "purge_due", purge)
    schedules.purge_daily(at=at)

    assert began == [1]
