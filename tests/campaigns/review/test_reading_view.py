"""A session's units with what cites them: the reading, its page and its fragments."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.html import escape

from campaigns.coverage import State
from campaigns.models import ArtifactVersion, Campaign, GameSession, LaneRun, Transcript
from campaigns.reading import NOBODY, Filter, Reading, Show, citing, citing_of, read_session
from campaigns.review import BLOCK, FIRST_STRETCH
from campaigns.wording import LANE_NAMES
from extraction.codes import Code
from extraction.findings import warning
from extraction.source.documents import SourceUnit
from tests import factories
from tests.campaigns.review import families
from tests.campaigns.review.test_page import signed_in
from tests.standard import UNITS

SMALL = 160_000
HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"


@pytest.fixture
def session(campaign: Campaign) -> GameSession:
    return factories.make_session(campaign, 3)


@pytest.fixture
def transcript(session: GameSession) -> Transcript:
    return factories.make_transcript(session)


@pytest.fixture
def versions(transcript: Transcript) -> dict[str, ArtifactVersion]:
    made = families.one_of_each(transcript)
    return {family: families.make_version(transcript, family, records) for family, records in made.items()}


def read(session: GameSession) -> Reading:
    found = read_session(session)
    assert found is not None
    return found


def page(client: Client, session: GameSession, query: str = "") -> str:
    return client.get(f"/review/sessions/{session.pk}/units{query}").content.decode()


def place(unit_id: int) -> int:
    return next(at for at, unit in enumerate(UNITS) if unit.unit_id == unit_id)


# ---- what cites what ----


def test_citing_names_each_lane_that_cites_the_unit_with_the_piece_that_does(
    session: GameSession, versions: dict[str, ArtifactVersion]
) -> None:
    reading = read(session)
    groups = citing(reading.lanes, place(206))

    assert "Combat turns" not in [group.lane for group in groups]
    assert "Scenes" not in [group.lane for group in groups]
    assert [
        (group.version_id, [(row.record, row.at) for row in group.records]) for group in groups if group.lane == "NPCs"
    ] == [(versions["npcs"].pk, [(0, 1)])]


def test_citing_is_empty_for_a_unit_that_nothing_cites(
    client: Client, session: GameSession, versions: dict[str, ArtifactVersion]
) -> None:
    reading = read(session)
    uncited = reading.cited_by_any().index(0)
    path = f"/review/sessions/{session.pk}/citing?unit={UNITS[uncited].unit_id}"

    assert citing(reading.lanes, uncited) == ()
    assert "No record cites unit" in client.get(path).content.decode()


def test_citing_bounds_what_it_lists_and_counts_the_rest(session: GameSession, transcript: Transcript) -> None:
    families.make_version(
        transcript,
        "npcs",
        [
            {"id": str(n), "name": f"Guard {n}", "source_refs": families.refs(transcript, ((50, 50),))}
            for n in range(70)
        ],
    )
    group = citing(read(session).lanes, place(50))[0]

    assert (len(group.records), group.more, group.total) == (50, 20, 70)


def test_citing_of_a_version_knows_its_own_records_alone(versions: dict[str, ArtifactVersion]) -> None:
    turns = citing_of(versions["combat-turns"], 202)
    scenes = citing_of(versions["scenes"], 50)

    assert turns is not None
    assert [row.shown.heading for group in turns for row in group.records] == ["Corwen"]
    assert scenes is not None
    assert [row.shown.heading for group in scenes for row in group.records] == ["The pier at dusk"]
    assert citing_of(versions["npcs"], 99_999) is None


def test_reading_takes_the_newest_usable_version_of_the_newest_transcript(session: GameSession) -> None:
    first = factories.make_transcript(session)
    old = families.make_version(first, "items", [families.item(first, "Clapper")])
    second = factories.make_transcript(session, [*UNITS, SourceUnit(999, "Yun", "One more.")])
    approved = families.make_version(second, "npcs", [], state="approved")
    pending = factories.make_version(second)
    factories.make_version(second, {}, state="rejected")
    reading = read(session)

    assert {lane.version_id for lane in reading.lanes} == {pending.pk, old.pk}
    assert (reading.carried, reading.lost) == (("Items",), 0)
    assert approved.pk not in {lane.version_id for lane in reading.lanes}


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        pytest.param([], State.UNSENT, id="never-run"),
        pytest.param(["succeeded"], State.READ, id="read"),
        pytest.param(["failed"], State.FAILED, id="failed"),
        pytest.param(["blocked"], State.UNSENT, id="blocked-sent-nothing"),
        pytest.param(["failed", "running"], State.UNSENT, id="at-work-again"),
        pytest.param(["succeeded", "failed"], State.READ, id="read-before-it-failed"),
    ],
)
def test_state_of_a_lane_is_what_its_runs_of_this_transcript_say(
    runs: list[str], expected: State, session: GameSession, transcript: Transcript
) -> None:
    for state in runs:
        run = factories.make_run(transcript, lanes=("dnd/spells",), state="failed")
        LaneRun.objects.filter(run=run).update(state=state)

    assert read(session).states["dnd/spells"] is expected


def test_read_session_without_a_transcript_finds_nothing(session: GameSession) -> None:
    assert read_session(session) is None


# ---- filters ----


def test_filters_leave_exactly_the_units_they_name(
    session: GameSession, transcript: Transcript, versions: dict[str, ArtifactVersion]
) -> None:
    ArtifactVersion.objects.filter(pk=versions["combat-turns"].pk).update(
        findings=[warning(Code.NAME_REWRITTEN, "record[0].actor").as_json()]
    )
    reading = read(session)
    cited = reading.cited_by_any()
    speaker = UNITS[0].speaker

    assert list(reading.positions(Filter())) == list(range(len(UNITS)))
    assert list(reading.positions(Filter(Show.UNCITED))) == [at for at in range(len(UNITS)) if not cited[at]]
    assert list(reading.positions(Filter(Show.WARNED))) == sorted((place(202), place(211)))
    assert list(reading.positions(Filter(by=f"name:{speaker}"))) == [
        at for at, unit in enumerate(UNITS) if unit.speaker == speaker
    ]
    assert list(reading.positions(Filter(by=NOBODY))) == [at for at, unit in enumerate(UNITS) if unit.speaker is None]


def test_filtered_page_lists_those_units_and_leads_back(
    client: Client, session: GameSession, versions: dict[str, ArtifactVersion]
) -> None:
    listed = [UNITS[at].unit_id for at in read(session).positions(Filter(Show.UNCITED))]
    html = page(client, session, "?show=uncited")

    assert [int(unit) for unit in re.findall(r'id="unit-(\d+)"', html)] == listed
    assert f'href="?show=uncited&amp;unit={listed[0]}"' in html
    assert 'aria-current="true"' in page(client, session, f"?show=uncited&unit={listed[0]}")
    assert "not among those that the filter shows" in page(client, session, "?show=uncited&unit=206")


@pytest.mark.parametrize(
    "query",
    [
        "?show=x",
        "?by=x",
        "?by=name:%00",
        "?unit=%00",
        "?unit=²",
        "?from=99999999999999999999",
        "?near=99999",
        "?from=-1",
    ],
)
def test_page_survives_a_query_that_makes_no_sense(
    query: str, client: Client, session: GameSession, transcript: Transcript
) -> None:
    fragment = client.get(f"/review/sessions/{session.pk}/units/stretch{query}")

    assert client.get(f"/review/sessions/{session.pk}/units{query}").status_code == 200
    assert fragment.status_code in (200, 204)
    assert client.get(f"/review/sessions/{session.pk}/citing{query}").status_code == 404


# ---- the page ----


@pytest.mark.parametrize(
    ("who", "status"), [("gm", 200), ("admin", 200), ("player", 404), ("reader", 404), ("outsider", 404)]
)
@pytest.mark.parametrize(
    "path",
    ["sessions/{0}/units", "sessions/{0}/units/stretch", "sessions/{0}/citing?unit=50", "versions/{1}/citing?unit=50"],
)
def test_units_are_for_game_masters_and_site_admins(
    who: str,
    status: int,
    path: str,
    request: pytest.FixtureRequest,
    session: GameSession,
    versions: dict[str, ArtifactVersion],
) -> None:
    user = request.getfixturevalue(who)
    address = "/review/" + path.format(session.pk, versions["npcs"].pk)

    assert signed_in(user).get(address).status_code == status


def test_units_lead_nobody_to_the_login_form(session: GameSession, versions: dict[str, ArtifactVersion]) -> None:
    got = Client().get(f"/review/sessions/{session.pk}/units?unit=50")

    assert (got.status_code, got["Location"]) == (302, f"/login/?next=/review/sessions/{session.pk}/units%3Funit%3D50")
    for path in (
        f"sessions/{session.pk}/units/stretch",
        f"sessions/{session.pk}/citing",
        f"versions/{versions['npcs'].pk}/citing",
    ):
        assert Client().get(f"/review/{path}?unit=50").status_code == 401
    assert Client().get("/review/sessions/99999/citing?unit=1").status_code == 401


def test_unit_carries_a_labelled_link_to_the_record_of_each_lane(
    client: Client, session: GameSession, versions: dict[str, ArtifactVersion]
) -> None:
    html = page(client, session)
    unit = html[html.index('id="unit-206"') :].split("</li>")[0]

    assert f'href="/review/versions/{versions["npcs"].pk}/?record=0&amp;evidence=1"' in unit
    assert f'href="/review/versions/{versions["spells"].pk}/' in unit
    assert "NPC occurrences" in unit
    assert "chip-scene" in html[html.index('id="unit-41"') :].split("</li>")[0]


def test_chosen_unit_lists_its_records_without_a_script(
    client: Client, session: GameSession, versions: dict[str, ArtifactVersion]
) -> None:
    html = page(client, session, "?unit=202")
    fragment = client.get(f"/review/sessions/{session.pk}/citing?unit=202").content.decode()

    assert "Unit 202 is cited by" in html
    assert fragment.count('class="cites"') == 1
    assert "Corwen holds the longboat off." in fragment
    assert fragment.strip() in html


def test_strip_has_a_text_alternative_and_names_what_failed(
    client: Client, session: GameSession, transcript: Transcript, versions: dict[str, ArtifactVersion]
) -> None:
    ArtifactVersion.objects.filter(pk=versions["spells"].pk).delete()
    factories.make_run(transcript, lanes=("dnd/spells",), state="failed")
    cited = sum(read(session).cited_by_any())
    html = page(client, session)

    assert f'aria-label="All lanes: {cited} of {len(UNITS)} units cited' in html
    assert html.count('class="strip"') == len(LANE_NAMES)
    assert "<b>Failed:</b> Spells." in html
    assert 'href="?near=0"' in html


@pytest.mark.parametrize("where", ["text", "speaker", "name"])
def test_units_escape_hostile_content(where: str, client: Client, session: GameSession) -> None:
    unit = SourceUnit(1, HOSTILE if where == "speaker" else "Yun", HOSTILE if where == "text" else "Hm.")
    transcript = factories.make_transcript(session, [unit])
    said = HOSTILE if where == "name" else "Wick"
    version = families.make_version(
        transcript, "npcs", [{"id": "x", "name": said, "source_refs": families.refs(transcript, ((1, 1),))}]
    )
    parts = (
        f"sessions/{session.pk}/units?unit=1",
        f"sessions/{session.pk}/units/stretch",
        f"sessions/{session.pk}/citing?unit=1",
        f"versions/{version.pk}/citing?unit=1",
        f"versions/{version.pk}/?unit=1",
    )
    html = "".join(client.get(f"/review/{part}").content.decode() for part in parts)

    assert "<script>alert" not in html
    assert "<img" not in html
    assert str(escape(HOSTILE))[:30] in html


def test_units_have_no_inline_script_style_or_handler(
    client: Client, session: GameSession, versions: dict[str, ArtifactVersion]
) -> None:
    assert not re.search(r" style=|<style| on[a-z]+=|<script>", page(client, session, "?unit=50"))


def test_session_without_a_transcript_says_what_to_do(client: Client, session: GameSession) -> None:
    assert "import_transcript FILE --campaign salt-ferry --session 3" in page(client, session)
    assert client.get(f"/review/sessions/{session.pk}/units/stretch").status_code == 404


def long_session(campaign: Campaign, units: int, records: int, number: int) -> GameSession:
    session = factories.make_session(campaign, number)
    said = [SourceUnit(at, f"Speaker {at % 7}", "Who rowed it back?") for at in range(1, units + 1)]
    transcript = factories.make_transcript(session, said)
    ranges = [(1 + n % (units - 3), 3 + n % (units - 3)) for n in range(records)]
    for family in ("npcs", "items"):
        families.make_version(transcript, family, [families.item(transcript, f"Guard {at}", [at]) for at in ranges])
    turns = [families.turn(transcript, f"Guard {at}", [], "Holds.", [at]) for at in ranges]
    families.make_version(transcript, "combat-turns", turns)
    return session


@pytest.mark.parametrize("units", [3_308, 10_000])
def test_page_of_a_long_session_sends_only_the_first_stretch(units: int, client: Client, campaign: Campaign) -> None:
    html = client.get(f"/review/sessions/{long_session(campaign, units, 600, 1).pk}/units").content

    assert html.count(b'<li class="unit') == FIRST_STRETCH
    assert len(html) < SMALL


def test_units_take_a_constant_number_of_queries(client: Client, campaign: Campaign) -> None:
    counts = []
    for number, (units, records) in enumerate(((60, 2), (600, 40), (3_308, 190)), start=1):
        session = long_session(campaign, units, records, number)
        for path in (
            "units",
            "units?show=uncited&by=name:Speaker+1&unit=2",
            "units/stretch?from=30&count=90",
            "citing?unit=31",
        ):
            with CaptureQueriesContext(connection) as seen:
                client.get(f"/review/sessions/{session.pk}/{path}")
            counts.append((path, len(seen)))

    assert len(set(counts)) == 4


def test_stretch_comes_in_whole_blocks_and_says_where_the_unit_stands(client: Client, campaign: Campaign) -> None:
    session = long_session(campaign, 600, 2, 1)
    address = f"/review/sessions/{session.pk}/units/stretch"
    html = client.get(f"{address}?from={2 * BLOCK}&count={BLOCK}").content.decode()
    jump, near = client.get(f"{address}?unit=580"), client.get(f"{address}?show=uncited&near=300")

    assert (html.count("data-from"), html.count("data-at")) == (1, BLOCK)
    assert jump["X-Position"] == "579"
    assert 'id="unit-580"' in jump.content.decode()
    assert 'data-place="300"' in near.content.decode()
    assert client.get(f"{address}?unit=9999").status_code == 204
