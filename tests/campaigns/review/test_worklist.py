from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.html import escape

from campaigns.models import ArtifactVersion, Campaign, GameSession, LaneRun, Membership, Run
from campaigns.remedies import remedy_for
from campaigns.wording import LANE_NAMES
from campaigns.worklist import Pending, lanes_to_run, minutes_of, work_in
from extraction.codes import Code
from extraction.findings import warning
from extraction.source.documents import SourceUnit
from tests import factories
from tests.campaigns.review import families
from tests.campaigns.review.test_page import signed_in
from tests.standard import UNITS

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"


@pytest.fixture
def session(campaign: Campaign) -> GameSession:
    return factories.make_session(campaign, 3)


def page(user: User) -> str:
    return signed_in(user).get("/review/").content.decode()


def fill(session: GameSession) -> dict[str, ArtifactVersion]:
    transcript = factories.make_transcript(session)
    made = families.one_of_each(transcript)
    return {family: families.make_version(transcript, family, records) for family, records in made.items()}


def stop(session: GameSession, **states: str) -> Run:
    transcript = session.transcripts.latest("revision")
    lanes = {f"dnd/{key.replace('_', '-')}": state for key, state in states.items()}
    run = factories.make_run(transcript, lanes=tuple(lanes), state="failed")
    for key, state in lanes.items():
        LaneRun.objects.filter(run=run, key=key).update(
            state=state, error_code=Code.LLM_TRUNCATED.value, error_message=f"Chunk 4 {HOSTILE}"
        )
    return run


@pytest.mark.parametrize(
    ("who", "status"), [("gm", 200), ("admin", 200), ("player", 404), ("reader", 404), ("outsider", 200)]
)
def test_worklist_is_for_game_masters_and_site_admins(
    who: str, status: int, request: pytest.FixtureRequest, session: GameSession
) -> None:
    assert signed_in(request.getfixturevalue(who)).get("/review/").status_code == status


def test_worklist_names_no_campaign_of_others(outsider: User, session: GameSession) -> None:
    factories.make_transcript(session)

    assert f"/review/sessions/{session.pk}/" not in page(outsider)


def test_worklist_leads_nobody_to_the_login_form(session: GameSession) -> None:
    got = Client().get("/review/")

    assert (got.status_code, got["Location"]) == (302, "/login/?next=/review/")


def test_worklist_shows_only_campaigns_that_one_manages(gm: User, session: GameSession) -> None:
    other = factories.make_campaign("tin-court", name="The Tin Court", public=True)
    factories.make_membership(other, gm, Membership.Role.PLAYER)
    fill(factories.make_session(other, 9))

    assert "The Tin Court" not in page(gm)


def test_worklist_counts_records_merges_warnings_and_turns(gm: User, session: GameSession) -> None:
    made = fill(session)
    ArtifactVersion.objects.filter(pk=made["npcs"].pk).update(
        consolidations={
            "applied": [{"id": "x", "canonical": "Wick", "members": []}],
            "proposals": [
                {"members": ["a", "b"], "canonical": "a", "verdict": verdict}
                for verdict in ("applied", "reconcile.conflict")
            ],
        },
        findings=[
            warning(Code.EVIDENCE_UNRELATED, "record[0]").as_json(),
            warning(Code.EVIDENCE_UNRELATED, "more", left_out=4).as_json(),
        ],
    )
    html = re.sub(r"<[^>]+>", "", page(gm))

    assert "1 record, 1 merge, 1 merge left out, 5 warnings" in html
    assert "1 turn\n" in html
    assert "10 versions wait for your judgement" in html


def test_worklist_puts_failures_first_then_registries_before_what_reads_them(gm: User, campaign: Campaign) -> None:
    older, newer = factories.make_session(campaign, 1), factories.make_session(campaign, 2)
    fill(newer)
    fill(older)
    stop(older, spells="failed", npc_occurrences="blocked")
    html = page(gm)
    order = [
        html.index(f'id="{part}-{session.pk}"')
        for part, session in (("stopped", older), ("pending", newer), ("pending", older))
    ]
    (work,) = work_in([campaign])

    assert order == sorted(order)
    assert [version.lane for version in work.sessions[0].pending] == list(LANE_NAMES)
    assert [lane.lane for lane in work.stopped[0].stopped] == ["dnd/npc-occurrences", "dnd/spells"]
    assert remedy_for(Code.LLM_TRUNCATED) in html
    assert HOSTILE not in html
    assert str(escape(HOSTILE)) in html


