from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.source.index import DocumentIndex
from tests.extraction.source.documents import document, indexes, unit_id_lists


@pytest.mark.parametrize("unit_ids", [[3, 40, 3], [0, 1], [5, -2]], ids=["repeated", "zero", "negative"])
def test_index_refuses_ids_that_name_nothing(unit_ids: list[int]) -> None:
    with pytest.raises(ValueError, match="unique positive"):
        DocumentIndex(document(unit_ids))


def test_index_of_an_empty_document_has_nothing() -> None:
    index = DocumentIndex(document([]))

    assert len(index) == 0
    assert index.unit_ids == ()
    assert index.find(1) is None


@given(unit_id_lists)
def test_position_and_unit_at_are_inverse(unit_ids: list[int]) -> None:
    index = DocumentIndex(document(unit_ids))

    assert [index.position(unit_id) for unit_id in unit_ids] == list(range(len(unit_ids)))
    assert [index.unit_at(at).unit_id for at in range(len(index))] == unit_ids
    assert index.unit_ids == tuple(unit_ids)


@given(indexes, st.integers(501, 600))
def test_unknown_ids_are_found_nowhere(index: DocumentIndex, unknown: int) -> None:
    assert unknown not in index
    assert index.find(unknown) is None
    with pytest.raises(KeyError):
        index.position(unknown)


@given(indexes, st.integers(-100, 100))
def test_clamp_returns_the_nearest_position(index: DocumentIndex, position: int) -> None:
    clamped = index.clamp(position)

    assert 0 <= clamped < len(index)
    assert all(abs(clamped - position) <= abs(other - position) for other in range(len(index)))


@given(indexes, st.data())
def test_between_includes_both_ends(index: DocumentIndex, data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(index) - 1))
    last = data.draw(st.integers(first, len(index) - 1))

    assert index.between(first, last) == tuple(index.unit_at(at) for at in range(first, last + 1))
