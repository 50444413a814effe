from __future__ import annotations

import pytest

from campaigns.presentation import Fact, Item, Step, shown


@pytest.mark.parametrize(
    ("family", "item", "labels", "facts"),
    [
        pytest.param("scenes", {"title": "Dusk", "primary_mode": "table_talk"}, ("table talk",), (), id="scene"),
        pytest.param("npc-occurrences", {"name": "Wick", "kind": "dialogue"}, ("dialogue",), (), id="npc"),
        pytest.param(
            "item-occurrences",
            {"name": "Clapper", "kind": "acquired", "actor": "Pike", "recipient": None, "detail": None},
            ("acquired",),
            (Fact("Got by", "Pike"),),
            id="item-acquired",
        ),
        pytest.param(
            "item-occurrences",
            {"name": "Clapper", "kind": "transferred", "actor": "Pike", "recipient": "Wick", "detail": "thrown"},
            ("transferred",),
            (Fact("From", "Pike"), Fact("To", "Wick"), Fact("", "thrown")),
            id="item-transferred",
        ),
        pytest.param(
            "item-occurrences",
            {"name": "Clapper", "kind": "lost", "actor": "Wick", "recipient": None, "detail": None},
            ("lost",),
            (Fact("By", "Wick"),),
            id="item-lost",
        ),
        pytest.param(
            "spells",
            {"spell": "Light", "caster": "Corwen", "level": 0, "targets": [], "outcome": None},
            ("cantrip",),
            (Fact("Cast by", "Corwen"),),
            id="cantrip",
        ),
        pytest.param(
            "spells",
            {"spell": "Light", "caster": "Corwen", "level": None, "targets": ["Voss", "Dell"], "outcome": "dims"},
            (),
            (Fact("Cast by", "Corwen"), Fact("At", "Voss, Dell"), Fact("Outcome", "dims")),
            id="spell-of-no-level",
        ),
        pytest.param(
            "enemy-events",
            {"enemy": "Voss", "kind": "flees", "detail": "dives", "actor": None},
            ("flees",),
            (Fact("", "dives"),),
            id="event",
        ),
        pytest.param("weather", {"name": "Fog"}, (), (), id="family-of-no-reading"),
    ],
)
def test_shown_reads_each_family(family: str, item: Item, labels: tuple[str, ...], facts: tuple[Fact, ...]) -> None:
    read = shown(family, item)

    assert read.heading in item.values()
    assert (read.labels, read.facts, read.steps, read.interrupt) == (labels, facts, (), False)


@pytest.mark.parametrize(
    ("kind", "number", "labels", "interrupt"),
    [
        ("turn", None, (), False),
        ("turn", 2, ("round 2",), False),
        ("reaction", 2, ("reaction", "round 2"), True),
        ("legendary_action", None, ("legendary action",), True),
        ("lair_action", None, ("lair action",), True),
        ("other", None, ("other",), False),
    ],
)
def test_shown_marks_what_interrupts_a_turn(
    kind: str, number: int | None, labels: tuple[str, ...], interrupt: bool
) -> None:
    action = {"category": "ability_check", "declaration": "looks", "targets": ["a", "b"], "resolution": None}
    read = shown("combat-turns", {"actor": "Pike", "turn_kind": kind, "round": number, "actions": [action]})

    assert (read.labels, read.interrupt) == (labels, interrupt)
    assert read.steps == (Step("ability check", "looks", "a, b", ""),)
