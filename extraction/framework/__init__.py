"""The names a D&D module may import. A test pins `__all__`: adding to it is a decision."""

from extraction.canonical import JsonValue, digest
from extraction.codes import Code
from extraction.findings import Finding, rejection, warning
from extraction.identity import comparison_key, item_id, location_id, npc_id
from extraction.lanes.attempts import RetryRequest, StageOutcome
from extraction.lanes.chunk import (
    Chunk,
    ChunkLimits,
    by_size,
    context_material,
    lead_in_material,
    transcript_material,
    unit_material,
)
from extraction.lanes.job import Judged, Judgement, NamedRecord
from extraction.lanes.lane import (
    Cited,
    Extract,
    Lane,
    Materials,
    Proposal,
    Question,
    Scope,
    Settled,
    Slot,
    Validator,
    concatenate,
    whole_units,
)
from extraction.source.index import DocumentIndex
from extraction.source.references import SourceRef, canonical, earliest, order_endpoints, span
from extraction.source.windows import CONTEXT_RADIUS, Window, windows

__all__ = [
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
]
