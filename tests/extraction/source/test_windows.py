from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.source.index import DocumentIndex
from extraction.source.references import SourceRef, span
from extraction.source.windows import CONTEXT_RADIUS, windows
from tests.extraction.source.documents import document, indexes_with_refs, ref

# Document order of the ids; position 4 is unit 60.
INDEX = DocumentIndex(document([9, 2, 31, 8, 60, 4, 77, 5, 70, 6]))


def shape(refs: list[SourceRef], radius: int = CONTEXT_RADIUS) -> list[list[tuple[int, bool]]]:
    return [[(unit.unit.unit_id, unit.cited) for unit in window.units] for window in windows(refs, INDEX, radius)]


def test_windows_mark_cited_units_among_two_of_context() -> None:
    assert shape([ref(60, 60)]) == [[(31, False), (8, False), (60, True), (4, False), (77, False)]]


def test_windows_are_clamped_at_both_ends() -> None:
    assert shape([ref(9, 9), ref(6, 6)]) == [
        [(9, True), (2, False), (31, False)],
        [(5, False), (70, False), (6, True)],
    ]


def test_windows_that_touch_are_joined() -> None:
    joined = shape([ref(4, 4), ref(9, 9)])

    assert joined == [
        [(9, True), (2, False), (31, False), (8, False), (60, False), (4, True), (77, False), (5, False)],
    ]


def test_windows_without_radius_are_the_evidence() -> None:
    assert shape([ref(8, 60), ref(31, 8)], radius=0) == [[(31, True), (8, True), (60, True)]]


def test_windows_of_nothing_are_none() -> None:
    assert windows([], INDEX) == ()


@pytest.mark.parametrize(
    "bad", [ref(4, 60), ref(9, 99), ref(9, 9, "other.s1.t1")], ids=["reversed", "unknown", "source"]
)
def test_windows_refuse_an_invalid_reference(bad: SourceRef) -> None:
    with pytest.raises(ValueError, match="valid reference"):
        windows([ref(9, 9), bad], INDEX)


@given(indexes_with_refs(ordered=True), st.integers(0, 4))
def test_windows_hold_what_is_cited_and_its_neighbours_once(
    drawn: tuple[DocumentIndex, list[SourceRef]], radius: int
) -> None:
    index, refs = drawn
    result = windows(refs, index, radius)
    shown = [unit for window in result for unit in window.units]
    positions = [index.position(unit.unit.unit_id) for unit in shown]
    spans = [found for one in refs if (found := span(one, index)) is not None]
    cited = {at for start, end in spans for at in range(start, end + 1)}
    near = {at for at in range(len(index)) if any(start - radius <= at <= end + radius for start, end in spans)}

    assert positions == sorted(near)
    assert {at for at, unit in zip(positions, shown, strict=True) if unit.cited} == cited
    for window in result:
        inside = [index.position(unit.unit.unit_id) for unit in window.units]

        assert inside == list(range(inside[0], inside[-1] + 1))
