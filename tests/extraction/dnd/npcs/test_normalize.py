"""The deterministic part of normalization."""

from __future__ import annotations

from dataclasses import replace

import pytest

from extraction.codes import Code
from extraction.dnd.artifacts.registry import Entity
from extraction.dnd.npcs.normalize import normalize
from extraction.findings import Finding, Severity
from tests.extraction.story import make_scope, npc, ref

SCOPE = make_scope()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param([], [], id="nothing"),
        pytest.param(
            [npc("Wick", (206, 205)), npc("WICK", (50, 52))], [npc("WICK", (50, 52), (206, 205))], id="first-name-stays"
        ),
        pytest.param(
            [npc("O\u00b4Dell", (44, 44)), npc("O'Dell", (44, 44), (45, 45))],
            [npc("O\u00b4Dell", (44, 44), (45, 45))],
            id="apostrophes-and-equal-ranges",
        ),
        pytest.param([npc("  Aurelio \n Voss ", (204, 204))], [npc("Aurelio Voss", (204, 204))], id="white-space"),
        pytest.param(
            [npc("Voss", (203, 203)), npc("Dell", (7, 7)), npc("Wick", (55, 55))],
            [npc("Wick", (55, 55)), npc("Dell", (7, 7)), npc("Voss", (203, 203))],
            id="order-of-position",
        ),
        pytest.param(
            [npc("Wick", (41, 41)), npc("Dell", (41, 41)), npc("Ada", (41, 42))],
            [npc("Dell", (41, 41)), npc("Wick", (41, 41)), npc("Ada", (41, 42))],
            id="then-end-then-key",
        ),
        pytest.param([npc("Wick", (41, 41)), npc("Old Wick", (42, 42))], None, id="nothing-approximate"),
    ],
)
def test_normalize_unites_equal_keys_in_document_order(given: list[Entity], expected: list[Entity] | None) -> None:
    outcome = normalize(given, SCOPE)

    assert list(outcome.value) == (given if expected is None else expected)
    assert (outcome.findings, outcome.retry) == ((), None)


def test_normalize_leaves_out_the_people_at_the_table_with_one_warning() -> None:
    given = [npc(name, (41, 41)) for name in ("PIKE", "Corwen", "corwen", "Ottilie", "Yun", "Sister Corwen", "Wick")]
    outcome = normalize(given, SCOPE)

    assert [record.name for record in outcome.value] == ["Sister Corwen", "Wick"]
    assert outcome.findings == (Finding(Code.IDENTITY_ROSTER, Severity.WARNING, "", {"names": 4}),)


@pytest.mark.parametrize(
    "record",
    [
        pytest.param(npc(" ", (41, 41)), id="no-name"),
        pytest.param(npc("Wick", (46, 44)), id="reversed"),
        pytest.param(npc("Wick", (999, 41)), id="unknown-unit"),
        pytest.param(replace(npc("Wick"), source_refs=(ref(41, 41, "far.s1.t1"),)), id="other-source"),
        pytest.param(npc("Wick"), id="no-evidence"),
    ],
)
def test_normalize_leaves_what_is_invalid_for_the_validators(record: Entity) -> None:
    assert normalize([record], SCOPE).value == (record,)


def test_normalize_leaves_its_input_unchanged() -> None:
    given = [npc("Voss", (203, 203)), npc("PIKE", (7, 7)), npc("voss", (55, 55))]
    before = list(given)
    normalize(given, SCOPE)

    assert given == before
