"""Decisions of a review bind a later run: they come before proposals, and contradict nothing silently."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from extraction.canonical import digest
from extraction.codes import Code
from extraction.dnd.artifacts.registry import Entity
from extraction.dnd.locations.identity import identify as place_identity
from extraction.dnd.npcs.identity import identify
from extraction.dnd.shared.reconcile import ReconcileReply, apply_groups
from extraction.dnd.shared.verdicts import contradictory
from extraction.identity import comparison_key
from extraction.lanes.job import Judged, Judgement, LaneResult, NamedRecord, Retries
from extraction.lanes.ports import LanePorts, MemoryCheckpoints
from extraction.lanes.run import run_lane
from extraction.llm.scripted import ScriptedClient
from extraction.registry import LANES
from tests.extraction.story import (
    NAMES,
    RECONCILE,
    asked,
    asking,
    group,
    groups,
    make_job,
    make_scope,
    names_of,
    npc,
    ref,
)

A, B, C, D = npc("Wick", (50, 52)), npc("Dell", (55, 55)), npc("Quillon", (11, 14)), npc("Voss", (204, 209))
PEOPLE = [A, B, C, D]


def named(*names: str) -> tuple[NamedRecord, ...]:
    return tuple(NamedRecord(comparison_key(name)) for name in names)


def same(decision: int, *names: str, chosen: str | None = None) -> list[Judgement]:
    said = [Judgement(decision, Judged.SAME, named(*names))]
    if chosen:
        said.append(Judgement(decision, Judged.CANONICAL, named(*names), chosen=named(chosen)[0]))
    return said


def apart(decision: int, *names: str) -> list[Judgement]:
    return [Judgement(decision, Judged.APART, named(*names))]


def remove(decision: int, *names: str) -> list[Judgement]:
    return [Judgement(decision, Judged.REMOVE, named(*names))]


def rename(decision: int, name: str, to: str) -> list[Judgement]:
    return [Judgement(decision, Judged.RENAME, named(name), to)]


def applied(verdicts: Sequence[list[Judgement]], *proposed: Any, records: Sequence[Entity] = PEOPLE) -> Any:
    scope = make_scope(verdicts=tuple(one for said in verdicts for one in said))
    return apply_groups(records, ReconcileReply.model_validate(groups(*proposed)), scope, identify)


def names(outcome: Any) -> list[str]:
    return [record.name for record in outcome.value.records]


def outcomes(outcome: Any) -> dict[int, str]:
    return {said["decision"]: said["outcome"] for said in outcome.value.consolidations["decisions"]}


def codes(outcome: Any) -> list[Code]:
    return [finding.code for finding in outcome.findings]


def verdicts_of(outcome: Any) -> list[str]:
    return [proposal["verdict"] for proposal in outcome.value.consolidations["proposals"]]


def test_without_decisions_nothing_is_said_of_them() -> None:
    outcome = applied([], group("Wick", "Dell"))

    assert set(outcome.value.consolidations) == {"applied", "proposals"}
    assert "by" not in outcome.value.consolidations["applied"][0]


def test_same_is_applied_with_the_evidence_of_both_though_nothing_was_proposed() -> None:
    outcome = applied([same(1, "WICK", "dell", chosen="Dell")])

    assert names(outcome) == ["Dell", "Quillon", "Voss"]
    assert outcome.value.records[0].source_refs == (*A.source_refs, *B.source_refs)
    assert outcome.value.consolidations["applied"][0]["by"] == "review"
    assert (outcomes(outcome), codes(outcome)) == ({1: "applied"}, [Code.DECISION_APPLIED])


def test_not_the_same_drops_the_proposal_and_says_so_without_a_retry() -> None:
    outcome = applied([apart(1, "Wick", "Dell")], group("Wick", "Dell"), group("Quillon", "Voss"))

    assert names(outcome) == ["Wick", "Dell", "Quillon"]
    assert verdicts_of(outcome) == [Code.DECISION_OVERRULED, "applied"]
    assert codes(outcome)[0] is Code.DECISION_OVERRULED
    assert outcome.retry is None


def test_not_the_same_drops_proposals_that_meet_over_a_decision() -> None:
    outcome = applied(
        [same(1, "Dell", "Quillon"), apart(2, "Wick", "Voss")], group("Wick", "Dell"), group("Quillon", "Voss")
    )

    assert verdicts_of(outcome) == [Code.DECISION_OVERRULED] * 2
    assert names(outcome) == ["Wick", "Dell", "Voss"]


def test_taken_apart_allows_what_is_less_than_all_of_it() -> None:
    taken_apart = apart(1, "Wick", "Dell", "Quillon")

    assert names(applied([taken_apart], group("Wick", "Dell", "Quillon"))) == ["Wick", "Dell", "Quillon", "Voss"]
    assert names(applied([taken_apart], group("Wick", "Dell"))) == ["Wick", "Quillon", "Voss"]


def test_removed_record_is_left_out_with_the_proposals_that_name_it() -> None:
    outcome = applied([remove(1, "Wick")], group("Wick", "Dell"))

    assert names(outcome) == ["Dell", "Quillon", "Voss"]
    assert verdicts_of(outcome) == [Code.DECISION_OVERRULED]
    assert [record["name"] for record in outcome.value.consolidations["removed"]] == ["Wick"]


def test_canonical_name_holds_wherever_its_record_is_united() -> None:
    chosen = [Judgement(1, Judged.CANONICAL, named("Wick", "Dell"), chosen=named("Dell")[0])]

    assert names(applied([chosen], group("Wick", "Dell", "Voss")))[0] == "Dell"
    assert names(applied([chosen])) == [record.name for record in PEOPLE]


def test_rename_gives_name_and_id_and_keeps_the_record_as_a_member() -> None:
    outcome = applied([rename(1, "Wick", "Old Wick")])
    (kept,) = outcome.value.consolidations["applied"]

    assert outcome.value.records[0] == npc("Old Wick", (50, 52))
    assert kept["members"] == [A.as_json()]


def test_rename_comes_before_a_canonical_name() -> None:
    outcome = applied([same(1, "Wick", "Dell", chosen="Dell"), rename(2, "Dell", "The Harbourmaster")])

    assert names(outcome)[0] == "The Harbourmaster"


CONTRADICTIONS = [
    pytest.param([same(1, "Wick", "Dell"), apart(2, "Wick", "Dell")], {1, 2}, id="pair"),
    pytest.param([apart(1, "Wick", "Dell"), same(2, "Wick", "Dell")], {1, 2}, id="newer-does-not-win"),
    pytest.param(
        [same(1, "Wick", "Dell"), same(2, "Dell", "Quillon"), apart(3, "Wick", "Quillon")], {1, 2, 3}, id="over-a-third"
    ),
    pytest.param([same(1, "Wick", "Dell"), remove(2, "Dell")], {1, 2}, id="one-of-them-removed"),
    pytest.param([rename(1, "Wick", "Old Wick"), rename(2, "Wick", "Eel-Catcher")], {1, 2}, id="two-names"),
]


@pytest.mark.parametrize(("said", "wrong"), CONTRADICTIONS)
def test_contradicting_decisions_are_reported_and_none_is_applied(said: list[list[Judgement]], wrong: set[int]) -> None:
    outcome = applied(said)

    assert names(outcome) == [record.name for record in PEOPLE]
    assert {decision for decision, what in outcomes(outcome).items() if what == "contradicted"} == wrong
    assert Code.DECISION_CONTRADICTED in codes(outcome)


@pytest.mark.parametrize(("said", "wrong"), CONTRADICTIONS)
def test_contradictory_finds_them_without_any_record(said: list[list[Judgement]], wrong: set[int]) -> None:
    (found,) = contradictory([one for each in said for one in each])

    assert found == wrong


def test_decision_beside_a_contradiction_still_holds() -> None:
    outcome = applied([same(1, "Wick", "Dell"), apart(2, "Wick", "Dell"), same(3, "Dell", "Voss")])

    assert names(outcome) == ["Wick", "Dell", "Quillon"]
    assert outcomes(outcome) == {1: "contradicted", 2: "contradicted", 3: "applied"}


def test_removing_all_of_what_is_the_same_is_no_contradiction() -> None:
    outcome = applied([same(1, "Wick", "Dell"), remove(2, "Wick", "Dell")])

    assert names(outcome) == ["Quillon", "Voss"]


def test_decision_of_records_that_are_not_here_is_absent() -> None:
    outcome = applied([same(1, "Wick", "Nobody"), remove(2, "Nobody"), apart(3, "Dell", "Nobody")])

    assert names(outcome) == [record.name for record in PEOPLE]
    assert outcomes(outcome) == {1: "absent", 2: "absent", 3: "absent"}


def test_rename_to_a_name_that_is_there_is_not_applied() -> None:
    outcome = applied([rename(1, "Wick", "Dell")])

    assert names(outcome) == [record.name for record in PEOPLE]
    assert outcomes(outcome) == {1: "contradicted"}


def test_places_are_named_by_key_and_anchor() -> None:
    scope = make_scope()
    mills = [
        Entity(place_identity("The Mill", (ref(at, at),), scope), "The Mill", (ref(at, at),)) for at in (41, 9, 203)
    ]
    pair = (NamedRecord("the mill", 41), NamedRecord("the mill", 203))
    scope = make_scope(verdicts=(Judgement(1, Judged.SAME, pair),))
    outcome = apply_groups(mills, ReconcileReply(duplicate_groups=[]), scope, place_identity)

    assert [record.source_refs for record in outcome.value.records] == [(ref(41, 41), ref(203, 203)), (ref(9, 9),)]


def run(client: ScriptedClient, ports: LanePorts, *said: list[Judgement], retries: int = 0) -> LaneResult:
    verdicts = tuple(one for each in said for one in each)
    return run_lane(LANES["dnd/npcs"], make_job(client, verdicts=verdicts, retries=Retries(normalize=retries)), ports)


def test_new_decision_is_applied_without_a_call_and_is_in_no_fingerprint() -> None:
    client = asking(groups(group("Aurelio Voss", "Captain Voss")))
    ports = LanePorts(checkpoints=MemoryCheckpoints())
    first = run(client, ports)
    calls = len(client.requests)
    second = run(client, ports, apart(7, "Aurelio Voss", "Captain Voss"))

    assert len(client.requests) == calls
    assert set(names_of(second.payload)) - set(names_of(first.payload)) == {"Captain Voss"}
    one, other = (result.manifest["normalize"] for result in (first, second))
    assert isinstance(one, dict)
    assert isinstance(other, dict)
    assert one["fingerprint"] == other["fingerprint"]
    meaning = [judgement.meaning() for judgement in apart(8, "Aurelio Voss", "Captain Voss")]
    assert second.manifest["verdicts"] == {"count": 1, "digest": digest(meaning)}


def test_overruled_proposal_is_asked_for_once_however_large_the_budget() -> None:
    client = asking(groups(group("Aurelio Voss", "Captain Voss")))
    run(client, LanePorts(), apart(7, "Aurelio Voss", "Captain Voss"), retries=2)

    assert len(asked(client, RECONCILE)) == 1


def test_decisions_are_applied_where_the_answer_is_of_no_use() -> None:
    result = run(asking({"no": "groups"}), LanePorts(), remove(7, "Wick"), same(8, "Harbourmaster Dell", "Dell"))

    assert names_of(result.payload) == ["Harbourmaster Dell", "Mother Quillon", "Captain Voss", "Aurelio Voss"]


def test_decisions_are_applied_where_nothing_is_asked() -> None:
    client = ScriptedClient(lambda request: {"npcs": []})
    client.enqueue(
        "dnd/npcs.extract", {"npcs": [{"name": "Wick", "source_refs": [{"start_unit_id": 50, "end_unit_id": 52}]}]}
    )
    result = run(client, LanePorts(), rename(7, "Wick", "Old Wick"))

    assert asked(client, RECONCILE) == []
    assert names_of(result.payload) == ["Old Wick"]


def test_decision_names_no_content_in_findings_or_manifest() -> None:
    result = run(asking(groups()), LanePorts(), same(7, *NAMES[:2]), apart(8, *NAMES[:2]))

    assert all(name not in str(result.manifest) + str(result.findings) for name in NAMES)


def test_proposals_say_among_which_others_and_against_which_decisions_they_were_dropped() -> None:
    said = [apart(4, "Quillon", "Voss"), remove(5, "Voss")]
    outcome = applied(
        said, group("Wick", "Dell"), group("Quillon", "Voss"), group("Dell", "Pell"), group("Wick", "Dell")
    )
    first, second, third, fourth = outcome.value.consolidations["proposals"]

    assert (first["verdict"], first["conflict"]) == (Code.RECONCILE_CONFLICT, [2, 3])
    assert (second["verdict"], second["decisions"]) == (Code.DECISION_OVERRULED, [4, 5])
    assert (third["conflict"], fourth["conflict"]) == ([0, 3], [0, 2])
