"""What became of the evidence of existing versions after corrections: in numbers, on pages, by the API."""

from __future__ import annotations

import html

import pytest
from django.contrib.auth.models import User
from django.test import Client

from campaigns import carried
from campaigns.actions import corrections, versions
from campaigns.actions.withdrawal import withdraw_words
from campaigns.models import ArtifactVersion, Campaign, GameSession
from campaigns.reading import read_session
from extraction.canonical import JsonValue
from extraction.source.carrying import Fate
from extraction.source.documents import SourceUnit
from tests import factories
from tests.campaigns.review import families

UNITS = (
    SourceUnit(7, "Ida", "Old Marrow rings the bell."),
    SourceUnit(3, "Yun", "Who is Ysolde Marr?"),
    SourceUnit(9, "Yun", "She keeps the weir."),
    SourceUnit(4, "Ida", "Old Marrow sleeps."),
)
NPCS = {"Old Marrow": ((7, 7), (4, 4)), "Ysolde Marr": ((3, 9),), "<b>The Keeper</b>": ((9, 9),)}


@pytest.fixture
def version(table: Campaign) -> ArtifactVersion:
    transcript = factories.make_transcript(factories.make_session(table), UNITS)
    return factories.make_version(transcript, npcs=NPCS)


@pytest.fixture
def session(version: ArtifactVersion) -> GameSession:
    return version.artifact.session


def only(session: GameSession) -> carried.CarriedOver:
    [found] = carried.of_session(session)
    return found


def fates(session: GameSession) -> dict[str, list[Fate]]:
    return {record.heading: [piece.fate for piece in record.pieces] for record in only(session).records}


def test_nothing_is_told_of_versions_of_the_newest_transcript(session: GameSession, version: ArtifactVersion) -> None:
    assert carried.of_session(session) == ()
    assert carried.told(version) == ()


def test_a_withdrawn_line_of_a_range_is_lost_and_those_around_it_stand(table: Campaign) -> None:
    transcript = factories.make_transcript(factories.make_session(table), UNITS)
    version = factories.make_version(transcript, npcs={"Ysolde Marr": ((7, 9),), "Old Marrow": ((3, 3),)})
    withdraw_words(campaign=table, label="Yun", by=None)

    told = {
        record.heading: [(piece.fate, piece.label, piece.now) for piece in record.pieces]
        for record in only(version.artifact.session).records
    }
    assert told == {
        "Ysolde Marr": [(Fate.CARRIED, "unit 7", "unit 7"), (Fate.LOST, "units 3 and 9", "units 7 and 4")],
        "Old Marrow": [(Fate.LOST, "unit 3", "units 7 and 4")],
    }


def test_another_speaker_leaves_all_evidence_as_it_was(session: GameSession) -> None:
    corrections.rename_speaker(session=session, old="Ida", new="Joost", by=None)

    assert {fate for found in fates(session).values() for fate in found} == {Fate.CARRIED}
    assert (only(session).carried, only(session).moved, only(session).lost) == (4, 0, 0)


def test_a_word_loses_what_cites_it_and_a_split_moves_it(session: GameSession, version: ArtifactVersion) -> None:
    corrections.reword_unit(session=session, unit_id=7, text="Old Marrow sings the bell.", by=None)
    corrections.split_unit(session=session, unit_id=9, parts=["She keeps", "the weir."], by=None)

    assert fates(session) == {
        "Old Marrow": [Fate.LOST, Fate.CARRIED],
        "Ysolde Marr": [Fate.MOVED],
        "<b>The Keeper</b>": [Fate.MOVED],
    }
    assert carried.told(version) == ("Its evidence: 1 unchanged, 2 moved, 1 lost, of Old Marrow.",)


def test_joined_units_hold_what_was_cited(session: GameSession) -> None:
    corrections.join_units(session=session, first_unit_id=3, last_unit_id=9, by=None)

    found = {record.heading: record.pieces[0].became + record.pieces[0].now for record in only(session).records}
    assert found["Ysolde Marr"] == "moved to unit 3"
    assert found["<b>The Keeper</b>"] == "now part of unit 3"
    assert fates(session)["Ysolde Marr"] == [Fate.MOVED]


def test_what_is_unchanged_of_a_range_stands(session: GameSession, version: ArtifactVersion) -> None:
    corrections.reword_unit(session=session, unit_id=3, text="Who?", by=None)
    record = next(record for record in only(session).records if record.heading == "Ysolde Marr")

    assert [(piece.start_id, piece.end_id, piece.fate) for piece in record.pieces] == [
        (3, 3, Fate.LOST),
        (9, 9, Fate.CARRIED),
    ]
    assert not record.unproven


def test_units_whose_numbers_do_not_follow_each_other_are_named_each(session: GameSession) -> None:
    corrections.split_unit(session=session, unit_id=3, parts=["Who is", "Ysolde Marr?"], by=None)
    found = {record.heading: record.pieces[0] for record in only(session).records}["Ysolde Marr"]

    assert (found.label, found.now) == ("units 3 and 9", "units 3, 10 and 9")