def test_work_in_puts_campaigns_with_work_before_idle_ones(campaign: Campaign) -> None:
    idle, pending, failed = (factories.make_campaign(name=name) for name in ("A", "B", "C"))
    fill(factories.make_session(pending, 1))
    session = factories.make_session(failed, 1)
    factories.make_transcript(session)
    stop(session, spells="failed")

    assert [work.name for work in work_in([idle, pending, failed])] == ["C", "B", "A"]


def test_work_in_knows_what_never_ran_what_is_at_work_and_what_has_no_transcript(campaign: Campaign) -> None:
    empty, begun = factories.make_session(campaign, 1), factories.make_session(campaign, 2)
    transcript = factories.make_transcript(begun)
    factories.make_version(transcript)
    run = factories.make_run(transcript, lanes=("dnd/items", "dnd/spells"))
    LaneRun.objects.filter(run=run, key="dnd/items").update(chunks_done=3, chunks_total=9)
    (work,) = work_in([campaign])

    assert [session.pk for session in work.without_transcript] == [empty.pk]
    assert work.sessions[0].unmade == tuple(
        key for key in LANE_NAMES if key not in ("dnd/npcs", "dnd/items", "dnd/spells")
    )
    assert [(lane.lane, lane.progress) for lane in work.sessions[0].at_work] == [
        ("dnd/items", "3 of 9 chunks"),
        ("dnd/spells", "running"),
    ]


def test_work_in_forgets_a_failure_that_a_later_run_mended(campaign: Campaign, session: GameSession) -> None:
    factories.make_transcript(session)
    stop(session, spells="failed")
    stop(session, spells="succeeded")

    assert work_in([campaign])[0].stopped == ()


def test_work_in_marks_versions_of_an_earlier_transcript(campaign: Campaign, session: GameSession) -> None:
    factories.make_version(factories.make_transcript(session))
    factories.make_transcript(session, [*UNITS, SourceUnit(999, "Yun", "One more.")])

    assert work_in([campaign])[0].sessions[0].pending[0].outdated


def test_worklist_renews_what_was_made_from_an_earlier_transcript(
    gm: User, campaign: Campaign, session: GameSession
) -> None:
    old = factories.make_version(factories.make_transcript(session), state="approved")
    factories.make_transcript(session, [*UNITS, SourceUnit(999, "Yun", "One more.")])
    (work,) = work_in([campaign])
    html = page(gm)

    assert [(lane.version_id, lane.lane) for lane in work.sessions[0].stale] == [(old.pk, "dnd/npcs")]
    assert "The transcript is at revision 2; this was made from revision 1." in html
    assert "Renew it" in html


def test_work_in_renews_what_read_another_version_of_a_registry_unless_it_is_at_work(
    campaign: Campaign, session: GameSession
) -> None:
    made = fill(session)
    bound = {"lane": "dnd/npcs", "version": 0, "why": "approved", "digest": "of another one"}
    ArtifactVersion.objects.filter(pk=made["npcs"].pk).update(state="approved")
    ArtifactVersion.objects.filter(pk=made["npc-occurrences"].pk).update(manifest={"references": {"npcs": bound}})
    before = work_in([campaign])[0].sessions[0].stale
    factories.make_run(session.transcripts.get(), lanes=("dnd/npc-occurrences",))

    assert [lane.lane for lane in before] == ["dnd/npc-occurrences"]
    assert "NPCs are approved in version 1" in before[0].reasons[0]
    assert work_in([campaign])[0].stale == ()


@pytest.mark.parametrize(
    ("version", "minutes"),
    [
        pytest.param(Pending("dnd/npcs", 1, 1, 0, 0, 0, 0, False), 0, id="nothing"),
        pytest.param(Pending("dnd/npcs", 1, 1, 1, 0, 0, 0, False), 1, id="rounded-up"),
        pytest.param(Pending("dnd/combat-turns", 1, 1, 30, 0, 0, 0, False), 10, id="turns-take-longer"),
        pytest.param(Pending("dnd/npcs", 1, 1, 15, 4, 9, 15, False), 5, id="merges-and-warnings-count"),
    ],
)
def test_minutes_follow_the_rule(version: Pending, minutes: int) -> None:
    assert version.minutes == minutes == minutes_of(version.seconds)


def test_worklist_says_what_to_do_where_nothing_waits(gm: User, campaign: Campaign) -> None:
    html = page(gm)

    assert "Nothing waits for you" in html
    assert "import_transcript FILE --campaign salt-ferry" in html


def test_worklist_tells_a_site_admin_without_campaigns_how_to_load_one(db: None) -> None:
    assert "load_campaign FILE.toml" in page(factories.make_user(superuser=True))


