"""Acts on one campaign at the same time: each waits for the other or not, and none ever waits in a circle."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import count
from typing import Any

import pytest
from django import db
from django.contrib.auth.models import User
from django.core.exceptions import ObjectDoesNotExist
from django.db import connection

from campaigns.actions import corrections, plans, removal, runs, secrets, sessions, transcripts, versions, withdrawal
from campaigns.actions.withdrawal import withdraw_words
from campaigns.errors import ActionError
from campaigns.models import ArtifactVersion, Campaign, GameSession
from extraction.source.documents import SourceUnit
from tests import factories, standard
from tests.at_once import at_once

ROUNDS = 8
NUMBERS = count(1)


@pytest.fixture
def shared(transactional_db: None) -> Campaign:
    """A campaign with a transcript, in a database that several connections share and whose rows they lock."""
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one lock for all writers: there is no circle to wait in")
    campaign = factories.make_campaign("salt-ferry")
    factories.make_transcript(factories.make_session(campaign))
    return campaign


def the_session(campaign: Campaign) -> GameSession:
    return campaign.sessions.select_related("campaign").get()


def file_of(units: tuple[SourceUnit, ...]) -> bytes:
    return json.dumps({"schema": "notarius.transcript.v1", "units": [unit.as_json() for unit in units]}).encode()


def imported(campaign: Campaign) -> None:
    # Each time another text, said by whoever may be withdrawn.
    units = (*standard.UNITS, SourceUnit(9_000, standard.PIKE, f"The tide is {next(NUMBERS)} feet."))
    transcripts.import_transcript(campaign=campaign, number=1, data=file_of(units), by=None)


def corrected(campaign: Campaign) -> None:
    session = the_session(campaign)
    corrections.reword_unit(session=session, unit_id=9, text=f"The bell rings {next(NUMBERS)} times.", by=None)


def approved(campaign: Campaign) -> None:
    transcript = the_session(campaign).transcripts.order_by("-revision").first()
    version = factories.make_version(transcript, state=ArtifactVersion.State.PENDING)
    versions.approve(version_id=version.pk, note="", by=User.objects.get())


def hidden(campaign: Campaign) -> None:
    secret = secrets.hide_range(session=the_session(campaign), start_unit=9, end_unit=9, by=None)
    secrets.reveal(secret_id=secret.pk, by=None)


def withdrawn(campaign: Campaign) -> None:
    withdraw_words(campaign=campaign, label=standard.PIKE, by=None)


def begun(campaign: Campaign) -> None:
    run = runs.start(session=the_session(campaign), pipeline=plans.named_pipeline("npcs-only"), lanes=None, by=None)
    runs.cancel(run=run, by=None)


def side_by_side(campaign: Campaign, *acts: Callable[[Campaign], None]) -> tuple[list[str], set[str]]:
    """Do each act so many times, all acts at once; return what the database refused, and which acts were ever done."""
    done: set[str] = set()
    gate = threading.Barrier(len(acts))

    def repeated(act: Callable[[Campaign], None]) -> str:
        try:
            for _ in range(ROUNDS):
                gate.wait(timeout=60)
                # What the other act has done may well stand in the way: that is an answer.
                with suppress(ActionError):
                    act(campaign)
                    done.add(act.__name__)
        except (db.Error, threading.BrokenBarrierError) as error:
            gate.abort()
            return f"{act.__name__}: {type(error).__name__}"
        return ""

    failed = at_once(*(partial(repeated, act) for act in acts))
    return [each for each in failed if each], done


@pytest.mark.parametrize("other", [approved, hidden, withdrawn])
def test_writing_a_session_and_deciding_about_its_campaign_never_lock_each_other_out(
    shared: Campaign, other: Callable[[Campaign], None]
) -> None:
    factories.make_user()

    acts = (imported, corrected, begun, other)
    failed, done = side_by_side(shared, *acts)

    assert failed == []
    assert done == {act.__name__ for act in acts}


@pytest.mark.parametrize("removing", ["session", "campaign"])
def test_removing_locks_nobody_out_and_leaves_nothing(shared: Campaign, removing: str) -> None:
    """Each round removes what the others are at work in: one of them is told that it is gone, or that a run is not."""
    factories.make_user()

    def removed(campaign: Campaign) -> None:
        # A session of the same number comes back with the next import; a campaign does not.
        if removing == "campaign":
            removal.remove_campaign(campaign=campaign, confirmed=campaign.slug, by=None)
        else:
            sessions.remove(session_id=the_session(campaign).pk, by=None)

    def tried(act: Callable[[Campaign], None]) -> Callable[[Campaign], None]:
        def trying(campaign: Campaign) -> None:
            # What this test itself looks at may be gone, and what refers to it is not written.
            with suppress(ObjectDoesNotExist, db.IntegrityError):
                act(campaign)

        return trying

    failed, _ = side_by_side(shared, tried(imported), tried(begun), tried(removed))

    assert failed == []


def test_no_run_begins_inside_a_withdrawal(shared: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that is started while words go reads the revision without them, and never the one before."""
    looked, begin = threading.Event(), threading.Event()
    blank = withdrawal._blank

    def slowly(*args: Any) -> int:
        begin.set()
        # The run cannot get so far before the withdrawal is done: waiting for it in vain is the proof.
        looked.wait(timeout=1)
        return blank(*args)

    monkeypatch.setattr(withdrawal, "_blank", slowly)
    found: list[int] = []

    def start() -> None:
        begin.wait(timeout=30)
        try:
            run = runs.start(
                session=the_session(shared), pipeline=plans.named_pipeline("npcs-only"), lanes=None, by=None
            )
            found.append(run.transcript.revision)
            looked.set()
        finally:
            db.connections.close_all()

    starting = threading.Thread(target=start)
    starting.start()
    withdrawn(shared)
    starting.join(timeout=30)

    assert found == [2]
    assert not shared.sessions.get().transcripts.get(revision=2).units.filter(speaker=standard.PIKE).exists()