def test_a_correction_that_is_taken_back_brings_all_evidence_back(session: GameSession) -> None:
    for text in ("Old Marrow sings.", UNITS[0].text):
        corrections.reword_unit(session=session, unit_id=7, text=text, by=None)

    assert session.transcripts.count() == 3
    assert only(session).carried == 4


def test_approved_and_pending_versions_are_both_told(session: GameSession, version: ArtifactVersion, gm: User) -> None:
    versions.approve(version_id=version.pk, note="", by=gm)
    factories.make_version(version.transcript, npcs={"Ysolde Marr": ((3, 3),)})
    corrections.reword_unit(session=session, unit_id=3, text="Who?", by=None)

    assert [(one.version.number, one.lost) for one in carried.of_session(session)] == [(2, 1), (1, 1)]


def test_page_lists_what_moved_and_what_was_lost(browser: Client, session: GameSession) -> None:
    corrections.reword_unit(session=session, unit_id=9, text="She keeps the mill.", by=None)
    page = browser.get("/campaigns/salt-ferry/sessions/1/transcript/evidence/").content.decode()

    assert "<b>The Keeper</b>" not in page
    assert html.escape("<b>The Keeper</b>") in page
    assert page.count("Nothing that it cites stands any more.") == 1
    assert "Unit 9 lost" in page
    assert f"/review/sessions/{session.pk}/units?unit=3" in page
    assert "Old Marrow" not in page.partition("<h2>")[2]


def test_review_pages_tell_what_was_lost(browser: Client, session: GameSession, version: ArtifactVersion) -> None:
    corrections.reword_unit(session=session, unit_id=7, text="Old Marrow sings.", by=None)
    sentence = "Its evidence: 3 unchanged, 0 moved, 1 lost, of Old Marrow."

    for path in ("/review/", f"/review/versions/{version.pk}/"):
        page = browser.get(path).content.decode()
        assert sentence in page
        assert "/campaigns/salt-ferry/sessions/1/transcript/evidence/" in page


def test_api_tells_what_moved_and_what_was_lost(browser: Client, session: GameSession) -> None:
    corrections.split_unit(session=session, unit_id=9, parts=["She keeps", "the weir."], by=None)
    found = browser.get("/api/v1/campaigns/salt-ferry/sessions/1/transcript/evidence").json()

    [one] = found["versions"]
    assert (found["source_id"], one["source_id"]) == ("salt-ferry.s1.t2", "salt-ferry.s1.t1")
    assert (one["carried"], one["moved"], one["lost"]) == (2, 2, 0)
    assert one["changed"][1]["evidence"] == [
        {"fate": "moved", "start_unit_id": 9, "end_unit_id": 9, "now_start_unit_id": 9, "now_end_unit_id": 10}
    ]


def test_many_losers_are_counted_behind_the_first(table: Campaign) -> None:
    transcript = factories.make_transcript(factories.make_session(table), UNITS)
    made = factories.make_version(transcript, npcs={f"Npc {at}": ((7, 7),) for at in range(8)})
    corrections.reword_unit(session=transcript.session, unit_id=7, text="Hm.", by=None)

    assert carried.told(made)[0].endswith("8 lost, of Npc 0, Npc 1, Npc 2, Npc 3, Npc 4 and 3 more.")


def test_reading_view_carries_citations_to_where_the_words_stand_now(
    browser: Client, session: GameSession, version: ArtifactVersion
) -> None:
    corrections.reword_unit(session=session, unit_id=4, text="Old Marrow wakes.", by=None)
    corrections.split_unit(session=session, unit_id=9, parts=["She keeps", "the weir."], by=None)
    reading = read_session(session)

    assert reading is not None
    [lane] = reading.lanes
    assert (lane.version_id, lane.lost, reading.carried) == (version.pk, 1, ("NPCs",))
    cited = [(c.record, c.at, c.evidence.start_id, c.evidence.end_id) for c in lane.citations]
    assert cited == [(0, 0, 7, 7), (1, 0, 3, 10), (2, 0, 9, 10)]
    assert list(reading.cited(lane)) == [1, 1, 1, 1, 0]
    page = browser.get(f"/review/sessions/{session.pk}/units").content.decode()
    assert "Carried over from an earlier transcript: NPCs. 1 citation is not shown" in page


def test_reading_view_carries_scenes_by_their_first_unit(session: GameSession) -> None:
    transcript = session.transcripts.get()
    scene: dict[str, JsonValue] = {"title": "The weir", "primary_mode": "social", "start_unit_id": 9, "end_unit_id": 4}
    families.make_version(transcript, "scenes", [scene])
    corrections.reword_unit(session=session, unit_id=4, text="Old Marrow wakes.", by=None)
    reading = read_session(session)

    assert reading is not None
    assert reading.scenes is not None
    assert [(c.evidence.start_id, c.evidence.end_id) for c in reading.scenes.citations] == [(9, 9)]
