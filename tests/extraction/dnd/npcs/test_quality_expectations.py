"""Every line of the NPC note's quality expectations, over the lane as it is assembled."""

from __future__ import annotations

import re
from typing import Any

import pytest

from extraction.codes import Code
from extraction.errors import LaneFailed, NotariusError, ProviderUnavailable, RequestRefused
from extraction.findings import MAX_FINDINGS, Finding, Severity
from extraction.identity import comparison_key, npc_id
from extraction.lanes.job import LaneResult, Retries
from extraction.lanes.ports import LanePorts, MemoryCheckpoints
from extraction.lanes.run import run_lane
from extraction.llm.scripted import ScriptedClient
from extraction.registry import LANES
from extraction.source.documents import SourceDocument
from tests.extraction import story
from tests.extraction.story import RECONCILE, asked, asking, group, groups, make_job, names_of, records_of
from tests.leaks import Leaks

NPCS = LANES["dnd/npcs"]
DELL = group("Harbourmaster Dell", "Dell")
VOSS = group("Aurelio Voss", "Captain Voss")
UNKNOWN = group("Wick", "The Pale Ferryman")


def run(client: ScriptedClient, ports: LanePorts | None = None, **changes: Any) -> LaneResult:
    return run_lane(NPCS, make_job(client, **changes), ports or LanePorts())


def codes(findings: tuple[Finding, ...]) -> list[Code]:
    return [finding.code for finding in findings]


def pairs(record: dict[str, Any]) -> list[tuple[int, int]]:
    return [(ref["start_unit_id"], ref["end_unit_id"]) for ref in record["source_refs"]]


def evidence(result: LaneResult) -> dict[str, list[tuple[int, int]]]:
    return {record["name"]: pairs(record) for record in records_of(result.payload)}


@pytest.fixture
def untouched() -> LaneResult:
    """The deterministic result, which an empty proposal leaves as it is."""
    return run(asking(groups()))


def test_distinct_display_variants_are_consolidated_by_a_valid_group(untouched: LaneResult) -> None:
    result = run(asking(groups(DELL, VOSS)))

    assert names_of(untouched.payload) == list(story.NAMES)
    assert names_of(result.payload) == ["Harbourmaster Dell", "Wick", "Mother Quillon", "Aurelio Voss"]


def test_requests_and_responses_use_display_names_and_no_durable_id() -> None:
    client = asking(groups(DELL))
    run(client)
    (request,) = asked(client, RECONCILE)
    texts = [story.sent_text(request) for request in client.requests]
    candidates: Any = request.materials["candidates"]

    assert [candidate["name"] for candidate in candidates] == list(story.NAMES)
    assert all(candidate.keys() == {"name", "source_refs"} for candidate in candidates)
    assert not [text for text in texts if re.search(r"sha256|[0-9a-f]{64}|candidate-|npc:|salt-ferry", text)]
    assert '"id"' not in "".join(texts)


@pytest.mark.parametrize("canonical", ["Aurelio Voss", "Captain Voss"])
def test_selected_canonical_name_controls_id_derivation_and_all_evidence_is_kept(canonical: str) -> None:
    result = run(asking(groups(group("Captain Voss", "Aurelio Voss", canonical=canonical))))
    (record,) = [record for record in records_of(result.payload) if "Voss" in record["name"]]

    assert record["name"] == canonical
    assert record["id"] == npc_id(comparison_key(canonical))
    assert pairs(record) == [(18, 18), (204, 209)]


def test_windows_follow_position_meet_edges_coalesce_and_mark_what_is_cited() -> None:
    said = {
        41: {"Dell": [(44, 46)], "Wick": [(50, 50)]},
        7: {"Mother Quillon": [(12, 12)]},
        203: {"Voss": [(211, 211)]},
    }
    client = ScriptedClient(lambda request: story.npcs_reply(said[story.first_unit(request)]))
    client.enqueue(RECONCILE, groups())
    run(client)
    (request,) = asked(client, RECONCILE)
    passages: Any = request.materials["windows"]
    seen = [[unit["unit_id"] if unit["cited"] else -unit["unit_id"] for unit in one["units"]] for one in passages]

    # Cited units positive, context negative. The first window is clamped and joins two that overlap.
    assert seen == [
        [-41, -42, 44, 45, 46, -47, -49, 50, -51, -52],
        [-9, -11, 12, -13, -14],
        [-207, -212, 211],
    ]


