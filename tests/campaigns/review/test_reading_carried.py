"""A range of which one word was corrected: the units that still stand go on proving the record, the rest is marked."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from campaigns import carried
from campaigns.actions import corrections
from campaigns.models import ArtifactVersion, Campaign, GameSession, Transcript
from campaigns.reading import CitingLane, citing, read_session
from extraction.source.documents import SourceUnit
from tests import factories
from tests.campaigns.review.acting import signed_in

UNITS = tuple(
    SourceUnit(unit_id, "Ida", text)
    for unit_id, text in ((7, "Old Marrow rings."), (3, "Who is she?"), (9, "She keeps it."), (4, "Marrow sleeps."))
)


@pytest.fixture
def transcript(campaign: Campaign) -> Transcript:
    return factories.make_transcript(factories.make_session(campaign), UNITS)


@pytest.fixture
def version(transcript: Transcript) -> ArtifactVersion:
    """One record that cites the middle of the session, and everything; another that cites the last unit."""
    return factories.make_version(transcript, {"Marrow": ((7, 4), (3, 9)), "Ysolde": ((4, 4),)})


def lane_of(session: GameSession) -> CitingLane:
    reading = read_session(session)
    assert reading is not None
    (lane,) = reading.lanes
    return lane


def placed(lane: CitingLane) -> list[tuple[int, int, int, int]]:
    return sorted((c.record, c.at, c.evidence.start_id, c.evidence.end_id) for c in lane.citations)


def test_parts_of_a_range_that_stand_are_evidence_and_the_rest_is_lost(version: ArtifactVersion) -> None:
    session = version.artifact.session
    corrections.reword_unit(session=session, unit_id=3, text="Who was she?", by=None)
    lane = lane_of(session)
    (over,) = carried.of_session(session)

    assert placed(lane) == [(0, 0, 7, 7), (0, 0, 9, 4), (0, 1, 9, 9), (1, 0, 4, 4)]
    assert lane.lost == over.lost == 2
    assert len(lane.citations) == over.carried + over.moved


def test_citing_says_which_units_of_the_range_were_changed(version: ArtifactVersion, gm: User) -> None:
    session = version.artifact.session
    corrections.reword_unit(session=session, unit_id=3, text="Who was she?", by=None)
    ((marrow,), (other,)) = (citing([lane_of(session)], place)[0].records[:1] for place in (0, 3))
    page = signed_in(gm).get(f"/review/sessions/{session.pk}/citing", {"unit": 7}).content.decode()

    assert (marrow.label, marrow.changed) == ("unit 7", "unit 3")
    assert other.changed == "unit 3"
    assert "It also cited unit 3, of which the words were changed since." in page


def test_range_that_stands_as_a_whole_says_nothing_of_changes(version: ArtifactVersion, gm: User) -> None:
    session = version.artifact.session
    corrections.reword_unit(session=session, unit_id=7, text="Old Marrow rang.", by=None)
    client: Client = signed_in(gm)
    page = client.get(f"/review/sessions/{session.pk}/citing", {"unit": 4}).content.decode()
    ysolde = page.partition(">Ysolde<")[2]

    assert "It also cited unit 7" in page.partition(">Ysolde<")[0]
    assert ysolde and "It also cited" not in ysolde
