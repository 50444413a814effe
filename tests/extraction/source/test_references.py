from __future__ import annotations

import itertools
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.source.index import DocumentIndex
from extraction.source.references import SourceRef, canonical, coalesce, earliest, order_endpoints, span
from tests.extraction.source.documents import SOURCE_ID, document, indexes_with_refs, ref

# Document order of the ids: 3, 40, 7, 12.
INDEX = DocumentIndex(document([3, 40, 7, 12]))
ELSEWHERE = "glass-tithe.s2.t1"

spans = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 8)).map(lambda pair: (pair[0], sum(pair))), max_size=12)


@pytest.mark.parametrize(
    ("given_ref", "expected"),
    [
        pytest.param(ref(3, 12), ref(3, 12), id="forward"),
        pytest.param(ref(40, 7), ref(40, 7), id="forward-though-ids-fall"),
        pytest.param(ref(7, 40), ref(40, 7), id="reversed-though-ids-rise"),
        pytest.param(ref(12, 3), ref(3, 12), id="reversed"),
        pytest.param(ref(7, 7), ref(7, 7), id="single"),
        pytest.param(ref(7, 40, ELSEWHERE), ref(7, 40, ELSEWHERE), id="wrong-source-untouched"),
        pytest.param(ref(7, 99), ref(7, 99), id="unknown-end-untouched"),
        pytest.param(ref(99, 3), ref(99, 3), id="unknown-start-untouched"),
        pytest.param(ref(0, -4), ref(0, -4), id="no-ids-untouched"),
    ],
)
def test_order_endpoints_follows_document_position(given_ref: SourceRef, expected: SourceRef) -> None:
    assert order_endpoints(given_ref, INDEX) == expected


@given(indexes_with_refs())
def test_order_endpoints_repairs_only_what_resolves(drawn: tuple[DocumentIndex, list[SourceRef]]) -> None:
    index, refs = drawn
    for given_ref in refs:
        ordered = order_endpoints(given_ref, index)
        positions = span(ordered, index)

        assert order_endpoints(ordered, index) == ordered
        assert {ordered.start_unit_id, ordered.end_unit_id} == {given_ref.start_unit_id, given_ref.end_unit_id}
        assert ordered == given_ref if positions is None else positions[0] <= positions[1]


@pytest.mark.parametrize(
    ("given_ref", "expected"),
    [(ref(40, 12), (1, 3)), (ref(12, 40), (3, 1)), (ref(40, 99), None), (ref(40, 12, ELSEWHERE), None)],
    ids=["forward", "reversed-as-it-stands", "unknown", "wrong-source"],
)
def test_span_gives_positions(given_ref: SourceRef, expected: tuple[int, int] | None) -> None:
    assert span(given_ref, INDEX) == expected


def test_canonical_orders_by_start_then_end_and_puts_the_unresolved_last() -> None:
    refs = [ref(7, 12), ref(99, 3), ref(3, 12), ref(3, 40), ref(7, 12), ref(3, 40, ELSEWHERE), ref(99, 3)]

    assert canonical(refs, INDEX) == (ref(3, 40), ref(3, 12), ref(7, 12), ref(99, 3), ref(3, 40, ELSEWHERE))


def test_canonical_keeps_overlapping_and_adjacent_ranges_apart() -> None:
    refs = [ref(3, 40), ref(40, 7), ref(7, 12)]

    assert canonical(refs, INDEX) == tuple(refs)


@given(indexes_with_refs(), st.randoms(use_true_random=False))
def test_canonical_is_a_set_in_one_order(drawn: tuple[DocumentIndex, list[SourceRef]], random: Random) -> None:
    index, refs = drawn
    result = canonical(refs, index)
    resolved = [positions for one in result if (positions := span(one, index)) is not None]

    assert set(result) == set(refs)
    assert len(result) == len(set(refs))
    assert resolved == sorted(resolved)
    assert canonical(result, index) == result

    shuffled = [one for one in refs if span(one, index) is not None]
    random.shuffle(shuffled)

    assert canonical(shuffled, index) == result[: len(resolved)]


@pytest.mark.parametrize(
    ("given_spans", "expected"),
    [
        ([], ()),
        ([(4, 6), (1, 2)], ((1, 2), (4, 6))),
        ([(1, 3), (4, 6)], ((1, 6),)),
        ([(1, 9), (2, 3), (9, 10)], ((1, 10),)),
        ([(2, 2), (2, 2)], ((2, 2),)),
    ],
    ids=["none", "apart", "adjacent", "nested-and-touching", "equal"],
)
def test_coalesce_joins_overlapping_and_adjacent(
    given_spans: list[tuple[int, int]], expected: tuple[tuple[int, int], ...]
) -> None:
    assert coalesce(given_spans) == expected


@given(spans)
def test_coalesce_covers_the_same_positions_with_gaps_between(given_spans: list[tuple[int, int]]) -> None:
    joined = coalesce(given_spans)
    covered = {at for start, end in given_spans for at in range(start, end + 1)}

    assert [at for start, end in joined for at in range(start, end + 1)] == sorted(covered)
    assert all(after[0] > before[1] + 1 for before, after in itertools.pairwise(joined))


def test_earliest_takes_the_first_range_that_resolves() -> None:
    assert earliest([ref(7, 12), ref(40, 12), ref(40, 7), ref(99, 99)], INDEX) == (1, 2)


def test_earliest_without_a_range_stands_behind_the_document() -> None:
    assert earliest([ref(99, 99)], INDEX) == (4, 4)


def test_reference_as_json_has_three_fields() -> None:
    assert ref(40, 7).as_json() == {"source_id": SOURCE_ID, "start_unit_id": 40, "end_unit_id": 7}