def test_no_surrounding_context_is_promoted_into_evidence(untouched: LaneResult) -> None:
    result = run(asking(groups(DELL, VOSS)))
    before = {pair for found in evidence(untouched).values() for pair in found}
    after = {pair for found in evidence(result).values() for pair in found}

    assert after == before


def test_empty_proposal_preserves_the_deterministic_result(untouched: LaneResult) -> None:
    assert names_of(untouched.payload) == list(story.NAMES)
    assert untouched.findings == ()
    assert untouched.consolidations == {"applied": [], "proposals": []}


@pytest.mark.parametrize("records", [{}, {"Wick": [(50, 50)]}], ids=["none", "one"])
def test_fewer_than_two_candidates_make_no_call(records: dict[str, list[tuple[int, int]]]) -> None:
    document = SourceDocument(story.SOURCE_ID, story.DOCUMENT.units[:12])
    client = ScriptedClient(lambda request: story.npcs_reply(records))
    result = run(client, document=document)

    assert names_of(result.payload) == list(records)
    assert asked(client, RECONCILE) == []


UNSAFE = [
    pytest.param(group("Wick", "Nobody Here"), Code.RECONCILE_UNKNOWN_MEMBER, id="unknown"),
    pytest.param(group("Wick"), Code.RECONCILE_GROUP_TOO_SMALL, id="singleton"),
    pytest.param({"members": [], "canonical": story.descriptor("Wick")}, Code.RECONCILE_GROUP_TOO_SMALL, id="empty"),
    pytest.param(group("Wick", "Dell", "WICK"), Code.RECONCILE_REPEATED_MEMBER, id="repeated"),
    pytest.param(
        group("Wick", "Dell", canonical="Mother Quillon"), Code.RECONCILE_CANONICAL_NOT_MEMBER, id="canonical-outside"
    ),
    pytest.param(
        group("Wick", "Dell", canonical="Old Wick"), Code.RECONCILE_CANONICAL_NOT_MEMBER, id="canonical-invented"
    ),
    pytest.param(group("Wick", "Harbourmaster"), Code.RECONCILE_UNKNOWN_MEMBER, id="part-of-a-name"),
    pytest.param(group("Wick", npc_id("dell")), Code.RECONCILE_UNKNOWN_MEMBER, id="durable-id"),
    pytest.param(
        {
            "members": [story.descriptor("Wick", (41, 41)), story.descriptor("Dell")],
            "canonical": story.descriptor("Dell"),
        },
        Code.RECONCILE_AMBIGUOUS_MEMBER,
        id="ranges-of-nobody",
    ),
]


@pytest.mark.parametrize(("proposed", "code"), UNSAFE)
def test_unsafe_groups_cannot_corrupt_or_reorder_the_artifact(
    proposed: dict[str, Any], code: Code, untouched: LaneResult
) -> None:
    result = run(asking(groups(proposed)))
    proposals: Any = result.consolidations["proposals"]

    assert result.payload == untouched.payload
    assert [proposal["verdict"] for proposal in proposals] == [code.value]
    assert codes(result.findings) == [Code.RECONCILE_OMITTED]


def test_overlapping_groups_cannot_corrupt_or_reorder_the_artifact(untouched: LaneResult) -> None:
    result = run(asking(groups(group("Wick", "Dell"), group("Mother Quillon", "WICK"))))

    assert result.payload == untouched.payload


@pytest.mark.parametrize("reply", [groups(VOSS, DELL), groups(DELL, VOSS)], ids=["late-first", "early-first"])
def test_order_of_the_response_cannot_reorder_the_artifact(reply: dict[str, Any]) -> None:
    result = run(asking(reply))

    assert names_of(result.payload) == ["Harbourmaster Dell", "Wick", "Mother Quillon", "Aurelio Voss"]


