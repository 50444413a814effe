from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.canonical import JsonValue
from extraction.llm.rules.items_extract import extract_items
from tests.extraction.llm.rules.registries import Named, found, narrated
from tests.extraction.llm.rules.table import Said


def things(*said: Said, **changes: JsonValue) -> list[Named]:
    return found(extract_items, "items", *said, **changes)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        pytest.param("In it lies a potion of healing.", "potion of healing", id="potion"),
        pytest.param("It is a scroll of hold person.", "scroll of hold person", id="scroll-of-a-spell"),
        pytest.param("She wears the Cloak of the Ninth Tide.", "Cloak of the Ninth Tide", id="capitals-after-of"),
        pytest.param("And this is an immovable rod.", "immovable rod", id="magic-kind"),
        pytest.param("You draw the Cinder Blade and wait.", "Cinder Blade", id="capitals-and-kind"),
        pytest.param("He has a dagger called Morrow.", "Morrow", id="called"),
        pytest.param("The mirror hums, and it's called the Patient Eye.", "Patient Eye", id="it-is-called"),
        pytest.param("You find a cracked blue lantern.", "cracked blue lantern", id="find"),
        pytest.param("She hands you the rusty key.", "rusty key", id="hand"),
        pytest.param("So you've got a white ledger and no sleep.", "white ledger", id="got"),
        pytest.param("And there is a carved idol on the shelf.", "carved idol", id="there-is"),
        pytest.param("He gives you Corvane's locket.", "Corvane's locket", id="heirloom"),
    ],
)
def test_extract_items_names_a_thing_on_a_cue(text: str, name: str) -> None:
    assert things(("NOOR", text)) == [(name, [(1, 1)])]


@pytest.mark.parametrize(
    "said",
    [
        pytest.param(("NOOR", "You find a sword and a shield."), id="of-no-account"),
        pytest.param(("INES", "I grab my short sword and take the long bow."), id="arms"),
        pytest.param(("NOOR", "You see the same old book, the other key, a big box."), id="nothing-special"),
        pytest.param(("NOOR", "The letter lies there."), id="said-once"),
        pytest.param(("INES", "I haven't got a cracked lantern. You need a black pearl."), id="not-there"),
        pytest.param(("THEO", "If I had a golden crown, I would give you a silver ring."), id="supposed"),
        pytest.param(("THEO", "My phone found a golden ring in that movie."), id="table-talk"),
        pytest.param(("INES", "I give you Quill's locket. Quill's silver key is mine."), id="party"),
        pytest.param(("THEO", "I cast Shield of Faith, then Fireball."), id="spells"),
        pytest.param(("NOOR", "There is a bag of sand and a cup of tea."), id="of-nothing-magic"),
        pytest.param(("NOOR", "A woman called Wenna waits."), id="called-person"),
        pytest.param(("NOOR", f"You find a r{'e' * 300}d lantern called W{'o' * 300}."), id="cry"),
        pytest.param(("NOOR", ""), id="empty"),
    ],
)
def test_extract_items_leaves_out(said: Said) -> None:
    assert things(said) == []


def test_extract_items_gives_a_name_once_with_all_its_places() -> None:
    said = narrated("You find a cracked blue lantern.", "It rains.", "The cracked blue lantern glows.", "Fine.")

    assert things(*said) == [("cracked blue lantern", [(1, 1), (3, 3)])]


def test_extract_items_takes_a_bare_word_for_one_thing_when_the_table_goes_on_about_it() -> None:
    said = narrated("In the trunk there is a ledger.", "It rains.", "I open the ledger.")

    assert things(*said) == [("ledger", [(1, 1), (3, 3)])]


def test_extract_items_does_not_take_a_word_for_a_name() -> None:
    said = narrated("He has a dagger called Sorrow.", "There is only sorrow here.", "Sorrow hums.")

    assert things(*said) == [("Sorrow", [(1, 1), (3, 3)])]


def test_extract_items_writes_the_glossary_term() -> None:
    glossary: list[JsonValue] = [{"term": "Morrow", "heard_as": ["more oh"]}]

    assert things(*narrated("A blade called more oh."), glossary=glossary) == [("Morrow", [(1, 1)])]


SHOWN = st.lists(
    st.tuples(
        st.sampled_from(["NOOR", "INES", None]),
        st.lists(
            st.sampled_from(
                ["you", "find", "a", "the", "old", "ring", "of", "Called", "called", "Ab", "healing,", "."]
            ),
            max_size=20,
        ).map(" ".join),
    ),
    max_size=12,
)


@settings(max_examples=60)
@given(SHOWN)
def test_extract_items_answers_whatever_is_said_and_cites_only_it(said: list[Said]) -> None:
    records = things(*said)
    ranges = [pair for _, pairs in records for pair in pairs]

    assert all(1 <= start <= end <= len(said) for start, end in ranges)
    assert all(name.strip() and pairs for name, pairs in records)
