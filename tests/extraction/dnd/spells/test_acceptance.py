"""What is special to spells: levels, casters and targets by the registry, which casts are one."""

from __future__ import annotations

from typing import Any

import pytest

from extraction.canonical import JsonValue
from extraction.codes import Code
from extraction.dnd.artifacts.spells import SpellCast
from extraction.dnd.shared.references import validate_canonical_refs, validate_record_order, validate_source_refs
from extraction.dnd.spells.normalize import normalize
from extraction.dnd.spells.validators import validate_relatedness, validate_shape
from extraction.errors import LaneFailed
from extraction.findings import Finding, Severity
from tests.extraction import story
from tests.extraction.dnd.one_chunk_lanes import answering, codes, npcs, pairs, records, run

KEY = "dnd/spells"


def cast(*refs: tuple[int, int], **changes: JsonValue) -> dict[str, JsonValue]:
    given: dict[str, JsonValue] = {
        "caster": "Corwen",
        "spell": "light",
        "level": None,
        "targets": [],
        "outcome": None,
        "source_refs": story.ranges(refs or ((202, 202),)),
    }
    return given | changes


def spell(*refs: tuple[int, int], **changes: Any) -> SpellCast:
    given: dict[str, Any] = {
        "caster": "Corwen",
        "spell": "light",
        "level": None,
        "targets": (),
        "outcome": None,
        "source_refs": tuple(story.ref(*pair) for pair in refs or ((202, 202),)),
    }
    return SpellCast(**given | changes)


@pytest.mark.parametrize("level", [None, 0, 1, 9])
def test_lane_keeps_a_level_that_exists(level: int | None) -> None:
    (found,) = records(run(KEY, answering(KEY, {203: [cast(level=level)]})))

    assert found["level"] == level


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        pytest.param({"level": -1}, "level", id="level-below"),
        pytest.param({"level": 10}, "level", id="level-above"),
        pytest.param({"caster": " "}, "caster", id="caster-blank"),
        pytest.param({"spell": ""}, "spell", id="spell-empty"),
        pytest.param({"targets": ["Wick", ""]}, "targets[1]", id="target-empty"),
        pytest.param({"outcome": ""}, "outcome", id="outcome-empty-instead-of-null"),
    ],
)
def test_a_malformed_candidate_is_not_repaired(changes: dict[str, JsonValue], field: str) -> None:
    with pytest.raises(LaneFailed) as failed:
        run(KEY, answering(KEY, {203: [cast(**changes)]}))
    rejected = [found for found in failed.value.findings if found.severity is Severity.REJECT]

    assert [(found.code, found.where) for found in rejected] == [(Code.RECORD_SHAPE, f"chunk[2].record[0].{field}")]


def test_validators_accept_a_valid_record_and_leave_it_unchanged() -> None:
    given = (spell(targets=("Wick",), level=3, outcome="it shines", spell="candle"),)
    scope = story.make_scope()
    checks = (validate_shape, validate_source_refs, validate_canonical_refs, validate_record_order)
    found: list[Finding] = [one for check in checks for one in check(given, scope)]

    assert found + validate_relatedness(given, scope) == []
    assert given == (spell(targets=("Wick",), level=3, outcome="it shines", spell="candle"),)


def test_exact_registry_names_become_canonical_for_caster_and_targets_with_one_warning_each() -> None:
    bound = npcs("Aurelio Voss", "Wick", members={"Aurelio Voss": ["Captain Voss"]})
    given = cast((204, 204), caster="captain  voss", spell="a boat", targets=["WICK", "Voss", "Nobody"])
    result = run(KEY, answering(KEY, {203: [given]}), references=bound)
    (found,) = records(result)
    renamed = [one.where for one in result.findings if one.code is Code.NAME_REWRITTEN]

    assert (found["caster"], found["targets"]) == ("Aurelio Voss", ["Wick", "Voss", "Nobody"])
    assert renamed == ["record[0].caster", "record[0].targets[0]"]


def test_ambiguous_names_stay() -> None:
    bound = npcs("Mother Quillon", "Old Mother", members={"Mother Quillon": ["Mother"], "Old Mother": ["Mother"]})
    result = run(KEY, answering(KEY, {203: [cast(caster="Mother")]}), references=bound)

    assert records(result)[0]["caster"] == "Mother"
    assert Code.NAME_REWRITTEN not in codes(result.findings)


def test_registry_never_becomes_evidence() -> None:
    bound = npcs("Wick")
    result = run(KEY, answering(KEY, {203: [cast((206, 205), targets=["Wick"])]}), references=bound)

    assert [pairs(one) for one in records(result)] == [[(206, 205)]]
    assert records(run(KEY, answering(KEY, {}), references=bound)) == []


@pytest.mark.parametrize(
    ("changes", "count"),
    [
        pytest.param({}, 1, id="all-equal"),
        pytest.param({"caster": "CORWEN", "spell": "Light"}, 1, id="equal-by-comparison-key"),
        pytest.param({"caster": "Pike"}, 2, id="caster"),
        pytest.param({"spell": "web"}, 2, id="spell"),
        pytest.param({"level": 1}, 2, id="level"),
        pytest.param({"targets": ("Wick",)}, 2, id="targets"),
        pytest.param({"outcome": "it shines"}, 2, id="outcome"),
        pytest.param({"source_refs": (story.ref(202, 202), story.ref(209, 209))}, 2, id="evidence-contains"),
    ],
)
def test_only_exact_duplicates_collapse_and_the_first_is_kept(changes: dict[str, Any], count: int) -> None:
    first = spell()
    outcome = normalize([first, spell(**changes)], story.make_scope())

    assert len(outcome.value) == count
    assert outcome.value[0] == first
    assert codes(outcome.findings) == [Code.DUPLICATE_COLLAPSED] * (2 - count)


def test_normalize_tidies_white_space_with_a_warning_and_changes_nothing_twice() -> None:
    scope = story.make_scope(references=npcs("Wick"))
    once = normalize([spell(spell=" magic\n missile ", targets=("wick",), outcome="two  hit")], scope)
    (found,) = once.value

    assert (found.spell, found.targets, found.outcome) == ("magic missile", ("Wick",), "two hit")
    assert codes(once.findings) == [Code.TEXT_TIDIED, Code.NAME_REWRITTEN]
    assert normalize(once.value, scope) == type(once)(once.value)