def test_locally_valid_groups_apply_independently_of_unsafe_ones() -> None:
    result = run(asking(groups(UNKNOWN, DELL, group("Mother Quillon"))))

    assert names_of(result.payload) == ["Harbourmaster Dell", "Wick", "Mother Quillon", "Captain Voss", "Aurelio Voss"]
    assert codes(result.findings) == [Code.RECONCILE_OMITTED, Code.RECONCILE_APPLIED]
    assert result.findings[0].counts == {"groups": 2}
    assert result.findings[1].counts == {"members": 2}


@pytest.mark.parametrize(
    "chain",
    [
        pytest.param([group("Wick", "Dell"), group("Dell", "Captain Voss")], id="two-share-one"),
        pytest.param(
            [group("Wick", "Dell"), group("Dell", "Captain Voss"), group("Captain Voss", "Aurelio Voss")], id="chain"
        ),
        pytest.param([group("Wick", "Dell"), group("Dell", "Nobody Here")], id="one-is-invalid-by-itself"),
        pytest.param([group("Wick", "Dell"), group("Dell")], id="one-is-too-small"),
        pytest.param([group("Wick", "Dell"), group("Dell", "Wick")], id="the-same-twice"),
    ],
)
def test_every_group_of_a_conflict_set_is_discarded(chain: list[dict[str, Any]], untouched: LaneResult) -> None:
    result = run(asking(groups(*chain)))
    proposals: Any = result.consolidations["proposals"]

    assert result.payload == untouched.payload
    assert {proposal["verdict"] for proposal in proposals} == {Code.RECONCILE_CONFLICT.value}


def test_group_outside_a_conflict_set_still_applies() -> None:
    result = run(asking(groups(group("Wick", "Dell"), VOSS, group("Dell", "Mother Quillon"))))

    assert names_of(result.payload) == ["Harbourmaster Dell", "Wick", "Mother Quillon", "Aurelio Voss", "Dell"]


@pytest.mark.parametrize("retries", [0, 1, 3])
@pytest.mark.parametrize(
    "bad", [groups(UNKNOWN), "that is hard to say", {"groups": []}], ids=["unsafe", "prose", "shape"]
)
def test_invalid_proposal_consumes_only_the_budget_and_exhaustion_accepts_the_fallback(
    bad: Any, retries: int, untouched: LaneResult
) -> None:
    client = asking(*[bad] * (retries + 3))
    result = run(client, retries=Retries(normalize=retries))
    facts: Any = result.manifest["normalize"]

    assert len(asked(client, RECONCILE)) == retries + 1
    assert result.payload == untouched.payload
    assert codes(result.findings) == [Code.RECONCILE_OMITTED]
    assert result.findings[0].severity is Severity.WARNING
    assert (facts["attempts"], facts["fallback"]) == (retries + 1, True)


@pytest.mark.parametrize("bad", [groups(UNKNOWN), "not json"], ids=["unsafe", "prose"])
def test_later_valid_proposal_succeeds_without_a_warning_of_the_earlier_one(bad: Any) -> None:
    client = asking(bad, groups(VOSS), groups())
    result = run(client, retries=Retries(normalize=2))
    facts: Any = result.manifest["normalize"]

    assert len(asked(client, RECONCILE)) == 2
    assert "Captain Voss" not in names_of(result.payload)
    assert codes(result.findings) == [Code.RECONCILE_APPLIED]
    assert (facts["attempts"], facts["fallback"]) == (2, False)


def test_every_attempt_asks_the_same_question() -> None:
    client = asking(groups(DELL, UNKNOWN), groups(UNKNOWN), groups())
    run(client, retries=Retries(normalize=2))
    first, *others = asked(client, RECONCILE)

    assert len(others) == 2
    assert all(other == first for other in others)


def test_safe_groups_of_an_earlier_attempt_are_not_accumulated() -> None:
    result = run(asking(groups(DELL, UNKNOWN), groups(VOSS, UNKNOWN)), retries=Retries(normalize=1))

    assert names_of(result.payload) == ["Harbourmaster Dell", "Wick", "Mother Quillon", "Aurelio Voss", "Dell"]
    assert codes(result.findings) == [Code.RECONCILE_OMITTED, Code.RECONCILE_APPLIED]


