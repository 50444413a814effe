"""A fight as a timeline: which encounter and round a turn stands in, and whose turn an interruption breaks into."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from campaigns.fights import Encounter, Scenes, place_turns, timeline
from campaigns.models import Campaign, Transcript
from campaigns.presentation import shown
from campaigns.review import Cited, Evidence, Record
from extraction.source.documents import SourceUnit
from tests import factories
from tests.campaigns.review import families

NO_SCENES = Scenes()


def turn(number: int, start: int, *, end: int | None = None, said: int | None = None, kind: str = "turn") -> Record:
    evidence = (Evidence(start, start if end is None else end, start + 1, (start if end is None else end) + 1),)
    read = shown("combat-turns", {"actor": f"Actor {number}", "turn_kind": kind, "round": said})
    return Record(number, Cited(read.heading, evidence, 0), read, "", (), ())


def scene(number: int, start: int, end: int, mode: str) -> Record:
    read = shown("scenes", {"title": f"Scene {number}", "primary_mode": mode})
    return Record(number, Cited(read.heading, (Evidence(start, end, start + 1, end + 1),), 0, True), read, "", (), ())


def drawn(encounters: tuple[Encounter, ...]) -> list[list[tuple[int | None, list[object]]]]:
    """Return the numbers of the records under their rounds; what breaks into a turn follows it as a list."""
    return [
        [
            (
                each.number,
                [
                    (one.record.number, [two.record.number for two in one.interrupts])
                    if one.interrupts
                    else one.record.number
                    for one in each.turns
                ],
            )
            for each in fight.rounds
        ]
        for fight in encounters
    ]


def line(*records: Record, scenes: Scenes = NO_SCENES) -> list[list[tuple[int | None, list[object]]]]:
    return drawn(timeline(place_turns(records, scenes), 0, 200))


def test_turns_stand_under_their_rounds_in_order() -> None:
    found = line(turn(0, 1), turn(1, 5, said=1), turn(2, 9), turn(3, 12, said=2))

    assert found == [[(None, [0]), (1, [1, 2]), (2, [3])]]


def test_turn_of_no_round_stands_in_the_one_before_and_says_so() -> None:
    (fight,) = timeline(place_turns([turn(0, 1, said=1), turn(1, 9)], NO_SCENES), 0, 200)

    assert [one.assumed for one in fight.rounds[0].turns] == [False, True]


@pytest.mark.parametrize("kind", ["reaction", "legendary_action", "lair_action"])
def test_interruption_stands_inside_the_turn_that_it_breaks_into(kind: str) -> None:
    found = line(turn(0, 1, end=9, said=1), turn(1, 4, kind=kind), turn(2, 20))

    assert found == [[(1, [(0, [1]), 2])]]


@pytest.mark.parametrize(
    ("start", "kind"), [pytest.param(10, "reaction", id="after-its-last-unit"), pytest.param(4, "turn", id="a-turn")]
)
def test_what_breaks_into_no_turn_stands_by_itself(start: int, kind: str) -> None:
    placed = place_turns([turn(0, 1, end=9), turn(1, start, kind=kind)], NO_SCENES)

    assert placed[1].host is None
    assert drawn(timeline(placed, 0, 200)) == [[(None, [0, 1])]]


def test_interruption_of_an_earlier_turn_names_it_and_keeps_its_place() -> None:
    placed = place_turns([turn(0, 1, end=30), turn(1, 5, end=8), turn(2, 12, kind="reaction")], NO_SCENES)
    (fight,) = timeline(placed, 0, 200)

    assert drawn((fight,)) == [[(None, [0, 1, 2])]]
    assert fight.rounds[0].turns[2].during == "Actor 0"


def test_interruption_of_another_round_is_not_put_inside() -> None:
    found = line(turn(0, 1, end=9, said=1), turn(1, 4, kind="reaction", said=2))

    assert found == [[(1, [0]), (2, [1])]]


def test_rounds_that_start_over_are_another_encounter() -> None:
    assert line(turn(0, 1, said=1), turn(1, 5, said=3), turn(2, 90, said=1)) == [[(1, [0]), (3, [1])], [(1, [2])]]
    assert line(turn(0, 1, said=3), turn(1, 5, said=2)) == [[(3, [0]), (2, [1])]]


SCENES = Scenes(
    [scene(0, 0, 19, "combat"), scene(1, 20, 29, "combat"), scene(2, 30, 59, "social"), scene(3, 60, 99, "combat")]
)


def test_scene_between_fights_parts_them_unless_the_rounds_go_on() -> None:
    assert line(turn(0, 5), turn(1, 25), turn(2, 70), scenes=SCENES) == [[(None, [0, 1])], [(None, [2])]]
    assert line(turn(0, 5, said=2), turn(1, 70, said=3), scenes=SCENES) == [[(2, [0]), (3, [1])]]
    assert line(turn(0, 5, said=2), turn(1, 70, said=1), scenes=SCENES) == [[(2, [0])], [(1, [1])]]


def test_encounter_has_the_title_of_its_first_scene() -> None:
    found = timeline(place_turns([turn(0, 5), turn(1, 70)], SCENES), 0, 200)

    assert [fight.title for fight in found] == ["Scene 0", "Scene 3"]


def test_page_in_the_middle_of_a_fight_says_that_it_goes_on() -> None:
    placed = place_turns([turn(0, 1, end=9), turn(1, 4, kind="reaction"), turn(2, 20)], NO_SCENES)
    (fight,) = timeline(placed, 1, 1)

    assert fight.continued
    assert fight.rounds[0].turns[0].during == "Actor 0"


@given(
    st.lists(
        st.tuples(
            st.integers(0, 80),
            st.integers(0, 20),
            st.none() | st.integers(1, 4),
            st.sampled_from(["turn", "reaction", "lair_action", "other"]),
        ),
        max_size=30,
    ),
    st.integers(1, 9),
)
def test_timeline_has_every_turn_once_and_in_order(given: list[tuple[int, int, int | None, str]], size: int) -> None:
    ordered = sorted(given, key=lambda one: one[:2])
    records = [
        turn(at, start, end=start + more, said=said, kind=kind) for at, (start, more, said, kind) in enumerate(ordered)
    ]
    placed = place_turns(records, SCENES)
    pages = [timeline(placed, first, size) for first in range(0, len(records), size)]

    assert [one.number for page in pages for fight in page for one in fight.records] == list(range(len(records)))


# ---- the page ----


def session_of_fights(campaign: Campaign, number: int, turns: int) -> tuple[Transcript, str]:
    said = [SourceUnit(at ^ 1, "Ines", "The bell rings.") for at in range(2, 10 * turns + 4)]
    transcript = factories.make_transcript(factories.make_session(campaign, number), said)
    units = [unit.unit_id for unit in said]
    half = 5 * turns
    families.make_version(
        transcript,
        "scenes",
        [
            families.scene("The <i>quay</i>", units[0], units[half - 1], "combat"),
            families.scene("Talk", units[half], units[-1], "social"),
        ],
    )
    fight = [
        families.turn(
            transcript,
            f"Actor {at}",
            [families.action("swings", "it hits")],
            "Swings.",
            ((units[10 * at], units[10 * at + 5]),) if at % 3 != 2 else ((units[10 * at - 6], units[10 * at - 5]),),
            kind="reaction" if at % 3 == 2 else "turn",
            number=1 + at // 4,
        )
        for at in range(turns)
    ]
    version = families.make_version(transcript, "combat-turns", fight)
    return transcript, f"/review/versions/{version.pk}/"


def test_page_of_turns_shows_the_timeline(client: Client, campaign: Campaign) -> None:
    _, path = session_of_fights(campaign, 1, 12)
    html = client.get(path).content.decode()

    assert re.findall(r"<h4>(.*?)</h4>", html) == ["Round 1", "Round 2", "Round 3"]
    assert "Encounter 1: The &lt;i&gt;quay&lt;/i&gt;" in html
    assert html.count('class="turns breaks"') == 3
    assert "Breaks into the turn of Actor 7." in html
    assert html.count('class="pick"') == 12


def test_page_of_turns_asks_the_same_queries_for_few_and_many_turns(client: Client, campaign: Campaign) -> None:
    counts = []
    for number, turns in enumerate((3, 40, 190), start=1):
        _, path = session_of_fights(campaign, number, turns)
        with CaptureQueriesContext(connection) as seen:
            client.get(path)
        counts.append(len(seen))

    assert len(set(counts)) == 1
