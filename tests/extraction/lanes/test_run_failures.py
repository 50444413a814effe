"""What ends a lane, what is asked for again, and what a later run repeats."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from extraction.canonical import canonical_json
from extraction.codes import Code
from extraction.errors import (
    InputError,
    InvalidCompletion,
    LaneFailed,
    LeaseLost,
    LlmError,
    NotariusError,
    PipelineError,
    ProviderUnavailable,
    RequestRefused,
    RunCancelled,
)
from extraction.findings import Finding, Severity, rejection, warning
from extraction.lanes.attempts import StageOutcome
from extraction.lanes.job import BoundReference, Retries
from extraction.lanes.lane import Slot
from extraction.lanes.ports import CheckpointStore, FixedSeats, LanePorts, MemoryCheckpoints
from extraction.lanes.run import run_lane
from extraction.llm.scripted import ScriptedClient
from extraction.source.documents import SourceDocument, SourceUnit
from tests.extraction import story
from tests.extraction.lanes.clients import BAD_RANGE, NPCS, Careless, Pages, group_of_voss, run
from tests.extraction.story import EXTRACT, RECONCILE, asking, groups, make_job
from tests.leaks import Leaks


def test_second_run_makes_no_call_and_gives_equal_bytes() -> None:
    client = asking(groups(group_of_voss()))
    ports = LanePorts()
    first, second = run(client, ports), run(client, ports)
    extract: Any = second.manifest["extract"]

    assert len(client.requests) == 4
    assert canonical_json(first.payload) == canonical_json(second.payload)
    assert first.findings == second.findings
    assert first.consolidations == second.consolidations
    assert (extract["chunks"], extract["reused"]) == (3, 3)


def test_changed_document_repeats_only_what_changed() -> None:
    """The key covers the document's digest: a new revision is a new document."""
    client, ports = Pages(), LanePorts()
    run(client, ports)
    units = (*story.DOCUMENT.units[:-1], SourceUnit(211, None, "Then we sing."))
    run(client, ports, document=SourceDocument(story.SOURCE_ID, units))

    assert sorted(client.pages()) == [7, 7, 41, 41, 203, 203]


def test_failing_chunk_keeps_the_others_and_a_later_run_repeats_it_alone() -> None:
    client = Pages(queues={7: [BAD_RANGE, BAD_RANGE]})
    store = MemoryCheckpoints()
    ports = LanePorts(checkpoints=store, seats=FixedSeats(1))
    with pytest.raises(LaneFailed) as failed:
        run(client, ports, retries=Retries(extract=1))
    first, kept = client.pages(), len(store.values)
    result = run(client, ports, retries=Retries(extract=1))

    assert (first, kept) == ([41, 7, 7, 203], 2)
    assert client.pages()[len(first) :] == [7]
    assert failed.value.code is Code.EXTRACT_INVALID
    assert [(finding.code, finding.where) for finding in failed.value.findings] == [
        (Code.EVIDENCE_UNKNOWN_UNIT, "chunk[1].record[0].source_refs[0]")
    ]
    assert story.names_of(result.payload) == list(story.NAMES)


KINDS = [
    pytest.param("Well, there is Dell, and", Code.LLM_NOT_JSON, id="prose"),
    pytest.param("", Code.LLM_EMPTY, id="empty"),
    pytest.param('{"npcs": [{"name": "We', Code.LLM_NOT_JSON, id="cut"),
    pytest.param({"people": []}, Code.LLM_SCHEMA_MISMATCH, id="other-shape"),
    pytest.param(
        {"npcs": [{"name": "Wick", "source_refs": [], "id": "x"}]}, Code.LLM_SCHEMA_MISMATCH, id="extra-field"
    ),
    pytest.param(story.npcs_reply({"Wick": []}), Code.EVIDENCE_MISSING, id="no-evidence"),
    pytest.param(story.npcs_reply({" ": [(41, 41)]}), Code.RECORD_NAME_EMPTY, id="no-name"),
    pytest.param(story.npcs_reply({"Wick": [(41, 999)]}), Code.EVIDENCE_UNKNOWN_UNIT, id="unknown-unit"),
    pytest.param(story.npcs_reply({"Wick": [(0, 41)]}), Code.EVIDENCE_UNKNOWN_UNIT, id="unit-zero"),
    pytest.param(story.npcs_reply({"Wick": [(55, 7)]}), Code.EVIDENCE_OUTSIDE_CHUNK, id="into-the-next-chunk"),
    pytest.param(InvalidCompletion("Cut.", code=Code.LLM_TRUNCATED), Code.LLM_TRUNCATED, id="truncated"),
    pytest.param(InvalidCompletion("No.", code=Code.LLM_REFUSAL), Code.LLM_REFUSAL, id="refusal"),
]


