from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from campaigns.actions import versions
from campaigns.models import ArtifactVersion, Campaign
from tests import factories
from tests.campaigns.review import families


@pytest.fixture
def pending(campaign: Campaign) -> ArtifactVersion:
    return factories.make_version(factories.make_transcript(factories.make_session(campaign, 3)))


def home(user: User | None) -> str:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client.get("/").content.decode()


def test_home_shows_a_game_master_what_waits_for_a_decision(gm: User, reader: User, pending: ArtifactVersion) -> None:
    link = f"/review/sessions/{pending.artifact.session_id}/"

    assert link in home(gm)
    assert "1 to review" in home(gm)
    assert link not in home(reader)
    assert "The Salt Ferry" in home(reader)


def test_home_leads_a_game_master_to_every_session(gm: User, campaign: Campaign, pending: ArtifactVersion) -> None:
    idle = factories.make_session(campaign, 4)
    html = home(gm)

    assert f"/review/sessions/{idle.pk}/" in html
    assert "Other sessions (1)" in html


def test_home_counts_what_is_approved_of_each_kind(gm: User, pending: ArtifactVersion) -> None:
    transcript = pending.transcript
    lists = {"items": [families.item(transcript, "Clapper")], "locations": [families.place(transcript, "Saltwick")]}
    for version in (pending, *(families.make_version(transcript, *each) for each in lists.items())):
        versions.approve(version_id=version.pk, note="", by=gm)

    assert "1 session, 4 people, 1 item, 1 place" in home(gm)


def test_home_takes_a_constant_number_of_queries(gm: User, campaign: Campaign) -> None:
    counts = []
    for number in range(1, 7):
        factories.make_version(factories.make_transcript(factories.make_session(campaign, number)))
        with CaptureQueriesContext(connection) as seen:
            home(gm)
        counts.append(len(seen))

    assert len(set(counts)) == 1


def test_home_shows_nobody_public_campaigns_alone(campaign: Campaign) -> None:
    before = home(None)
    campaign.public = True
    campaign.save(update_fields=["public"])

    assert "The Salt Ferry" not in before
    assert "No campaign here is public" in before
    assert "The Salt Ferry" in home(None)


def test_home_tells_a_person_without_campaigns_what_to_do(db: None) -> None:
    assert "load_campaign FILE.toml" in home(factories.make_user("new"))


def test_login_form_serves_people_without_the_staff_flag(gm: User) -> None:
    gm.set_password("lantern-and-oar")
    gm.save(update_fields=["password"])
    client = Client()
    wrong = client.post("/login/", {"login": gm.username, "password": "no"})
    right = client.post("/login/", {"login": gm.username, "password": "lantern-and-oar"})
    out = client.post("/logout/")

    assert (wrong.status_code, right.status_code, right["Location"], out["Location"]) == (200, 302, "/", "/")


@pytest.mark.parametrize("path", ["/nowhere", "/review/versions/9/nothing", "/admin-nothing"])
def test_page_that_is_not_there_is_answered_in_our_look(path: str, db: None) -> None:
    got = Client().get(path)

    assert got.status_code == 404
    assert "notarius/notarius.css" in got.content.decode()


def test_fault_of_ours_is_answered_in_our_look(
    gm: User, pending: ArtifactVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("campaigns.review.read_version", broken)
    client = Client(raise_request_exception=False)
    client.force_login(gm)
    got = client.get(f"/review/versions/{pending.pk}/")

    assert got.status_code == 500
    assert "Something went wrong on our side" in got.content.decode()
