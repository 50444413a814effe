"""Where an entry occurs is told from outlines: a long campaign has thousands of occurrences, and each is read once."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoDbBlocker

from campaigns.errors import NotFound
from campaigns.library import outlines
from campaigns.library.occurrences import Place, companions, meetings, occurrences_at, places_of, presence
from campaigns.library.sight import Edition, Sight
from extraction.identity import comparison_key, npc_id
from tests import factories
from tests.campaigns.library import story
from tests.campaigns.library.story import DUKE, VOICE, Story
from tests.campaigns.review import families

PAYLOAD = '"campaigns_artifactversion"."payload"'
PLAYERS_PAYLOAD = '"campaigns_playerpayload"."payload"'


@pytest.fixture(scope="module")
def shared(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Story]:
    with story.for_a_module("salt-ferry", django_db_blocker) as made:
        yield made


@pytest.fixture
def told(shared: Story, db: None) -> Story:
    return shared


@pytest.fixture
def duke() -> str:
    return npc_id(comparison_key(DUKE))


def sight(told: Story, edition: Edition = Edition.PLAYER) -> Sight:
    return Sight(told.campaign, edition, words=True, as_of=None)


def reads_of_artifacts(ask: Callable[[], object]) -> int:
    with CaptureQueriesContext(connection) as asked:
        ask()
    return sum(PAYLOAD in each["sql"] or PLAYERS_PAYLOAD in each["sql"] for each in asked)


@pytest.mark.parametrize("edition", list(Edition))
def test_what_was_read_once_is_not_read_again(told: Story, duke: str, edition: Edition) -> None:
    def page() -> None:
        seen = sight(told, edition)
        assert places_of(seen, "npc", duke)
        companions(seen, "npc", duke)
        meetings(seen, "npc")
        presence(seen, "npc")

    assert reads_of_artifacts(page) > 0
    assert reads_of_artifacts(page) == 0


def test_each_edition_has_outlines_of_its_own(told: Story) -> None:
    """What players must not know is not among what they see, though game masters looked before."""
    hidden = npc_id(comparison_key(VOICE))

    assert places_of(sight(told, Edition.GM), "npc", hidden)
    with pytest.raises(NotFound):
        places_of(sight(told), "npc", hidden)
    assert hidden not in {
        entity_id
        for _, outline in outlines.outlines(sight(told), ("npc",)).values()
        for entity_id in outline.entity_ids
    }


def test_a_new_version_is_seen_at_once(told: Story, duke: str) -> None:
    before = places_of(sight(told, Edition.GM), "npc", duke)
    page = factories.make_transcript(factories.make_session(told.campaign, 9), story.LATER)
    story.approve(page, "npcs", [story.npc(page, DUKE, (1, 1))], told.gm)
    story.approve(page, "npc-occurrences", [story.occurrence(page, DUKE, "mention", (1, 1))], told.gm)
    after = places_of(sight(told, Edition.GM), "npc", duke)

    assert [place.session for place in after] == [*(place.session for place in before), 9]


def test_scenes_that_come_later_place_what_was_placed_nowhere(told: Story, duke: str) -> None:
    page = factories.make_transcript(factories.make_session(told.campaign, 9), story.LATER)
    story.approve(page, "npcs", [story.npc(page, DUKE, (1, 1))], told.gm)
    story.approve(page, "npc-occurrences", [story.occurrence(page, DUKE, "mention", (1, 1))], told.gm)
    assert places_of(sight(told, Edition.GM), "npc", duke)[-1].scene is None

    story.approve(page, "scenes", [families.scene("On", 1, 3)], told.gm)
    assert places_of(sight(told, Edition.GM), "npc", duke)[-1].scene == 0


def test_a_place_of_another_version_tells_nothing(told: Story, duke: str) -> None:
    """Between the outline and the artifact somebody may approve another version."""
    seen = sight(told, Edition.GM)
    places = places_of(seen, "npc", duke)
    elsewhere = [
        Place(each.kind, npc_id("nobody"), each.session_id, each.session, each.index, each.scene) for each in places
    ]
    beyond = [Place(each.kind, duke, each.session_id, each.session, 10_000, each.scene) for each in places]

    assert len(occurrences_at(seen, places)) == len(places)
    assert occurrences_at(seen, [*elsewhere, *beyond]) == []


def test_no_more_is_kept_than_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outlines, "MOST_RECORDS", 6)
    kept = outlines._Kept()
    three = outlines.Outline(("a", "b", "a"), (0, None, 1))
    kept.put((1, "", ""), three)
    kept.put((2, "", ""), outlines.Outline(("a",), (0,)))
    assert kept.get((1, "", "")) == three
    kept.put((3, "", ""), three)

    assert kept.get((2, "", "")) is None
    assert kept.get((1, "", "")) is None
    assert kept.get((3, "", "")) == three