@pytest.mark.parametrize(("reply", "code"), KINDS)
def test_invalid_answer_is_asked_for_again_and_then_fails_the_lane(reply: Any, code: Code, leaks: Leaks) -> None:
    client = Pages(queues={41: [reply] * 3})
    with pytest.raises(LaneFailed) as failed:
        run(client, retries=Retries(extract=2))
    (finding,) = failed.value.findings

    assert client.pages() == [41, 41, 41, 7, 203]
    assert (finding.code, finding.severity) == (code, Severity.REJECT)
    assert finding.where.startswith("chunk[0]")
    assert leaks.found_in([failed.value, finding]) == []


@pytest.mark.parametrize(("reply", "code"), KINDS)
def test_invalid_answer_followed_by_a_valid_one_leaves_no_trace(reply: Any, code: Code) -> None:
    client = Pages(queues={41: [reply]})
    result = run(client, retries=Retries(extract=1))
    extract: Any = result.manifest["extract"]

    assert client.pages() == [41, 41, 7, 203]
    assert result.payload == run(asking(groups())).payload
    assert (result.findings, extract["attempts"]) == ((), 4)


def test_extraction_reply_that_breaks_its_type_is_invalid_though_the_provider_passed_it() -> None:
    with pytest.raises(LaneFailed) as failed:
        run(Careless(EXTRACT))

    assert {finding.code for finding in failed.value.findings} == {Code.LLM_SCHEMA_MISMATCH}


def test_proposal_that_breaks_its_type_falls_back_though_the_provider_passed_it() -> None:
    result = run(Careless(RECONCILE))

    assert story.names_of(result.payload) == list(story.NAMES)
    assert [finding.code for finding in result.findings] == [Code.RECONCILE_OMITTED]


def test_default_budget_is_one_attempt_a_chunk() -> None:
    client = Pages(queues={41: ["prose"], 203: ["prose"]})
    with pytest.raises(LaneFailed) as failed:
        run(client)

    assert client.pages() == [41, 7, 203]
    assert [finding.where for finding in failed.value.findings] == ["chunk[0]", "chunk[2]"]


@pytest.mark.parametrize(
    "error",
    [ProviderUnavailable("No answer."), RequestRefused("No.", code=Code.LLM_AUTHENTICATION)],
    ids=["unavailable", "refused"],
)
def test_llm_error_ends_the_lane_unretried_and_keeps_finished_chunks(error: LlmError) -> None:
    client = Pages(queues={7: [error]})
    ports = LanePorts(seats=FixedSeats(1))
    with pytest.raises(type(error)) as raised:
        run(client, ports, retries=Retries(extract=5))
    before = client.pages()
    run(client, ports)

    assert raised.value is error
    assert before == [41, 7]
    assert client.pages()[2:] == [7, 203]


@pytest.mark.parametrize("error", [RunCancelled("stopped"), LeaseLost("taken")], ids=["cancelled", "lease-lost"])
def test_pulse_stops_the_lane_and_what_was_kept_stays(error: NotariusError) -> None:
    client = Pages()
    store = MemoryCheckpoints()

    def pulse() -> None:
        if len(store.values) == 2:
            raise error

    with pytest.raises(type(error)):
        run(client, LanePorts(checkpoints=store, seats=FixedSeats(1), pulse=pulse))
    stopped = len(store.values)
    again = Pages()
    run(again, LanePorts(checkpoints=store, seats=FixedSeats(1)))

    assert stopped == 2
    assert again.pages() == [203]


