from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.lanes.chunk import (
    CHUNK_CONTEXT,
    Chunk,
    ChunkLimits,
    by_size,
    context_material,
    lead_in_material,
    transcript_material,
)
from extraction.source.documents import SourceDocument, SourceUnit
from extraction.source.index import DocumentIndex


def index_of(sizes: list[int]) -> DocumentIndex:
    """Units of so many words each, whose ids fall."""
    units = tuple(SourceUnit(len(sizes) - at, "A", "word " * size) for at, size in enumerate(sizes))
    return DocumentIndex(SourceDocument("lake.s1.t1", units))


@given(st.lists(st.integers(0, 30), max_size=60), st.integers(1, 20), st.integers(1, 60))
def test_by_size_partitions_the_document_within_its_limits(sizes: list[int], units: int, words: int) -> None:
    chunks = by_size(index_of(sizes), ChunkLimits(units, words))

    assert [at for chunk in chunks for at in range(chunk.start, chunk.end + 1)] == list(range(len(sizes)))
    assert [chunk.number for chunk in chunks] == list(range(len(chunks)))
    for chunk in chunks:
        length = chunk.end - chunk.start + 1
        assert length <= units
        assert length == 1 or sum(sizes[chunk.start : chunk.end + 1]) <= words


@given(st.lists(st.integers(0, 30), min_size=1, max_size=60), st.integers(1, 20), st.integers(1, 60))
def test_by_size_cuts_only_where_the_next_unit_would_not_fit(sizes: list[int], units: int, words: int) -> None:
    chunks = by_size(index_of(sizes), ChunkLimits(units, words))

    for chunk, after in pairwise(chunks):
        one_more = sizes[chunk.start : after.start + 1]
        assert len(one_more) > units or sum(one_more) > words


def test_by_size_of_an_empty_document_is_empty() -> None:
    assert by_size(index_of([]), ChunkLimits(5, 50)) == ()


@pytest.mark.parametrize(
    ("start", "end", "before", "after"),
    [
        pytest.param(0, 11, [], [7, 8, 9, 11], id="first"),
        pytest.param(12, 23, [51, 52, 53, 55], [203, 201, 204, 202], id="middle"),
        pytest.param(24, 35, [17, 18, 20, 21], [], id="last"),
        pytest.param(2, 33, [41, 42], [212, 211], id="near-both-edges"),
        pytest.param(0, 35, [], [], id="whole"),
    ],
)
def test_context_material_follows_position_and_stays_outside_the_chunk(
    index: DocumentIndex, start: int, end: int, before: list[int], after: list[int]
) -> None:
    context: Any = context_material(index, Chunk(0, start, end))

    assert [unit["unit_id"] for unit in context["before"]] == before
    assert [unit["unit_id"] for unit in context["after"]] == after
    assert CHUNK_CONTEXT == 4


@pytest.mark.parametrize("start", range(16))
def test_lead_in_and_context_go_back_as_far_as_asked_and_show_no_unit_twice(index: DocumentIndex, start: int) -> None:
    chunk = Chunk(0, start, start + 3)
    lead_in: Any = lead_in_material(index, chunk, 10)
    context: Any = context_material(index, chunk)
    shown = [unit["unit_id"] for unit in (*lead_in["before"], *context["before"])]

    assert shown == [unit.unit_id for unit in index.document.units[max(0, start - 10) : start]]
    assert lead_in["after"] == []


def test_transcript_material_is_the_chunks_own_units(index: DocumentIndex) -> None:
    material: Any = transcript_material(index, Chunk(0, 24, 26))

    assert [unit["unit_id"] for unit in material] == [203, 201, 204]
    assert all(unit.keys() == {"unit_id", "speaker", "text"} for unit in material)