def test_default_binding_makes_exactly_one_attempt_before_the_fallback() -> None:
    client = asking(groups(UNKNOWN), groups())
    run(client, retries=Retries())

    assert len(asked(client, RECONCILE)) == 1


def test_findings_and_manifest_are_bounded_and_expose_no_content(leaks: Leaks) -> None:
    many = [group("Wick", f"Dell {number}") for number in range(300)]
    result = run(asking(groups(*many)), table={})
    empty = SourceDocument(story.SOURCE_ID, story.DOCUMENT.units[:12])
    failing = ScriptedClient(lambda request: story.npcs_reply({f"Dell{n}": [(9999, 9999)] for n in range(300)}))
    with pytest.raises(LaneFailed) as failed:
        run(failing, document=empty)
    texts = [*result.findings, result.manifest, failed.value, *failed.value.findings]

    assert len(result.findings) <= MAX_FINDINGS
    assert len(failed.value.findings) == MAX_FINDINGS
    assert leaks.found_in(texts) == []
    assert max(len(finding.where) for finding in (*result.findings, *failed.value.findings)) < 60


@pytest.mark.parametrize(
    "error",
    [ProviderUnavailable("No answer.", code=Code.LLM_TIMEOUT), RequestRefused("No.", code=Code.LLM_AUTHENTICATION)],
    ids=["unavailable", "refused"],
)
def test_operational_errors_of_the_proposal_are_raised_and_no_fallback(error: NotariusError) -> None:
    client = asking(error, groups())
    ports = LanePorts()
    with pytest.raises(type(error)) as raised:
        run(client, ports, retries=Retries(normalize=3))
    again = run(client, ports, retries=Retries(normalize=3))

    assert raised.value is error
    assert len(asked(client, RECONCILE)) == 2
    assert len(client.requests) == 5
    assert again.findings == ()


def test_fallback_is_reused_only_while_the_budget_is_not_larger() -> None:
    ports = LanePorts(checkpoints=MemoryCheckpoints())
    client = asking(*[groups(UNKNOWN, DELL)] * 10)
    spent = []
    for retries in (1, 1, 0, 2, 2, 1):
        before = len(client.requests)
        result = run(client, ports, retries=Retries(normalize=retries))
        spent.append(len(client.requests) - before)

        assert codes(result.findings) == [Code.RECONCILE_OMITTED, Code.RECONCILE_APPLIED]
    # Three pages and two attempts; nothing; nothing; the larger budget asks anew, and its answer is kept.
    assert spent == [5, 0, 0, 3, 0, 0]


def test_settled_proposal_is_reused_whatever_the_budget() -> None:
    ports = LanePorts(checkpoints=MemoryCheckpoints())
    client = asking(groups(DELL))
    first = run(client, ports, retries=Retries(normalize=0))
    second = run(client, ports, retries=Retries(normalize=5))
    facts: Any = second.manifest["normalize"]

    assert first.payload == second.payload
    assert (len(client.requests), facts["reused"]) == (4, True)
    assert first.consolidations == second.consolidations


def test_downstream_input_is_the_reconciled_registry(untouched: LaneResult) -> None:
    """What a later lane binds is the payload with the members' names beside it."""
    result = run(asking(groups(DELL, VOSS)))
    applied: Any = result.consolidations["applied"]

    assert result.record_count == len(records_of(result.payload)) == 4
    assert [one["id"] for one in applied] == [records_of(result.payload)[at]["id"] for at in (0, 3)]
    assert [[member["name"] for member in one["members"]] for one in applied] == [
        ["Harbourmaster Dell", "Dell"],
        ["Captain Voss", "Aurelio Voss"],
    ]
    before = {record["name"]: record for record in records_of(untouched.payload)}
    assert all(member == before[member["name"]] for one in applied for member in one["members"])
    assert result.digest != untouched.digest
