from __future__ import annotations

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.models import User

from campaigns import sample
from campaigns.actions import accounts, plans, runs
from campaigns.models import AuditEntry, Transcript


def test_load_sample_brings_every_session_once(db: None) -> None:
    campaign = sample.load_sample()
    first = Transcript.objects.count()
    sample.load_sample()

    assert first == campaign.sessions.count() >= 3
    assert Transcript.objects.count() == first


def test_sessions_never_run_leave_out_what_was_started(db: None) -> None:
    sample.load_sample()
    before = sample.sessions_never_run()

    runs.start(session=before[0], pipeline=plans.default_pipeline(), lanes=None, by=None)

    assert sample.sessions_never_run() == before[1:]


def test_sessions_never_run_without_the_sample_are_none(db: None) -> None:
    assert sample.sessions_never_run() == []


def test_first_admin_can_log_in(db: None) -> None:
    made = accounts.make_first_admin()

    assert made is not None
    user = authenticate(username=made[0], password=made[1])
    assert user is not None
    assert user.is_superuser
    assert made[1] not in str(list(AuditEntry.objects.values()))


def test_first_admin_is_made_once(db: None) -> None:
    accounts.make_first_admin()

    assert accounts.make_first_admin() is None


def test_first_admin_beside_an_ordinary_user_of_that_name(db: None) -> None:
    User.objects.create_user("admin")

    made = accounts.make_first_admin()

    assert made is not None
    assert made[0] != "admin"


def test_first_admin_that_cannot_be_audited_is_not_made(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("campaigns.actions.audit.record", refuse)

    with pytest.raises(RuntimeError):
        accounts.make_first_admin()

    assert not User.objects.exists()
