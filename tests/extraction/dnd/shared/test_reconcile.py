"""Which candidates are offered, what descriptors select, how much is shown, which groups are safe."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from extraction.codes import Code
from extraction.dnd.artifacts.registry import Entity
from extraction.dnd.npcs.identity import identify
from extraction.dnd.shared.reconcile import (
    Descriptor,
    Group,
    ReconcileReply,
    apply_groups,
    ask,
    assess_groups,
    eligible,
    thinned,
)
from extraction.findings import Finding, Severity
from extraction.lanes.lane import Question
from extraction.lanes.ports import LanePorts
from extraction.lanes.run import run_lane
from extraction.llm.profiles import Profile
from extraction.registry import LANES
from tests import standard
from tests.extraction import story
from tests.extraction.story import RECONCILE, asked, asking, descriptor, make_job, make_scope, npc, ref

SCOPE = make_scope()
WICK, DELL, VOSS = npc("Wick", (50, 52)), npc("Dell", (44, 46), (55, 55)), npc("Voss", (204, 209))
# Two places that one name is given to, so that only their ranges tell them apart; then one of its own name.
MILL_A, MILL_B, FORGE = npc("The Mill", (41, 42)), npc("the mill", (12, 12), (17, 17)), npc("Forge", (203, 203))


def replied(members: list[Any], canonical: Any) -> Group:
    return Group.model_validate({"members": members, "canonical": canonical})


@pytest.mark.parametrize(
    "record",
    [
        pytest.param(npc(" \u00a0 ", (41, 41)), id="empty-key"),
        pytest.param(npc("Ghost"), id="no-evidence"),
        pytest.param(npc("Ghost", (41, 41), (41, 999)), id="unknown-unit"),
        pytest.param(npc("Ghost", (46, 44)), id="reversed"),
        pytest.param(replace(npc("Ghost"), source_refs=(ref(41, 41, "far-away.s1.t1"),)), id="other-source"),
    ],
)
def test_eligible_leaves_out_records_that_are_not_wholly_valid(record: Entity) -> None:
    records = [WICK, record, DELL]
    question = ask(RECONCILE, records, SCOPE)

    assert eligible(records, SCOPE) == [0, 2]
    assert isinstance(question, Question)
    assert [candidate["name"] for candidate in _candidates(question)] == ["Wick", "Dell"]


def test_ineligible_record_stays_unchanged_and_belongs_to_no_group() -> None:
    ghost = npc("Ghost", (46, 44))
    reply = ReconcileReply(duplicate_groups=[replied([descriptor("Wick"), descriptor("Ghost")], descriptor("Wick"))])
    outcome = apply_groups([ghost, WICK, DELL], reply, SCOPE, identify)

    assert outcome.value.records == (ghost, WICK, DELL)
    assert [verdict.code for verdict in assess_groups(reply.duplicate_groups, [ghost, WICK, DELL], SCOPE)] == [
        Code.RECONCILE_UNKNOWN_MEMBER
    ]


def test_eligible_leaves_out_candidates_of_equal_key_and_equal_ranges() -> None:
    twin = replace(MILL_A, name="THE MILL")

    assert eligible([MILL_A, WICK, twin, DELL], SCOPE) == [1, 3]
    assert ask(RECONCILE, [MILL_A, twin, WICK], SCOPE) is None


DESCRIPTORS = [
    pytest.param(descriptor("Forge"), 2, id="unique-without-ranges"),
    pytest.param(descriptor("Forge", (203, 203)), 2, id="unique-with-its-ranges"),
    pytest.param(descriptor("Forge", (204, 204)), None, id="unique-with-other-ranges"),
    pytest.param(descriptor("  FORGE\u00a0"), 2, id="case-and-space"),
    pytest.param(descriptor("\uff26\uff4f\uff52\uff47\uff45"), 2, id="full-width"),
    pytest.param(descriptor("Forg"), None, id="part-of-a-name"),
    pytest.param(descriptor("Forges"), None, id="more-than-a-name"),
    pytest.param(descriptor(""), None, id="empty"),
    pytest.param(descriptor("The Mill"), None, id="shared-without-ranges"),
    pytest.param(descriptor("The Mill", (41, 42)), 0, id="shared-first"),
    pytest.param(descriptor("The Mill", (12, 12), (17, 17)), 1, id="shared-second"),
    pytest.param(descriptor("The Mill", (17, 17), (12, 12)), 1, id="shared-in-another-order"),
    pytest.param(descriptor("The Mill", (12, 12), (17, 17), (12, 12)), 1, id="shared-repeated-range"),
    pytest.param(descriptor("The Mill", (12, 12)), None, id="shared-part-of-the-ranges"),
    pytest.param(descriptor("The Mill", (42, 41)), None, id="selectors-are-never-swapped"),
    pytest.param(descriptor("The Mill", (41, 42), (12, 12), (17, 17)), None, id="shared-union"),
]


@pytest.mark.parametrize(("given", "number"), DESCRIPTORS)
def test_descriptor_selects_exactly_one_candidate_or_none(given: dict[str, Any], number: int | None) -> None:
    records = [MILL_A, MILL_B, FORGE, WICK]
    group = replied([given, descriptor("Wick")], descriptor("Wick"))
    (verdict,) = assess_groups([group], records, SCOPE)

    assert verdict.members == ((3,) if number is None else (number, 3))
    assert (verdict.code is None) == (number is not None)


def test_descriptor_of_shared_name_without_ranges_is_ambiguous() -> None:
    group = replied([descriptor("The Mill"), descriptor("Wick")], descriptor("Wick"))
    (verdict,) = assess_groups([group], [MILL_A, MILL_B, WICK], SCOPE)

    assert verdict.code is Code.RECONCILE_AMBIGUOUS_MEMBER


def test_descriptor_type_refuses_anything_beside_name_and_ranges() -> None:
    with pytest.raises(ValueError, match="npc_id"):
        Descriptor.model_validate({**descriptor("Wick"), "npc_id": "1"})


def test_apply_groups_unites_evidence_at_the_earliest_members_place() -> None:
    reply = ReconcileReply(duplicate_groups=[replied([descriptor("Voss"), descriptor("Dell")], descriptor("Voss"))])
    outcome = apply_groups([DELL, WICK, VOSS], reply, SCOPE, identify)

    assert outcome.value.records == (npc("Voss", (44, 46), (55, 55), (204, 209)), WICK)
    assert outcome.findings == (Finding(Code.RECONCILE_APPLIED, Severity.WARNING, "record[0]", {"members": 2}),)
    assert outcome.retry is None


def test_apply_groups_keeps_one_of_equal_ranges() -> None:
    other = npc("Old Wick", (50, 52), (51, 51))
    reply = ReconcileReply(duplicate_groups=[replied([descriptor("Old Wick"), descriptor("Wick")], descriptor("Wick"))])
    outcome = apply_groups([WICK, other], reply, SCOPE, identify)

    assert outcome.value.records == (npc("Wick", (50, 52), (51, 51)),)


def test_apply_groups_without_a_usable_reply_changes_nothing_and_asks_again() -> None:
    outcome = apply_groups([DELL, WICK], None, SCOPE, identify)

    assert outcome.value.records == (DELL, WICK)
    assert outcome.retry is not None
    assert [finding.code for finding in outcome.retry.findings] == [Code.RECONCILE_INVALID_REPLY]


@pytest.mark.parametrize(
    ("kept", "expected"),
    [
        pytest.param(0, [], id="none"),
        pytest.param(1, [41], id="first"),
        pytest.param(2, [41, 47], id="first-and-last"),
        pytest.param(3, [41, 45, 47], id="evenly"),
        pytest.param(6, [41, 42, 44, 45, 46, 47], id="all"),
        pytest.param(9, [41, 42, 44, 45, 46, 47], id="more-than-all"),
    ],
)
def test_thinned_keeps_first_last_and_evenly_spaced(kept: int, expected: list[int]) -> None:
    refs = [ref(unit, unit) for unit in (41, 42, 44, 45, 46, 47)]
    found = [one.start_unit_id for one in thinned(refs, kept)]

    assert found[:1] + found[-1:] == expected[:1] + expected[-1:]
    assert len(found) == len(set(found)) == len(expected)
    assert found == sorted(found, key=[41, 42, 44, 45, 46, 47].index)


def _candidates(question: Question) -> Any:
    return question.materials["candidates"]


def _often_named() -> list[Entity]:
    units = [unit.unit_id for unit in standard.UNITS]
    return [npc("Wick", *((unit, unit) for unit in units[::2])), npc("Dell", *((unit, unit) for unit in units[1::2]))]


def _sizes(records: list[Entity]) -> tuple[int, int]:
    """Return the request's estimated tokens without any window and with all of them."""
    bare = ask(RECONCILE, records, replace(SCOPE, input_budget=10**9))
    assert isinstance(bare, Question)
    full = SCOPE.tokens(RECONCILE, bare.materials)
    return SCOPE.tokens(RECONCILE, {**bare.materials, "windows": [], "left_out": 36}), full


