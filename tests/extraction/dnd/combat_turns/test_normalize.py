from __future__ import annotations

from copy import deepcopy

from hypothesis import given
from hypothesis import strategies as st

from extraction.codes import Code
from extraction.dnd.artifacts.combat_turns import CombatAction, CombatTurn
from extraction.dnd.combat_turns.normalize import normalize
from extraction.dnd.combat_turns.validators import validate_no_duplicates, validate_normalized
from tests.extraction.dnd.combat_turns.fight import record, registry
from tests.extraction.story import make_scope, ref

SCOPE = make_scope(references={"npcs": registry("Wick", "Dell", members={"Wick": ["Old Wick"]})})
RECORDS = st.builds(
    lambda actor, kind, number, units: record(
        actor, *((unit, unit) for unit in units), turn_kind=kind, round=number, summary="Fights."
    ),
    st.sampled_from(["Wick", "old  wick", "Old Wick", "dell", "a gull"]),
    st.sampled_from(["turn", "reaction"]),
    st.sampled_from([None, 1]),
    st.lists(st.sampled_from([41, 7, 203]), min_size=1, max_size=2),
)


def test_normalize_tidies_white_space_and_evidence_with_one_warning_a_record() -> None:
    action = CombatAction("item", " throws\nthe net ", (" Dell ",), " it\tcatches ")
    given = record("a  gull", (52, 52), (50, 50), (52, 52), actions=(action,), summary=" Throws. ")
    outcome = normalize([given], SCOPE)

    assert outcome.value == (
        record(
            "a gull",
            (50, 50),
            (52, 52),
            actions=(CombatAction("item", "throws the net", ("Dell",), "it catches"),),
            summary="Throws.",
        ),
    )
    assert [(one.code, one.where) for one in outcome.findings] == [(Code.TEXT_TIDIED, "record[0]")]


def test_normalize_leaves_a_tidy_record_and_its_input_alone() -> None:
    given = [record("Wick", (50, 50)), record("a gull", (50, 50))]
    before = deepcopy(given)
    outcome = normalize(given, SCOPE)

    assert (outcome.value, outcome.findings, given) == (tuple(given), (), before)


def test_normalize_orders_by_earliest_range_then_chunk_then_reply() -> None:
    first = [record("b", (50, 50)), record("a", (46, 47)), record("c", (50, 50), round=2)]
    second = [record("e", (12, 12)), record("d", (50, 50), round=3)]
    nowhere = record("f", source_refs=(ref(998, 999),))
    ordered = normalize([nowhere, *first, *second], SCOPE).value

    assert [one.actor for one in ordered] == ["a", "b", "c", "d", "e", "f"]


@given(st.lists(RECORDS, max_size=8))
def test_normalize_settles_what_its_validators_ask_and_does_nothing_the_second_time(given: list[CombatTurn]) -> None:
    once = normalize(given, SCOPE).value
    twice = normalize(once, SCOPE)

    assert (twice.value, twice.findings) == (once, ())
    assert validate_normalized(once, SCOPE) == validate_no_duplicates(once, SCOPE) == []
