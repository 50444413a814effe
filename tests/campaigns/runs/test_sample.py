from __future__ import annotations

import io
from pathlib import Path

import orjson
import pytest
from django.conf import LazySettings, settings
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.utils import timezone
from jsonschema import Draft202012Validator

from campaigns import sample
from campaigns.actions import accounts, plans, runs, versions
from campaigns.management import following
from campaigns.management.commands.up import Command
from campaigns.models import ArtifactVersion, AuditEntry, Run, Transcript
from extraction.registry import LANES
from tests import factories
from tests.loopback import ScriptedServer


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


def test_sample_session_run_to_its_end_has_ten_valid_artifacts(db: None) -> None:
    sample.load_sample()
    session = sample.sessions_never_run()[0]
    run = runs.start(session=session, pipeline=plans.default_pipeline(), lanes=None, by=None)
    stream = io.StringIO()

    following.work_inline(run, label="Sample", stream=stream)

    run.refresh_from_db()
    versions = {version.artifact.lane: version for version in ArtifactVersion.objects.select_related("artifact")}
    assert run.state == Run.State.SUCCEEDED
    assert set(versions) == set(LANES)
    for lane, version in versions.items():
        schema = settings.ASSETS_DIR / "dnd" / LANES[lane].family.replace("-", "_") / "artifact.schema.json"
        Draft202012Validator(orjson.loads(schema.read_bytes())).validate(orjson.loads(version.payload))
        assert version.record_count > 0
    assert f"{len(LANES)} of {len(LANES)} lanes" in stream.getvalue()


def test_up_leaves_a_models_work_to_the_worker(
    db: None, monkeypatch: pytest.MonkeyPatch, settings: LazySettings, tmp_path: Path
) -> None:
    """A first start with a slow model must not keep people from the site for as long as three sessions take."""
    settings.STATIC_ROOT = tmp_path / "static"
    with ScriptedServer() as server:
        monkeypatch.setenv("NOTARIUS_LLM_BASE_URL", server.base_url)
        monkeypatch.setenv("NOTARIUS_LLM_MODEL", "test-model")
        Command(stdout=io.StringIO())._prepare()

    assert {run.state for run in Run.objects.all()} == {Run.State.QUEUED}
    assert sample.sessions_never_run() == []
    assert server.requests == []


def test_sessions_never_run_without_the_sample_are_none(db: None) -> None:
    assert sample.sessions_never_run() == []


def test_first_admin_can_log_in(db: None) -> None:
    accounts.make_first_admin()

    given = accounts.give_first_password()

    assert given is not None
    user = authenticate(username=given[0], password=given[1])
    assert user is not None
    assert user.is_superuser
    assert given[1] not in str(list(AuditEntry.objects.values()))


def test_first_password_is_given_once(db: None) -> None:
    accounts.make_first_admin()
    accounts.give_first_password()

    assert accounts.give_first_password() is None


def test_first_password_is_not_given_to_an_admin_who_signed_in_another_way(db: None) -> None:
    admin = accounts.make_first_admin()
    assert admin is not None
    User.objects.filter(pk=admin.pk).update(last_login=timezone.now())

    assert accounts.give_first_password() is None


def test_first_password_is_not_given_where_there_are_several_admins(db: None) -> None:
    accounts.make_first_admin()
    User.objects.create_superuser("boss", password=None)

    assert accounts.give_first_password() is None


def test_first_admin_is_made_once(db: None) -> None:
    accounts.make_first_admin()

    assert accounts.make_first_admin() is None


def test_first_admin_beside_an_ordinary_user_of_that_name(db: None) -> None:
    User.objects.create_user("admin")

    made = accounts.make_first_admin()

    assert made is not None
    assert made.username != "admin"


def test_first_admin_that_cannot_be_audited_is_not_made(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("campaigns.actions.audit.record", refuse)

    with pytest.raises(RuntimeError):
        accounts.make_first_admin()

    assert not User.objects.exists()


def test_sample_approves_its_early_evenings_and_leaves_the_last_to_review(db: None) -> None:
    accounts.make_first_admin()
    campaign = sample.load_sample()
    runs_made = {}
    for number in (1, 3):
        transcript = Transcript.objects.get(session__campaign=campaign, session__number=number)
        lane_run = factories.make_lane_run(transcript)
        versions.publish(lane_run=lane_run, result=factories.make_result(transcript, {"Pim": ((1, 1),)}))
        runs_made[number] = lane_run.run

    assert {number: sample.approve_evening(run) for number, run in runs_made.items()} == {1: 1, 3: 0}
    states = ArtifactVersion.objects.order_by("artifact__session__number").values_list("state", "decided_by__username")
    assert list(states) == [("approved", "admin"), ("pending", None)]


def test_sample_without_an_admin_approves_nothing(db: None) -> None:
    transcript = Transcript.objects.get(session__campaign=sample.load_sample(), session__number=1)
    lane_run = factories.make_lane_run(transcript)
    versions.publish(lane_run=lane_run, result=factories.make_result(transcript, {"Pim": ((1, 1),)}))

    assert sample.approve_evening(lane_run.run) == 0
