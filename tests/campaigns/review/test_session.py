"""The page of one session."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.html import escape

from campaigns.actions import versions
from campaigns.models import ArtifactVersion, Campaign, GameSession, LaneRun
from campaigns.overview import overview_of
from campaigns.remedies import remedy_for
from campaigns.wording import LANE_NAMES, sentence_for
from extraction.codes import Code
from extraction.findings import rejection, warning
from tests import factories
from tests.campaigns.review import families
from tests.standard import UNITS

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
def session(campaign: Campaign) -> GameSession:
    return factories.make_session(campaign, 3, f"Low water {HOSTILE}")


@pytest.fixture
def full(session: GameSession) -> list[ArtifactVersion]:
    """A pending version of each family."""
    transcript = factories.make_transcript(session)
    records = families.one_of_each(transcript)
    return [families.make_version(transcript, family, records[family]) for family in records]


def page(user: User, session: GameSession) -> str:
    client = Client()
    client.force_login(user)
    return client.get(f"/review/sessions/{session.pk}/").content.decode()


@pytest.mark.parametrize(
    ("who", "status"), [("gm", 200), ("admin", 200), ("player", 404), ("reader", 404), ("outsider", 404)]
)
def test_session_page_is_for_game_masters_and_site_admins(
    who: str, status: int, request: pytest.FixtureRequest, session: GameSession
) -> None:
    client = Client()
    client.force_login(request.getfixturevalue(who))

    assert client.get(f"/review/sessions/{session.pk}/").status_code == status
    assert client.get("/review/sessions/99999/").status_code == 404


def test_session_page_leads_nobody_to_the_login_form(session: GameSession) -> None:
    path = f"/review/sessions/{session.pk}/"

    assert Client().get(path)["Location"] == f"/login/?next={path}"


def test_session_page_lists_the_ten_artifacts_with_their_reviews(
    gm: User, session: GameSession, full: list[ArtifactVersion]
) -> None:
    html = page(gm, session)

    assert [name for name in LANE_NAMES.values() if f">{name}</th>" not in html] == []
    assert [version for version in full if f"/review/versions/{version.pk}/" not in html] == []
    assert "10 of 10 artifacts wait for a decision" in html
    assert HOSTILE not in html
    assert escape(HOSTILE) in html


def test_session_page_shows_the_approved_version_beside_a_newer_one(
    gm: User, session: GameSession, full: list[ArtifactVersion]
) -> None:
    old = full[0]
    versions.approve(version_id=old.pk, note="", by=gm)
    newer = families.make_version(factories.make_transcript(session, UNITS[:5]), "scenes", [])
    rows = next(lane for lane in overview_of(session).lanes if lane.lane == "dnd/scenes").versions
    html = page(gm, session)

    assert [(row.pk, row.state, row.outdated) for row in rows] == [
        (newer.pk, "pending", False),
        (old.pk, "approved", True),
    ]
    assert "of an earlier transcript" in html


def test_session_page_counts_warnings_that_were_left_out(
    gm: User, session: GameSession, full: list[ArtifactVersion]
) -> None:
    findings = [warning(Code.EVIDENCE_UNRELATED, "record[0]"), warning(Code.EVIDENCE_UNRELATED, "more", left_out=40)]
    ArtifactVersion.objects.filter(pk=full[0].pk).update(findings=[finding.as_json() for finding in findings])

    assert overview_of(session).lanes[0].versions[0].warnings == 41


@pytest.mark.parametrize("state", ["failed", "blocked"])
def test_session_page_says_why_a_lane_gave_nothing_and_what_to_do(state: str, gm: User, session: GameSession) -> None:
    run = factories.make_run(factories.make_transcript(session), lanes=("dnd/spells", "dnd/npcs"), state="failed")
    found = [rejection(Code.EVIDENCE_OUTSIDE_CHUNK, f"chunk[{n}]").as_json() for n in range(3)]
    LaneRun.objects.filter(run=run, key="dnd/spells").update(
        state=state, error_code=Code.EXTRACT_INVALID.value, error_message=f"Chunk 2 {HOSTILE}", findings=found
    )
    LaneRun.objects.filter(run=run, key="dnd/npcs").update(state="succeeded")
    html = page(gm, session)

    assert remedy_for(Code.EXTRACT_INVALID) in html
    assert html.count(str(escape(sentence_for(found[0])))) == 1
    assert HOSTILE not in html
    assert "1 could not be made" in html


def test_session_page_forgets_a_failure_that_a_later_run_mended(gm: User, session: GameSession) -> None:
    transcript = factories.make_transcript(session)
    factories.make_run(transcript, lanes=("dnd/npcs",), state="failed")
    factories.make_run(transcript, lanes=("dnd/npcs",), state="succeeded")

    assert overview_of(session).troubled == 0


def test_session_page_shows_how_far_a_lane_is(gm: User, session: GameSession) -> None:
    run = factories.make_run(factories.make_transcript(session), lanes=("dnd/items",))
    LaneRun.objects.filter(run=run).update(chunks_done=3, chunks_total=9)

    assert "At work: 3 of 9 chunks" in page(gm, session)


def test_session_page_without_a_transcript_says_what_to_do(gm: User, session: GameSession) -> None:
    html = page(gm, session)

    assert "import_transcript FILE --campaign salt-ferry --session 3" in html
    assert html.count("None yet") == 10


def test_session_page_takes_a_constant_number_of_queries(gm: User, campaign: Campaign) -> None:
    counts = []
    for number, runs in ((1, 0), (2, 12)):
        session = factories.make_session(campaign, number)
        transcript = factories.make_transcript(session)
        for family, records in families.one_of_each(transcript).items():
            if runs:
                families.make_version(transcript, family, records)
        for _ in range(runs):
            factories.make_run(transcript, lanes=tuple(LANE_NAMES), state="failed")
        with CaptureQueriesContext(connection) as seen:
            page(gm, session)
        counts.append(len(seen))

    assert counts[0] == counts[1]


def test_session_page_has_no_inline_script_style_or_handler(
    gm: User, session: GameSession, full: list[ArtifactVersion]
) -> None:
    html = page(gm, session)

    assert not re.search(r" style=|<style| on[a-z]+=|<script>", html)
