"""The runner over the NPC lane: chunks, order, progress, what it publishes."""

from __future__ import annotations

import random
import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.canonical import JsonValue, canonical_json, digest
from extraction.codes import Code
from extraction.lanes.job import Retries
from extraction.lanes.lane import Scope, concatenate
from extraction.lanes.ports import FixedSeats, LanePorts
from extraction.lanes.run import prepare_chunk_request, run_lane
from extraction.llm.boundary import Exchange, StructuredRequest
from extraction.llm.profiles import Profile
from extraction.llm.scripted import ScriptedClient
from tests.extraction import story
from tests.extraction.lanes.clients import GOOD, NPCS, Pages, Turnstile, group_of_voss, run
from tests.extraction.story import EXTRACT, RECONCILE, asked, asking, first_unit, groups, make_job
from tests.leaks import Leaks


@settings(deadline=None, max_examples=20)
@given(st.permutations([41, 7, 203]))
def test_completion_order_never_changes_the_artifact(order: list[int]) -> None:
    result = run(Turnstile(order), LanePorts(seats=FixedSeats(3)))
    expected = run(asking(groups(group_of_voss())))

    assert canonical_json(result.payload) == canonical_json(expected.payload)
    assert canonical_json(result.consolidations) == canonical_json(expected.consolidations)
    assert canonical_json(result.manifest) == canonical_json(expected.manifest)
    assert result.findings == expected.findings


@pytest.mark.parametrize("order", [[203, 7, 41], [7, 41, 203]], ids=["backwards", "mixed"])
def test_merge_takes_chunks_in_document_order_whatever_order_they_returned_in(order: list[int]) -> None:
    """Without normalization nothing puts the records in order but the runner."""
    merged: list[list[str]] = []

    def merge(chunks: Sequence[Sequence[Any]], scope: Scope) -> list[Any]:
        merged.extend([record.name for record in records] for records in chunks)
        return concatenate(chunks, scope)

    run_lane(replace(NPCS, merge=merge), make_job(Turnstile(order)), LanePorts(seats=FixedSeats(3)))

    assert merged == [list(story.ANSWERS[page]) for page in (41, 7, 203)]


def test_run_lane_publishes_the_envelope_of_its_document() -> None:
    result = run(asking(groups()))

    assert result.payload["schema"] == "notarius.dnd.npcs.v1"
    assert result.payload["source"] == {
        "source_id": story.SOURCE_ID,
        "digest": story.DOCUMENT.digest,
        "unit_count": len(story.DOCUMENT.units),
    }
    assert result.digest == digest(result.payload)
    assert result.record_count == len(story.NAMES)


def test_reversed_reply_reaches_validation_forward_without_a_retry() -> None:
    """Ids fall and jump: 52-50 is reversed by position, 206-205 and 210-208 only by number."""
    client = asking(groups())
    result = run(client, retries=Retries(extract=3))
    ranges = {
        record["name"]: [(ref["start_unit_id"], ref["end_unit_id"]) for ref in record["source_refs"]]
        for record in story.records_of(result.payload)
    }

    assert len(asked(client, EXTRACT)) == 3
    assert result.findings == ()
    assert ranges["Wick"] == [(50, 52), (206, 205)]
    assert ranges["Dell"] == [(210, 208)]


def test_progress_counts_chunks_and_the_proposal() -> None:
    seen: list[tuple[int, int]] = []
    ports = LanePorts(seats=FixedSeats(1), progress=lambda done, total: seen.append((done, total)))
    client = Pages()
    run(client, ports)
    fresh = seen.copy()
    seen.clear()
    run(client, ports)

    assert fresh == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]
    assert seen == [(3, 4), (4, 4)]


def test_every_round_trip_is_recorded_with_the_raw_reply() -> None:
    kept: list[Exchange] = []

    def keep(exchange: Exchange) -> None:
        kept.append(exchange)

    client = Pages(queues={41: ["  prose \u201cas it came\u201d\n"]})
    run(client, LanePorts(seats=FixedSeats(1), record=keep), retries=Retries(extract=1))

    assert [exchange.outcome for exchange in kept] == ["llm.not_json", "ok", "ok", "ok", "ok"]
    assert kept[0].reply == "  prose \u201cas it came\u201d\n".encode()
    assert orjson.loads(kept[1].reply) == GOOD[41]


