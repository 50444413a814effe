"""The names-only projection of a registry, and who a name in a reply means."""

from __future__ import annotations

import pytest

from extraction.dnd.npc_occurrences.resolve import resolve_npc
from extraction.dnd.shared.bound import bound_entities, by_key
from extraction.dnd.shared.occurrences import names_only
from tests.extraction import story
from tests.extraction.dnd.occurrence_cast import NPC, bound, pages

REGISTRY = bound(
    "npcs",
    ("Wick", [(50, 50)]),
    ("Aurelio Voss", [(18, 18)]),
    ("O'Dell", [(44, 44)]),
    ("Twice", [(41, 41)]),
    ("twice", [(7, 7)]),
    members={"Aurelio Voss": ["Aurelio Voss", "Captain Voss"]},
)
ENTITIES = bound_entities(story.make_scope(references={"npcs": REGISTRY}), "npcs")


def test_names_only_gives_canonical_names_in_registry_order_and_nothing_else() -> None:
    assert names_only(ENTITIES) == ["Wick", "Aurelio Voss", "O'Dell", "Twice", "twice"]


def test_member_names_of_a_consolidation_are_not_shown() -> None:
    client = pages()
    NPC.run(client, references={"npcs": REGISTRY})
    shown = client.requests[0].materials["npcs"]

    assert shown == ["Wick", "Aurelio Voss", "O'Dell", "Twice", "twice"]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        pytest.param("Wick", "Wick", id="exact"),
        pytest.param(" WICK ", "Wick", id="case-and-white-space"),
        pytest.param("O\u00b4Dell", "O'Dell", id="apostrophes"),
        pytest.param("Captain Voss", None, id="member-name"),
        pytest.param("Voss", None, id="part"),
        pytest.param("Wicks", None, id="nothing-approximate"),
        pytest.param("Twice", None, id="shared"),
        pytest.param("", None, id="empty"),
    ],
)
def test_resolve_npc_demands_exactly_one_entry(name: str, meant: str | None) -> None:
    found = resolve_npc(name, by_key(ENTITIES))

    assert (found.name if found else None) == meant