def test_unreadable_checkpoint_is_asked_for_again_and_replaced() -> None:
    store, client = MemoryCheckpoints(), Pages()
    run(client, LanePorts(checkpoints=store, seats=FixedSeats(1)))
    broken = dict.fromkeys(store.values, b'{"format": 1}')
    store.values.update(broken)
    run(client, LanePorts(checkpoints=store, seats=FixedSeats(1)))
    calls = len(client.requests)
    run(client, LanePorts(checkpoints=store, seats=FixedSeats(1)))

    assert (calls, len(client.requests)) == (8, 8)


def test_empty_document_makes_no_call() -> None:
    client = ScriptedClient()
    result = run(client, document=SourceDocument(story.SOURCE_ID, ()))

    assert client.requests == []
    assert (result.record_count, result.payload["npcs"]) == (0, [])


@pytest.mark.parametrize("ids", [(1, 1), (0, 1)], ids=["repeated", "zero"])
def test_unusable_unit_ids_are_an_input_error_before_any_call(ids: tuple[int, int]) -> None:
    client = ScriptedClient()
    with pytest.raises(InputError) as raised:
        run(client, document=SourceDocument(story.SOURCE_ID, tuple(SourceUnit(one, None, "Hm.") for one in ids)))

    assert raised.value.code is Code.INGEST_UNIT_ID
    assert client.requests == []


def test_required_slot_without_a_binding_is_refused_before_any_call() -> None:
    lane = replace(NPCS, slots={"items": Slot("dnd/items", required=True), "scenes": Slot("dnd/scenes")})
    client = Pages()
    with pytest.raises(PipelineError, match="dnd/items") as raised:
        run_lane(lane, make_job(client), LanePorts())
    bound = {"items": BoundReference("dnd/items", {"items": []})}
    run_lane(lane, make_job(client, references=bound), LanePorts())

    assert raised.value.code is Code.PIPELINE_UNBOUND
    assert sorted(client.pages()) == [7, 41, 203]


@pytest.mark.parametrize(
    "findings",
    [
        pytest.param([rejection(Code.EVIDENCE_WRONG_SOURCE, "items[0]")], id="rejection"),
        pytest.param(
            [warning(Code.EVIDENCE_UNRELATED), rejection(Code.EVIDENCE_WRONG_SOURCE, "items[0]")], id="warning-first"
        ),
    ],
)
def test_rejected_binding_fails_the_lane_without_call_or_retry(findings: list[Finding]) -> None:
    lane = replace(NPCS, check=lambda scope: findings)
    client = Pages()
    with pytest.raises(LaneFailed) as failed:
        run_lane(lane, make_job(client, retries=Retries(5, 5)), LanePorts())

    assert failed.value.code is Code.EVIDENCE_WRONG_SOURCE
    assert sorted(failed.value.findings, key=str) == sorted(findings, key=str)
    assert client.requests == []


def test_records_that_break_the_artifacts_rules_publish_nothing() -> None:
    lane = replace(NPCS, normalize=lambda records, scope: StageOutcome(tuple(records)[::-1]), proposal=None)
    with pytest.raises(LaneFailed) as failed:
        run_lane(lane, make_job(Pages()), LanePorts())

    assert failed.value.code is Code.NORMALIZE_INVALID
    assert {finding.code for finding in failed.value.findings} == {
        Code.RECORD_ORDER,
        Code.IDENTITY_DUPLICATE,
    }


def test_checkpoint_store_protocol_is_met_by_the_memory_store() -> None:
    store: CheckpointStore = MemoryCheckpoints()
    store.put("k", b"old")
    store.put("k", b"new")

    assert store.get("k") == b"new"
    assert store.get("other") is None