def test_manifest_and_result_are_plain_json_without_content(leaks: Leaks) -> None:
    result = run(asking(groups(group_of_voss())))
    manifest = canonical_json(result.manifest).decode()
    findings = [finding.as_json() for finding in result.findings]

    assert leaks.found_in([manifest, canonical_json(findings).decode()]) == []
    assert orjson.loads(orjson.dumps(result.consolidations)) == result.consolidations
    assert orjson.loads(orjson.dumps(result.payload)) == result.payload


def test_manifest_names_policies_validators_prompts_and_counts() -> None:
    manifest: Any = run(asking(groups(group_of_voss()))).manifest

    assert NPCS.proposal is not None
    assert manifest["policies"] == [*NPCS.policies, *NPCS.proposal.policies]
    assert manifest["validators"] == [validate.__name__ for validate in NPCS.validators]
    assert manifest["document"] == story.DOCUMENT.digest
    assert manifest["extract"]["prompt"]["digest"] == story.CATALOG[EXTRACT].digest
    assert manifest["normalize"]["prompt"]["digest"] == story.CATALOG[RECONCILE].digest
    assert (manifest["normalize"]["candidates"], manifest["normalize"]["windows_left_out"]) == (6, 0)
    assert manifest["findings"] == {Code.RECONCILE_APPLIED.value: 1}


def test_prepare_chunk_request_is_what_the_lane_sends() -> None:
    client = asking(groups())
    job = make_job(client, profile=Profile(chunk_units=12, unit_id_enum=True, max_records=5))
    run_lane(NPCS, job, LanePorts(seats=FixedSeats(1)))
    prepared = [prepare_chunk_request(NPCS, job, number) for number in range(3)]
    schema: Any = prepared[2].schema
    evidence = schema["properties"]["npcs"]["items"]["properties"]["source_refs"]["items"]["properties"]

    assert prepared == asked(client, EXTRACT)
    assert evidence["start_unit_id"]["enum"] == [unit.unit_id for unit in story.DOCUMENT.units[24:]]
    assert schema["properties"]["npcs"]["maxItems"] == 5
    with pytest.raises(IndexError):
        prepare_chunk_request(NPCS, job, 3)


def test_many_chunks_side_by_side_are_merged_in_document_order() -> None:
    """One chunk a unit, eight seats, a client that answers in any order it likes."""
    shuffle = random.Random(7)  # noqa: S311 - no secret
    pauses = {unit.unit_id: shuffle.randrange(3) for unit in story.DOCUMENT.units}

    def answer(request: StructuredRequest) -> JsonValue:
        for _ in range(pauses[first_unit(request)]):
            threading.Event().wait(0.001)
        unit = first_unit(request)
        return story.npcs_reply({f"Person {unit}": [(unit, unit)]})

    client = ScriptedClient(answer)
    client.enqueue(RECONCILE, groups())
    result = run(client, LanePorts(seats=FixedSeats(8)), profile=Profile(chunk_units=1))

    assert story.names_of(result.payload) == [f"Person {unit.unit_id}" for unit in story.DOCUMENT.units]


@pytest.mark.parametrize(
    ("start_at", "order"),
    [
        pytest.param(0.0, [41, 7, 203], id="beginning"),
        pytest.param(0.34, [7, 203, 41], id="a-third"),
        pytest.param(0.67, [203, 41, 7], id="two-thirds"),
        pytest.param(1.0, [41, 7, 203], id="end-wraps-around"),
    ],
)
def test_start_at_turns_the_order_of_calls_and_nothing_else(start_at: float, order: list[int]) -> None:
    client = Pages()
    result = run(client, start_at=start_at)

    assert client.pages() == order
    assert result == run(Pages())


def test_lane_without_a_proposal_publishes_what_normalize_made() -> None:
    client = Pages()
    seen: list[tuple[int, int]] = []
    ports = LanePorts(progress=lambda done, total: seen.append((done, total)))
    result = run_lane(replace(NPCS, proposal=None), make_job(client), ports)

    assert story.names_of(result.payload) == list(story.NAMES)
    assert asked(client, RECONCILE) == []
    assert (result.consolidations, seen[-1]) == ({}, (3, 3))
    assert "normalize" not in result.manifest
    assert orjson.dumps(result.consolidations) == b"{}"
