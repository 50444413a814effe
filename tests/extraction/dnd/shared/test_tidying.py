"""What spells and enemy events are tidied by."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.codes import Code
from extraction.dnd.shared.bound import BoundEntity
from extraction.dnd.shared.name_book import NameBook
from extraction.dnd.shared.npc_names import npc_names
from extraction.dnd.shared.tidying import (
    Tidied,
    Tidying,
    collapse_repeats,
    in_document_order,
    key_or_none,
)
from extraction.source.references import SourceRef
from tests.extraction import story
from tests.extraction.dnd import one_chunk_lanes as lanes

BOOK = NameBook(
    [
        BoundEntity("npc:1", "Aurelio Voss", (), ("Captain Voss", "Voss")),
        BoundEntity("npc:2", "Mother Quillon", (), ("Mother",)),
        BoundEntity("npc:3", "Old Mother", (), ("Mother",)),
    ]
)


@dataclass(frozen=True, slots=True)
class Note:
    text: str
    source_refs: tuple[SourceRef, ...] = ()


@pytest.mark.parametrize(
    ("name", "expected", "rewritten"),
    [
        pytest.param("Aurelio Voss", "Aurelio Voss", False, id="canonical"),
        pytest.param("CAPTAIN  VOSS", "Aurelio Voss", True, id="member-by-key"),
        pytest.param("Mother", "Mother", False, id="ambiguous-stays"),
        pytest.param("Captain", "Captain", False, id="part-of-a-name-stays"),
        pytest.param(" the  eel ", "the eel", False, id="unknown-tidied"),
    ],
)
def test_name_is_rewritten_on_an_exact_match_only(name: str, expected: str, rewritten: bool) -> None:
    tidying = Tidying(BOOK)

    assert tidying.name("caster", name) == expected
    assert tidying.rewritten == (["caster"] if rewritten else [])


def test_names_keep_their_order_and_repeats() -> None:
    tidying = Tidying(BOOK)

    assert tidying.names("targets", ["Wick", "Voss", "Wick"]) == ("Wick", "Aurelio Voss", "Wick")
    assert tidying.rewritten == ["targets[1]"]


@given(st.text(max_size=30))
def test_text_is_idempotent_and_says_what_it_did(text: str) -> None:
    tidying = Tidying(BOOK)
    tidy = tidying.text(text)

    assert Tidying(BOOK).text(tidy) == tidy
    assert tidying.spaced == (tidy != text)


def test_collapse_repeats_keeps_the_first_and_places_every_warning_at_what_stands() -> None:
    given_records = [
        Tidied(Note("one"), (), False),
        Tidied(Note("two"), ("enemy",), True),
        Tidied(Note("ONE"), ("actor",), False),
    ]
    outcome = collapse_repeats(given_records, lambda note: note.text.casefold())

    assert outcome.value == (Note("one"), Note("two"))
    assert [(found.code, found.where) for found in outcome.findings] == [
        (Code.TEXT_TIDIED, "record[1]"),
        (Code.NAME_REWRITTEN, "record[1].enemy"),
        (Code.NAME_REWRITTEN, "record[0].actor"),
        (Code.DUPLICATE_COLLAPSED, "record[0]"),
    ]


def test_in_document_order_follows_position_and_keeps_the_order_of_equals() -> None:
    late, early, same = (
        Note("late", (story.ref(203, 203),)),
        Note("early", (story.ref(41, 41),)),
        Note("same", (story.ref(203, 203),)),
    )

    assert in_document_order([late, early, same], story.make_scope()) == [early, late, same]


def test_npc_names_show_names_and_no_id() -> None:
    scope = story.make_scope(references=lanes.npcs("Wick", "Aurelio Voss", members={"Aurelio Voss": ["Captain Voss"]}))

    assert npc_names(scope) == [
        {"name": "Wick", "other_names": []},
        {"name": "Aurelio Voss", "other_names": ["Captain Voss"]},
    ]
    assert npc_names(story.make_scope()) == []


def test_key_or_none_compares_what_is_there() -> None:
    assert (key_or_none(None), key_or_none(" It  Holds ")) == (None, "it holds")
