from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from extraction.codes import Code
from extraction.dnd.artifacts.combat_turns import CombatAction, CombatTurn
from extraction.dnd.combat_turns.relatedness import validate_relatedness
from extraction.dnd.combat_turns.validators import (
    validate_names,
    validate_no_duplicates,
    validate_normalized,
    validate_shape,
)
from extraction.findings import Severity
from tests.extraction.dnd.combat_turns.fight import LANE, record, registry
from tests.extraction.story import make_scope

SCOPE = make_scope()
BOUND = make_scope(references={"npcs": registry("Aurelio Voss", members={"Aurelio Voss": ["the captain"]})})


def acting(**changes: Any) -> CombatTurn:
    given: dict[str, Any] = {"category": "attack", "declaration": "throws", "targets": (), "resolution": None}
    return record(actions=(CombatAction(**given | changes),))


SHAPES = [
    pytest.param(record(), [], id="valid"),
    pytest.param(record(round=1), [], id="first-round"),
    pytest.param(record(round=0), ["record[0].round"], id="round-0"),
    pytest.param(record(round=-1), ["record[0].round"], id="negative-round"),
    pytest.param(record(turn_kind="bonus_action"), ["record[0].turn_kind"], id="kind"),
    pytest.param(record(summary="\t"), ["record[0].summary"], id="summary"),
    pytest.param(record(actions=()), ["record[0].actions"], id="no-actions"),
    pytest.param(acting(category="magic"), ["record[0].actions[0].category"], id="category"),
    pytest.param(acting(declaration=" "), ["record[0].actions[0].declaration"], id="declaration"),
    pytest.param(acting(resolution=""), ["record[0].actions[0].resolution"], id="resolution"),
    pytest.param(acting(resolution="hits"), [], id="resolved"),
]


@pytest.mark.parametrize(("given", "places"), SHAPES)
def test_validate_shape_names_the_field(given: CombatTurn, places: list[str]) -> None:
    before = deepcopy(given)
    findings = validate_shape([given], SCOPE)

    assert [(one.code, one.severity, one.where) for one in findings] == [
        (Code.RECORD_SHAPE, Severity.REJECT, place) for place in places
    ]
    assert given == before


@pytest.mark.parametrize(
    ("given", "places"),
    [
        pytest.param(record(), [], id="valid"),
        pytest.param(record("\u00a0"), ["record[0].actor"], id="actor"),
        pytest.param(acting(targets=("Wick", "")), ["record[0].actions[0].targets[1]"], id="target"),
    ],
)
def test_validate_names_rejects_what_has_no_key(given: CombatTurn, places: list[str]) -> None:
    findings = validate_names([given], SCOPE)

    assert [(one.code, one.where) for one in findings] == [(Code.RECORD_NAME_EMPTY, place) for place in places]


@pytest.mark.parametrize(
    ("given", "rejected"),
    [
        pytest.param(record("Aurelio Voss"), False, id="canonical"),
        pytest.param(record("Voss"), False, id="unknown-to-the-registry"),
        pytest.param(record("The Captain"), True, id="member-name"),
        pytest.param(acting(targets=("aurelio voss",)), True, id="other-spelling-of-a-target"),
        pytest.param(record("Aurelio  Voss"), True, id="white-space"),
        pytest.param(record("Pike", (16, 16), (16, 16)), True, id="repeated-evidence"),
    ],
)
def test_validate_normalized_rejects_what_normalize_would_change(given: CombatTurn, rejected: bool) -> None:
    findings = validate_normalized([given], BOUND)

    assert [one.code for one in findings] == [Code.IDENTITY_MISMATCH] * rejected


def test_validate_no_duplicates_rejects_the_later_of_two_equal_records() -> None:
    same = [record("Pike"), record("Pike", round=2), record("PIKE", summary="Other words.")]
    findings = validate_no_duplicates(same, SCOPE)

    assert [(one.code, one.where) for one in findings] == [(Code.IDENTITY_DUPLICATE, "record[2]")]


RELATED = [
    pytest.param(record("Aurelio Voss", (18, 18), summary="x"), [], id="named"),
    pytest.param(record("Pike", (16, 16)), [], id="its-player-speaks"),
    pytest.param(record("PIKE", (13, 13)), ["record[0].actions"], id="its-player-speaks-of-other-things"),
    pytest.param(record("Corwen", (16, 16)), ["record[0].actor"], id="another-player-speaks"),
    pytest.param(record("Aurelio Voss", (20, 20)), ["record[0].actions"], id="a-member-name-is-said"),
    pytest.param(record("Wick", (53, 53)), ["record[0].actor", "record[0].actions"], id="neither"),
]


@pytest.mark.parametrize(("given", "places"), RELATED)
def test_validate_relatedness_warns_of_actor_and_actions(given: CombatTurn, places: list[str]) -> None:
    told = CombatAction("item", "puts the clapper away", (), None)
    named = CombatAction("other", "drowned", (), None)
    action = named if given.source_refs[0].start_unit_id == 18 else told
    findings = validate_relatedness([record(given.actor, *_pairs(given), actions=(action,))], BOUND)

    assert [(one.code, one.severity, one.where) for one in findings] == [
        (Code.EVIDENCE_UNRELATED, Severity.WARNING, place) for place in places
    ]


def test_validate_relatedness_counts_the_actions_of_a_record_in_one_warning() -> None:
    actions = tuple(CombatAction("other", words, (), None) for words in ("dances", "sings", "go", "keeps the clapper"))
    findings = validate_relatedness([record("Pike", (16, 16), actions=actions)], SCOPE)

    assert [(one.where, one.counts) for one in findings] == [("record[0].actions", {"actions": 2})]


def test_validators_of_the_lane_accept_a_valid_record() -> None:
    findings = [finding for validate in LANE.validators for finding in validate([record("Pike", (16, 16))], SCOPE)]

    assert findings == []


def _pairs(given: CombatTurn) -> list[tuple[int, int]]:
    return [(ref.start_unit_id, ref.end_unit_id) for ref in given.source_refs]
