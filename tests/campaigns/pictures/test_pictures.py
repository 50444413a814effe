"""Every picture: well-formed, the same each time, told in words and in a table, and without what a page refuses."""

from __future__ import annotations

import re
from collections.abc import Callable
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns.pictures.drawing import Picture, fit, width_of
from campaigns.pictures.fight import Beat, fight
from campaigns.pictures.presence import MOST_ROWS, Seen, presence
from campaigns.pictures.raster import png
from campaigns.pictures.relations import MOST_NAMES, Bond, relations
from campaigns.pictures.speaking import Voice, speaking

HOSTILE = 'Mother "Q" <script>alert(1)</script> & O\'Dell \x00\x1b]]>'
NAMES = ("Wick", "Old Pike", "Ottilie", "Bram", HOSTILE)


def a_presence() -> Picture | None:
    return presence([Seen(name, {at + 1: at + 2, 4: 1}) for at, name in enumerate(NAMES)], range(1, 6))


def a_fight() -> Picture | None:
    beats = [Beat(NAMES[at % 5], None if at < 2 else at // 5, at % 4 == 3, HOSTILE) for at in range(17)]
    return fight(beats, title=HOSTILE)


def a_speaking() -> Picture | None:
    return speaking([Voice(name, at + 1, 10 * at + 5) for at, name in enumerate((*NAMES, None))])


def a_relation() -> Picture | None:
    bonds = [Bond(one, other, 1 + at) for at, (one, other) in enumerate([("a", "b"), ("b", "c"), ("a", "e")])]
    return relations(dict(zip("abcde", NAMES, strict=True)), bonds)


def parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg.encode())  # noqa: S314 - drawn a moment ago


EVERY = pytest.mark.parametrize("draw", [a_presence, a_fight, a_speaking, a_relation])


@EVERY
def test_picture_is_well_formed_whatever_names_are(draw: Callable[[], Picture | None]) -> None:
    picture = draw()
    assert picture is not None
    root = parsed(picture.inline())

    assert root.find("{*}title") is not None
    assert "script" not in {element.tag.rpartition("}")[2] for element in root.iter()}
    assert parsed(picture.file()) is not None


@EVERY
def test_picture_has_nothing_that_the_policy_forbids(draw: Callable[[], Picture | None]) -> None:
    picture = draw()
    assert picture is not None

    assert not re.search(r"\sstyle=|<style|\son\w+=|href=", picture.inline())


@EVERY
def test_picture_is_named_by_its_title_and_description(draw: Callable[[], Picture | None]) -> None:
    picture = draw()
    assert picture is not None
    root = parsed(picture.inline())
    ids = {element.get("id"): element.text for element in root if element.get("id")}

    assert root.get("role") == "img"
    assert set((root.get("aria-labelledby") or "").split()) == set(ids)
    assert all(ids.values())


@EVERY
def test_picture_is_drawn_the_same_way_each_time(draw: Callable[[], Picture | None]) -> None:
    assert draw() == draw()


@EVERY
def test_table_has_a_cell_for_every_heading(draw: Callable[[], Picture | None]) -> None:
    picture = draw()
    assert picture is not None

    assert picture.table.rows
    assert {len(row) for row in picture.table.rows} == {len(picture.table.headings)}


def test_text_is_drawn_in_png_too() -> None:
    picture = a_speaking()
    assert picture is not None
    with_text, without = png(picture.file()), png(re.sub(r"<text.*?</text>", "", picture.file()))

    assert with_text.startswith(b"\x89PNG")
    assert with_text != without


def test_nothing_to_draw_is_no_picture() -> None:
    assert presence([], [1]) is None
    assert presence([Seen("Wick", {3: 2})], [1, 2]) is None
    assert fight([], title="A fight") is None
    assert speaking([]) is None
    assert speaking([Voice("Bram", 3, 0)]) is None
    assert relations({"a": "Wick"}, [Bond("a", "b", 3)]) is None


def test_those_left_out_are_told_of() -> None:
    crowd = presence([Seen(f"Guard {at:03}", {1: 1}) for at in range(MOST_ROWS + 3)], [1])
    ring = relations(
        {str(at): f"Guard {at:03}" for at in range(MOST_NAMES + 4)},
        [Bond(str(at), str(at + 1), 1) for at in range(MOST_NAMES + 3)],
    )

    assert crowd is not None
    assert "3 that occur less often are not drawn" in crowd.description
    assert ring is not None
    assert "4 who share fewer are not drawn" in ring.description


def test_relations_do_not_depend_on_the_order_they_come_in() -> None:
    names = {sign: f"Name {sign}" for sign in "abcdefgh"}
    bonds = [Bond(one, other, 1 + (ord(one) * ord(other)) % 5) for one in names for other in names if one < other]

    assert relations(names, bonds) == relations(dict(reversed(names.items())), bonds[::-1])


def test_fight_tells_turns_rounds_and_what_broke_in() -> None:
    picture = fight(
        [Beat("Wick", 1, False, "swings"), Beat("Bram", 1, True, "parries"), Beat("Bram", 2, False, "")], title="Pier"
    )

    assert picture is not None
    assert picture.description == "2 turns of Wick and Bram; 2 rounds said aloud. 1 broke into somebody's turn."
    assert picture.table.rows[1] == ("2", "1", "Bram", "parries")


@given(st.text(max_size=80), st.floats(min_value=20, max_value=300))
def test_text_is_cut_to_its_room(said: str, room: float) -> None:
    shown = fit(said, room)

    assert width_of(shown) <= room
    assert shown == said or shown.endswith("…")
