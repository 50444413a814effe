"""A campaign that is deleted leaves nothing of itself, and nothing of others goes with it."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from campaigns.actions import plans, runs, sessions, versions
from campaigns.actions.removal import contents, remove_campaign
from campaigns.actions.work import work
from campaigns.adapters import uploads
from campaigns.errors import ActionError, Conflict
from campaigns.keeping.tables import kept_models
from campaigns.models import AuditEntry, Campaign, Membership, Run, Unit
from tests.factories import make_campaign, make_membership, make_session, make_transcript, make_user, make_version

pytestmark = pytest.mark.django_db


def filled(slug: str) -> Campaign:
    """A campaign with a transcript, a finished run and an approved registry."""
    campaign = make_campaign(slug)
    transcript = make_transcript(make_session(campaign))
    run = runs.start(session=transcript.session, pipeline=plans.named_pipeline("npcs-only"), lanes=None, by=None)
    work(lane_id=run.lanes.get().pk)
    version = transcript.session.artifacts.get().versions.get()
    versions.approve(version_id=version.pk, note="", by=make_user())
    return campaign


def rows() -> dict[str, int]:
    left_out = {"campaigns.AuditEntry", "auth.User", "auth.Permission", "contenttypes.ContentType"}
    return {
        model._meta.label: model._base_manager.count() for model in kept_models() if model._meta.label not in left_out
    }


def test_nothing_of_a_deleted_campaign_stays() -> None:
    filled("the-other")
    before = rows()
    campaign = filled("the-one")
    assert rows() != before
    remove_campaign(campaign=campaign, confirmed="the-one", by=None)

    assert rows() == before


def test_the_audit_keeps_counts_and_no_words() -> None:
    campaign = filled("the-one")
    told = contents(campaign)
    key = campaign.pk
    remove_campaign(campaign=campaign, confirmed="the-one", by=None)
    entry = AuditEntry.objects.get(act="campaign.remove")

    assert entry.subject == f"campaign:{key}"
    assert entry.facts == {name.replace(" ", "_"): count for name, count in told.items()}
    assert told["lines"] > 0


@pytest.mark.parametrize("removed", ["campaign", "session"])
def test_files_that_wait_to_be_uploaded_go_too(
    removed: str,
    settings: Settings,
    tmp_path: Path,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    settings.DATA_DIR = tmp_path
    session, other = make_session(), make_session().campaign
    mine = session.campaign
    for campaign in (mine, other):
        uploads.keep(chunks=[b"Ida: Hm."], name="a.vtt", campaign=campaign, user_id=1)
    with django_capture_on_commit_callbacks(execute=True):
        if removed == "campaign":
            remove_campaign(campaign=mine, confirmed=mine.slug, by=None)
        else:
            sessions.remove(session_id=session.pk, by=None)

    assert [path.name.split("-")[1] for path in (tmp_path / uploads.FOLDER).iterdir()] == [str(other.pk)]


def test_a_file_that_cannot_be_removed_keeps_no_other_and_its_token_is_not_logged(
    settings: Settings, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings.DATA_DIR = tmp_path
    token = uploads.keep(chunks=[b"x"], name="a.vtt", campaign=make_campaign("the-one"), user_id=1)
    (path,) = (tmp_path / uploads.FOLDER).iterdir()
    key = int(path.name.split("-")[1])
    for user in (2, 3):
        path.with_name(path.name.replace("1-", f"{user}-", 1)).mkdir()
    uploads.discard_all(campaign_id=key)

    assert not path.exists()
    assert caplog.text.count("could not be removed") == 2
    assert token not in caplog.text


@pytest.mark.parametrize("confirmed", ["", "the-two", "THE-ONE"])
def test_nothing_goes_without_the_short_name(confirmed: str) -> None:
    campaign = make_campaign("the-one")
    with pytest.raises(ActionError):
        remove_campaign(campaign=campaign, confirmed=confirmed, by=None)

    assert Campaign.objects.filter(pk=campaign.pk).exists()


def test_a_campaign_at_work_stays_until_its_run_is_cancelled() -> None:
    version = make_version()
    session = version.artifact.session
    run = Run.objects.create(session=session, transcript=version.transcript, pipeline="x", plan={"lanes": []})
    with pytest.raises(Conflict):
        remove_campaign(campaign=session.campaign, confirmed=session.campaign.slug, by=None)
    runs.cancel(run=run, by=None)
    remove_campaign(campaign=session.campaign, confirmed=session.campaign.slug, by=None)

    assert not Unit.objects.exists()


def test_a_fault_in_the_middle_leaves_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = filled("the-one")
    before = rows()

    def fail(*args: object, **kwargs: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(Campaign, "delete", fail)
    with pytest.raises(RuntimeError):
        remove_campaign(campaign=campaign, confirmed="the-one", by=None)

    assert rows() == before
    assert connection.in_atomic_block


def test_a_game_master_sees_what_would_go_and_deletes(client: Client) -> None:
    campaign = filled("the-one")
    gm = make_user()
    make_membership(campaign, gm, Membership.Role.GM)
    client.force_login(gm)
    seen = client.get("/campaigns/the-one/delete/")
    wrong = client.post("/campaigns/the-one/delete/", {"confirmed": "one"})
    right = client.post("/campaigns/the-one/delete/", {"confirmed": "the-one"})

    assert (seen.status_code, wrong.status_code, right.status_code) == (200, 400, 302)
    assert not Campaign.objects.exists()


def test_a_player_finds_no_such_page(client: Client) -> None:
    campaign = make_campaign("the-one")
    player = make_user()
    make_membership(campaign, player, Membership.Role.PLAYER)
    client.force_login(player)

    assert client.post("/campaigns/the-one/delete/", {"confirmed": "the-one"}).status_code == 404
    assert Campaign.objects.exists()


def test_the_command_tells_and_deletes_only_with_yes() -> None:
    make_campaign("the-one")
    with pytest.raises(CommandError, match="--yes"):
        call_command("delete_campaign", "the-one")
    assert Campaign.objects.exists()
    call_command("delete_campaign", "the-one", yes=True)

    assert not Campaign.objects.exists()
