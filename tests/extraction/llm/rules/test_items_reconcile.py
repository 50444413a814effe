from __future__ import annotations

import pytest

from extraction.llm.rules.items_reconcile import reconcile_items
from tests.extraction.llm.rules.registries import Named, groups, question


def records(*names: str) -> list[Named]:
    return [(name, [(at, at)]) for at, name in enumerate(names, start=1)]


def asked(names: tuple[str, ...], *texts: str) -> list[tuple[set[str], str]]:
    materials = question(records(*names), list(enumerate(texts, start=1)))
    return [({name for name, _ in members}, canonical) for members, canonical in groups(reconcile_items, materials)]


@pytest.mark.parametrize(
    ("names", "texts", "canonical"),
    [
        pytest.param(
            ("rusty dagger", "Morrow"),
            ("You find a rusty dagger.", "You learn that the dagger is called Morrow."),
            "Morrow",
            id="name-learned",
        ),
        pytest.param(
            ("lantern", "cracked blue lantern"), ("A cracked blue lantern.", "I take the lantern."),
            "cracked blue lantern", id="words-left-out",
        ),
    ],
)  # fmt: skip
def test_reconcile_items_joins(names: tuple[str, ...], texts: tuple[str, ...], canonical: str) -> None:
    assert asked(names, *texts) == [(set(names), canonical)]


@pytest.mark.parametrize(
    ("names", "texts"),
    [
        pytest.param(("potion of healing", "potion of flying"), ("Two potions.",), id="two-of-a-kind"),
        pytest.param(("ring of warmth", "warmth"), ("A ring of warmth.",), id="what-it-does"),
        pytest.param(("key", "rusty key", "glass key"), ("A rusty key and a glass key.",), id="several-it-could-be"),
        pytest.param(("key", "rusty key"), ("A rusty key.", "And another key."), id="another-is-spoken-of"),
        pytest.param(("blue lantern", "red lantern"), ("A blue lantern. A red lantern.",), id="different-words"),
        pytest.param(
            ("rusty dagger", "old dagger", "Morrow"),
            ("A rusty dagger, an old dagger.", "The dagger is called Morrow."),
            id="name-of-one-of-two",
        ),
        pytest.param(("rusty dagger", "Morrow"), ("A rusty dagger.", "Morrow hums."), id="nothing-said"),
        pytest.param((), (), id="nothing"),
    ],
)
def test_reconcile_items_keeps_apart(names: tuple[str, ...], texts: tuple[str, ...]) -> None:
    assert asked(names, *texts) == []


def test_reconcile_items_puts_a_record_into_one_group_at_most() -> None:
    names = ("dagger", "rusty dagger", "Morrow")
    found = asked(names, "A rusty dagger.", "The dagger is called Morrow.", "Morrow.")

    assert len(found) <= 1