def test_ask_shows_every_window_where_the_budget_allows_it() -> None:
    records = _often_named()
    _, full = _sizes(records)
    question = ask(RECONCILE, records, replace(SCOPE, input_budget=full))

    assert isinstance(question, Question)
    assert question.counts == {"candidates": 2, "windows_left_out": 0}
    assert question.materials["left_out"] == 0


def test_ask_thins_windows_to_the_budget_and_says_how_many_were_left_out() -> None:
    records = _often_named()
    bare, full = _sizes(records)
    scope = replace(SCOPE, input_budget=(bare + full) // 2)
    question = ask(RECONCILE, records, scope)

    assert isinstance(question, Question)
    left_out: Any = question.materials["left_out"]
    assert 0 < left_out < 36
    assert question.counts["windows_left_out"] == left_out
    assert scope.tokens(RECONCILE, question.materials) <= scope.input_budget
    assert [len(one["source_refs"]) for one in _candidates(question)] == [18, 18]


def test_ask_with_candidates_beyond_the_budget_asks_nothing() -> None:
    records = _often_named()
    bare, _ = _sizes(records)
    found = ask(RECONCILE, records, replace(SCOPE, input_budget=bare - 1))

    assert found == (Finding(Code.RECONCILE_TOO_LARGE, Severity.WARNING, "", {"candidates": 2}),)


def test_lane_with_thinned_windows_counts_them_in_the_manifest() -> None:
    client = asking(story.groups())
    run_lane(LANES["dnd/npcs"], make_job(client), LanePorts())
    whole = SCOPE.tokens(RECONCILE, asked(client, RECONCILE)[0].materials)
    client = asking(story.groups())
    profile = Profile(chunk_units=12, input_budget=whole - 1)
    result = run_lane(LANES["dnd/npcs"], make_job(client, profile=profile), LanePorts())
    facts: Any = result.manifest["normalize"]

    assert facts["windows_left_out"] == asked(client, RECONCILE)[0].materials["left_out"]
    assert facts["windows_left_out"] > 0
    assert result.findings == ()


def test_lane_too_large_to_reconcile_makes_no_call_and_warns_once() -> None:
    client = asking(story.groups())
    profile = Profile(chunk_units=12, input_budget=256)
    result = run_lane(LANES["dnd/npcs"], make_job(client, profile=profile), LanePorts())

    assert asked(client, RECONCILE) == []
    assert story.names_of(result.payload) == list(story.NAMES)
    assert [finding.code for finding in result.findings] == [Code.RECONCILE_TOO_LARGE]
    assert result.findings[0].severity is Severity.WARNING
