"""What players may know of an earlier session is counted without working out what they may read of it."""

from __future__ import annotations

from collections import Counter

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from campaigns.library.editions import payloads, record_counts, records_of
from campaigns.library.sight import Edition, Sight
from campaigns.models import Campaign
from extraction.registry import LANES
from tests import factories
from tests.campaigns.library import story

FAMILIES = [lane.rpartition("/")[2] for lane in LANES]


@pytest.fixture
def told(campaign: Campaign, gm: User) -> Campaign:
    return story.make(campaign, gm).campaign


@pytest.mark.parametrize("as_of", [1, 2, 3])
def test_as_many_records_are_counted_as_are_shown(told: Campaign, as_of: int) -> None:
    shown = Counter[tuple[int, str]]()
    for at, (_, payload) in payloads(Sight(told, Edition.PLAYER, words=True, as_of=as_of), FAMILIES).items():
        shown[at] = len(records_of(payload))
    counted = record_counts(Sight(told, Edition.PLAYER, words=True, as_of=as_of))

    assert len(shown) > as_of
    assert {(number, family): count for number, told in counted.items() for family, count in told.items()} == shown


def test_counting_takes_no_more_queries_for_more_sessions(told: Campaign, gm: User) -> None:
    for number in (4, 5):
        page = factories.make_transcript(factories.make_session(told, number), story.LATER)
        story.approve(page, "npcs", [story.npc(page, "Brother Cole", (3, 3))], gm)
        story.approve(page, "npc-occurrences", [story.occurrence(page, "Brother Cole", "mention", (3, 3))], gm)
    asked = []
    for as_of in (4, 5):
        with CaptureQueriesContext(
            connection,
        ) as queries:
            counted = record_counts(Sight(told, Edition.PLAYER, words=True, as_of=as_of))
        asked.append((len(counted), len(queries)))

    assert [sessions for sessions, _ in asked] == [4, 5]
    assert asked[0][1] == asked[1][1]
