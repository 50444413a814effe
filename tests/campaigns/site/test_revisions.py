"""Pages of a session whose transcript was numbered anew after its artifacts were approved."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User

from campaigns.models import Campaign, GameSession
from extraction.source.documents import SourceUnit
from tests import factories
from tests.campaigns.site import story

HERE = "/campaigns/salt-ferry/"
# One line more at the beginning: every number stands for other words than before.
ANEW = (
    SourceUnit(1, "Ottilie", "Forty points of damage, says the song."),
    *(SourceUnit(unit.unit_id + 1, unit.speaker, unit.text) for unit in story.LATER),
)
REWORDED = (*ANEW[:2], SourceUnit(3, "Yun", "I push him off the pier. Two points of damage."), *ANEW[3:])


@pytest.fixture
def session(campaign: Campaign, gm: User) -> GameSession:
    return story.second_evening(campaign, gm).session


def html(user: User, path: str) -> str:
    got = story.client_of(user).get(f"{HERE}{path}")

    assert got.status_code == 200
    return got.content.decode()


def units_linked(page: str) -> list[int]:
    return [int(unit) for unit in re.findall(r"\?unit=(\d+)#u", page)]


def test_damage_is_added_up_of_the_lines_that_the_turns_cite(session: GameSession, player: User) -> None:
    factories.make_transcript(session, ANEW)
    page = html(player, "sessions/2/fights/1/")

    assert re.search(r'<td class="sum">21</td>', page)
    # The turn, both numbers, and who was defeated.
    assert units_linked(page) == [3, 3, 4, 4]
    assert "units 3 to 4" in page


def test_what_was_reworded_is_neither_added_up_nor_linked(session: GameSession, player: User) -> None:
    factories.make_transcript(session, REWORDED)
    page = html(player, "sessions/2/fights/1/")

    assert "Two points" not in page and re.search(r'<td class="sum">12</td>', page)
    # The turn by the unit that stands, the number in it, and who was defeated.
    assert units_linked(page) == [4, 4, 4]
    assert page.count("Some of what it cites was reworded since.") == 1


def test_turn_that_stands_as_a_whole_says_nothing_of_rewording(session: GameSession, player: User) -> None:
    factories.make_transcript(session, ANEW)

    assert "reworded" not in html(player, "sessions/2/fights/1/")


def test_record_of_which_the_first_line_was_reworded_leads_to_the_next(session: GameSession, player: User) -> None:
    factories.make_transcript(session, (*ANEW[:3], SourceUnit(4, "Ottilie", "He goes down."), *ANEW[4:]))

    # The scene, and the spell: cast in two lines, of which the first is another now.
    assert units_linked(html(player, "sessions/2/")) == [2, 5]


def test_scenes_and_records_lead_to_where_their_words_stand_now(session: GameSession, player: User) -> None:
    factories.make_transcript(session, ANEW)
    page = html(player, "sessions/2/")

    # The scene, and the spell.
    assert units_linked(page) == [2, 4]
    assert re.search(r'<h3>A stranger on the pier</h3></li>\s*<li class="said" id="u2">', page)
    assert page.count("<h3>A stranger on the pier</h3>") == 1


def test_scene_whose_first_words_are_gone_is_told_without_a_link(session: GameSession, player: User) -> None:
    factories.make_transcript(session, (SourceUnit(1, "Ottilie", "Nothing of this was said before."), *ANEW[2:]))
    page = html(player, "sessions/2/")

    assert units_linked(page) == [4]
    assert "A stranger on the pier" in page
    assert "<h3>A stranger on the pier</h3>" not in page


def test_entry_links_what_stands_under_its_number_and_quotes_the_rest(session: GameSession, player: User) -> None:
    path = f"npcs/{story.ESBEN}/"
    before = units_linked(html(player, path))
    factories.make_transcript(session, (*story.LATER, SourceUnit(9, "Bram", "Good night.")))
    same = units_linked(html(player, path))
    factories.make_transcript(session, ANEW)
    page = html(player, path)

    assert before == same == [1]
    assert units_linked(page) == []
    assert "A week later a stranger waits on the pier." in page
