"""What a process keeps of transcripts, to find passages in another revision, holds none of their words."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from types import FunctionType, ModuleType

import pytest
from django.contrib.auth.models import User

from campaigns.actions import secrets
from campaigns.library import ranges
from campaigns.models import Campaign, GameSession
from extraction.source.documents import SourceUnit
from tests.factories import make_transcript

SAID = ("We arrive at Quellkanar.", "Rain falls.", "The traitor is Borrel.", "He sold us.", "We sleep.", "We ride.")
NOW = ("We arrive at Quellkanar.", "Rain falls.", "The traitor: Borrel!", "We sleep.", "He sold us.", "We ride on.")


def held(start: object) -> Iterator[object]:
    """Yield all that the object leads to, but for code."""
    seen, waiting = set(), [start]
    while waiting:
        one = waiting.pop()
        if id(one) not in seen and not isinstance(one, FunctionType | ModuleType | type):
            seen.add(id(one))
            yield one
            waiting += gc.get_referents(one)


def units(texts: tuple[str, ...]) -> list[SourceUnit]:
    return [SourceUnit(at, "Bram", text) for at, text in enumerate(texts, start=1)]


@pytest.fixture
def session(campaign: Campaign, gm: User) -> GameSession:
    return GameSession.objects.create(campaign=campaign, number=1, title="The Quellkanar road")


def test_what_is_kept_of_two_revisions_has_no_word_of_them(session: GameSession, gm: User) -> None:
    before = make_transcript(session, units(SAID))
    secrets.hide_range(session=session, start_unit=3, end_unit=4, by=gm)
    after = make_transcript(session, units(NOW))
    found = ranges.withheld_from_players(session.campaign, [before, after])
    kept = [one for cache in (ranges._way, ranges._stretches) for one in held(cache) if isinstance(one, str)]
    again = ranges.withheld_from_players(session.campaign, [before, after])

    assert ranges._way.cache_info().currsize > 0
    assert [(one.start, one.stop) for one in found[after.pk]] == [(2, 3), (4, 5)]
    assert again == found
    assert not [text for text in kept if "Quellkanar" in text or "Borrel" in text]
