"""What is special to enemy events: kinds, enemies and actors by the registry, which events are one."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from extraction.canonical import JsonValue
from extraction.codes import Code
from extraction.dnd.artifacts.enemy_events import EnemyEvent, EventKind
from extraction.dnd.enemy_events.normalize import normalize
from extraction.dnd.enemy_events.validators import validate_relatedness, validate_shape
from extraction.dnd.shared.references import validate_canonical_refs, validate_record_order, validate_source_refs
from extraction.errors import LaneFailed
from extraction.findings import Finding
from tests.extraction import story
from tests.extraction.dnd.one_chunk_lanes import answering, codes, npcs, pairs, records, run

KEY = "dnd/enemy-events"


def told(*refs: tuple[int, int], **changes: JsonValue) -> dict[str, JsonValue]:
    given: dict[str, JsonValue] = {
        "enemy": "Voss",
        "kind": "appears",
        "detail": "stands in a boat",
        "actor": None,
        "source_refs": story.ranges(refs or ((204, 204),)),
    }
    return given | changes


def event(*refs: tuple[int, int], **changes: Any) -> EnemyEvent:
    given: dict[str, Any] = {
        "enemy": "Voss",
        "kind": "damaged",
        "detail": "takes 5 damage",
        "actor": "Pike",
        "source_refs": tuple(story.ref(*pair) for pair in refs or ((204, 204),)),
    }
    return EnemyEvent(**given | changes)


@pytest.mark.parametrize("kind", get_args(EventKind))
def test_lane_keeps_every_kind_of_event(kind: str) -> None:
    (found,) = records(run(KEY, answering(KEY, {203: [told(kind=kind)]})))

    assert found["kind"] == kind


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        pytest.param({"kind": "insulted"}, Code.LLM_SCHEMA_MISMATCH, id="kind"),
        pytest.param({"enemy": " "}, Code.RECORD_SHAPE, id="enemy-blank"),
        pytest.param({"detail": ""}, Code.RECORD_SHAPE, id="detail-empty"),
        pytest.param({"actor": ""}, Code.RECORD_SHAPE, id="actor-empty-instead-of-null"),
    ],
)
def test_a_malformed_candidate_is_not_repaired(changes: dict[str, JsonValue], code: Code) -> None:
    with pytest.raises(LaneFailed) as failed:
        run(KEY, answering(KEY, {203: [told(**changes)]}))

    assert code in codes(failed.value.findings)


def test_validate_shape_rejects_a_kind_that_came_from_elsewhere() -> None:
    found = validate_shape([event(), event(kind="insulted")], story.make_scope())

    assert [(one.code, one.where) for one in found] == [(Code.RECORD_SHAPE, "record[1].kind")]


def test_validators_accept_a_valid_record_and_leave_it_unchanged() -> None:
    given, scope = (event(),), story.make_scope()
    checks = (validate_shape, validate_source_refs, validate_canonical_refs, validate_record_order)
    found: list[Finding] = [one for check in checks for one in check(given, scope)]

    assert found + validate_relatedness(given, scope) == []
    assert given == (event(),)


def test_exact_registry_names_become_canonical_for_enemy_and_actor_with_one_warning_each() -> None:
    bound = npcs("Aurelio Voss", "Wick", members={"Aurelio Voss": ["Captain Voss"]})
    result = run(KEY, answering(KEY, {203: [told(enemy="captain voss", actor="WICK")]}), references=bound)
    (found,) = records(result)

    assert (found["enemy"], found["actor"]) == ("Aurelio Voss", "Wick")
    assert [(one.code, one.where) for one in result.findings] == [
        (Code.NAME_REWRITTEN, "record[0].enemy"),
        (Code.NAME_REWRITTEN, "record[0].actor"),
    ]


def test_ambiguous_and_unmatched_names_stay() -> None:
    bound = npcs("Aurelio Voss", "Ilse Voss", members={"Aurelio Voss": ["Voss"], "Ilse Voss": ["Voss"]})
    given = [told(), told((209, 209), enemy="the man in the boat")]
    result = run(KEY, answering(KEY, {203: given}), references=bound)

    assert [one["enemy"] for one in records(result)] == ["Voss", "the man in the boat"]
    assert Code.NAME_REWRITTEN not in codes(result.findings)


def test_registry_never_becomes_evidence() -> None:
    bound = npcs("Voss")

    assert [pairs(one) for one in records(run(KEY, answering(KEY, {203: [told()]}), references=bound))] == [
        [(204, 204)]
    ]
    assert records(run(KEY, answering(KEY, {}), references=bound)) == []


@pytest.mark.parametrize(
    ("changes", "count"),
    [
        pytest.param({}, 1, id="all-equal"),
        pytest.param({"enemy": "VOSS", "detail": "Takes 5 damage"}, 1, id="equal-by-comparison-key"),
        pytest.param({"enemy": "Dell"}, 2, id="enemy"),
        pytest.param({"kind": "other"}, 2, id="kind"),
        pytest.param({"detail": "takes 6 damage"}, 2, id="detail"),
        pytest.param({"actor": None}, 2, id="actor"),
        pytest.param({"source_refs": (story.ref(204, 204), story.ref(209, 209))}, 2, id="evidence-contains"),
    ],
)
def test_only_exact_duplicates_collapse_and_the_first_is_kept(changes: dict[str, Any], count: int) -> None:
    first = event()
    outcome = normalize([first, event(**changes)], story.make_scope())

    assert len(outcome.value) == count
    assert outcome.value[0] == first
    assert codes(outcome.findings) == [Code.DUPLICATE_COLLAPSED] * (2 - count)


def test_duplicates_that_only_the_registry_makes_equal_collapse() -> None:
    scope = story.make_scope(references=npcs("Aurelio Voss", members={"Aurelio Voss": ["Voss", "Captain Voss"]}))
    outcome = normalize([event(), event(enemy="Captain Voss")], scope)

    assert [one.enemy for one in outcome.value] == ["Aurelio Voss"]
    assert codes(outcome.findings) == [Code.NAME_REWRITTEN, Code.NAME_REWRITTEN, Code.DUPLICATE_COLLAPSED]


def test_normalize_is_idempotent() -> None:
    scope = story.make_scope(references=npcs("Wick"))
    once = normalize([event(detail=" takes\n5 damage", actor="wick")], scope)

    assert (once.value[0].detail, once.value[0].actor) == ("takes 5 damage", "Wick")
    assert normalize(once.value, scope) == type(once)(once.value)