def test_worklist_takes_a_constant_number_of_queries(gm: User, campaign: Campaign) -> None:
    counts = []
    for number in range(1, 4):
        made = factories.make_session(campaign, number)
        fill(made)
        stop(made, spells="failed", items="failed")
        with CaptureQueriesContext(connection) as seen:
            page(gm)
        counts.append(len(seen))

    assert len(set(counts)) == 1


def test_worklist_stays_small_over_many_sessions(gm: User, campaign: Campaign) -> None:
    for number in range(1, 41):
        fill(factories.make_session(campaign, number))
    html = page(gm)

    assert html.count('class="versions"') == 12
    assert html.count('class="work-more"') == 28
    assert len(html) < 100_000


def test_worklist_has_no_inline_script_style_or_handler(gm: User, session: GameSession) -> None:
    fill(session)
    factories.make_run(session.transcripts.get(), lanes=("dnd/spells",), state="failed")

    assert not re.search(r" style=|<style| on[a-z]+=|<script>", page(gm))


# ---- the button ----


def test_button_starts_a_run_of_just_those_lanes(gm: User, session: GameSession) -> None:
    factories.make_transcript(session)
    stop(session, npcs="failed", npc_occurrences="blocked")
    got = signed_in(gm).post(
        f"/review/sessions/{session.pk}/lanes", {"lanes": ["dnd/npcs", "dnd/npc-occurrences"]}, follow=True
    )
    run = Run.objects.latest("pk")

    assert sorted(run.lanes.values_list("key", flat=True)) == ["dnd/npc-occurrences", "dnd/npcs"]
    assert run.created_by == gm
    assert "NPCs, NPC occurrences will be made next" in got.content.decode()


def test_button_pressed_twice_starts_one_run(gm: User, session: GameSession) -> None:
    factories.make_transcript(session)
    client = signed_in(gm)
    for _ in range(2):
        got = client.post(f"/review/sessions/{session.pk}/lanes", {"lanes": ["dnd/npcs"]}, follow=True)

    assert Run.objects.count() == 1
    assert "at work already" in got.content.decode()


def test_button_says_which_registry_is_wanted_and_starts_nothing(gm: User, session: GameSession) -> None:
    factories.make_transcript(session)
    got = signed_in(gm).post(f"/review/sessions/{session.pk}/lanes", {"lanes": ["dnd/npc-occurrences"]}, follow=True)

    assert "Run dnd/npcs first" in got.content.decode()
    assert not Run.objects.exists()


@pytest.mark.parametrize("lanes", [[], ["dnd/nothing"], [HOSTILE]])
def test_button_ignores_lanes_that_there_are_not(lanes: list[str], gm: User, session: GameSession) -> None:
    factories.make_transcript(session)
    got = signed_in(gm).post(f"/review/sessions/{session.pk}/lanes", {"lanes": lanes})

    assert (got.status_code, got["Location"]) == (302, "/review/")
    assert not Run.objects.exists()


@pytest.mark.parametrize(("who", "status"), [("admin", 302), ("player", 404), ("reader", 404), ("outsider", 404)])
def test_button_is_for_game_masters_and_site_admins(
    who: str, status: int, request: pytest.FixtureRequest, session: GameSession
) -> None:
    factories.make_transcript(session)
    client = signed_in(request.getfixturevalue(who))
    address = f"/review/sessions/{session.pk}/lanes"

    assert client.post(address, {"lanes": ["dnd/npcs"]}).status_code == status
    assert Run.objects.exists() == (status == 302)
    assert client.get(address).status_code == 405


def test_button_needs_a_login_and_the_token_of_the_form(gm: User, session: GameSession) -> None:
    factories.make_transcript(session)
    address = f"/review/sessions/{session.pk}/lanes"
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(gm)

    assert Client().post(address, {"lanes": ["dnd/npcs"]})["Location"] == "/login/?next=/review/"
    assert strict.post(address, {"lanes": ["dnd/npcs"]}).status_code == 403
    assert not Run.objects.exists()


def test_lanes_to_run_leaves_those_at_work_alone(session: GameSession) -> None:
    factories.make_run(factories.make_transcript(session), lanes=("dnd/items",))

    assert lanes_to_run(session, ["dnd/spells", "dnd/items", "dnd/npcs", "dnd/npcs"]) == ["dnd/npcs", "dnd/spells"]


# ---- the way there ----


def test_worklist_is_linked_from_home_for_game_masters_and_from_the_admin(
    gm: User, player: User, admin: User, session: GameSession
) -> None:
    link = 'href="/review/"'

    assert link in signed_in(gm).get("/").content.decode()
    assert link not in signed_in(player).get("/").content.decode()
    assert link not in Client().get("/").content.decode()
    assert link in signed_in(admin).get("/admin/").content.decode()
