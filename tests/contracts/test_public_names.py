"""The names that a D&D module may import. Adding one is a decision: change this list with it."""

from __future__ import annotations

from extraction import framework

PUBLIC = {
    "CONTEXT_RADIUS",
    "Chunk",
    "ChunkLimits",
    "Cited",
    "Code",
    "DocumentIndex",
    "Extract",
    "Finding",
    "JsonValue",
    "Judged",
    "Judgement",
    "Lane",
    "Materials",
    "NamedRecord",
    "Proposal",
    "Question",
    "RetryRequest",
    "Scope",
    "Settled",
    "Slot",
    "SourceRef",
    "StageOutcome",
    "Validator",
    "Window",
    "by_size",
    "canonical",
    "comparison_key",
    "concatenate",
    "context_material",
    "digest",
    "earliest",
    "item_id",
    "lead_in_material",
    "location_id",
    "npc_id",
    "order_endpoints",
    "rejection",
    "span",
    "transcript_material",
    "unit_material",
    "warning",
    "whole_units",
    "windows",
}


def test_framework_offers_exactly_the_public_names() -> None:
    assert set(framework.__all__) == PUBLIC


def test_framework_names_exist_and_stand_in_order() -> None:
    assert all(hasattr(framework, name) for name in framework.__all__)
    assert len(framework.__all__) == len(set(framework.__all__))
