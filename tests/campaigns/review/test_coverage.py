from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns import coverage
from campaigns.coverage import State

RANGES = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=12)


@given(RANGES, st.integers(0, 50))
def test_flags_cover_what_the_ranges_cover_and_no_more(ranges: list[tuple[int, int]], total: int) -> None:
    inside = [(start, end) for start, end in ranges if start <= end < total]
    expected = [any(start <= at <= end for start, end in inside) for at in range(total)]

    assert list(map(bool, coverage.flags(ranges, total))) == expected


@given(st.lists(st.lists(st.booleans(), min_size=9, max_size=9), max_size=4))
def test_union_covers_what_any_part_covers(parts: list[list[bool]]) -> None:
    found = coverage.union([bytes(part) for part in parts], 9)

    assert list(map(bool, found)) == [any(part[at] for part in parts) for at in range(9)]


@given(st.lists(st.booleans(), max_size=700), st.sampled_from([State.READ, State.FAILED, State.UNSENT]))
def test_strip_fills_its_width_with_bars_in_order(cited: list[bool], rest: State) -> None:
    made = coverage.strip("NPCs", bytes(cited), rest)
    ends = [bar.x + bar.width for bar in made.bars]

    assert [bar.x for bar in made.bars] == [0, *ends[:-1]][: len(ends)]
    assert (ends or [0])[-1] == made.buckets == min(coverage.BUCKETS, len(cited))
    assert (made.cited, made.uncited) == (sum(cited), len(cited) - sum(cited))
    assert any(bar.state is State.CITED for bar in made.bars) == any(cited)
    assert {bar.state for bar in made.bars} <= {State.CITED, rest}
    assert all(1 <= bar.height <= coverage.HEIGHTS and bar.y + bar.height == coverage.HEIGHTS for bar in made.bars)


@given(st.lists(st.booleans(), max_size=200))
def test_stretches_count_every_unit_once(cited: list[bool]) -> None:
    parts = coverage.stretches(bytes(cited))

    assert [at for part in parts for at in range(part.start, part.end + 1)] == list(range(len(cited)))
    assert sum(part.cited for part in parts) == sum(cited)
    assert all(part.uncited >= 0 for part in parts)


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        pytest.param([], State.UNSENT, id="no-lane"),
        pytest.param([State.UNSENT, State.UNSENT], State.UNSENT, id="none-ran"),
        pytest.param([State.UNSENT, State.FAILED], State.FAILED, id="all-that-ran-failed"),
        pytest.param([State.FAILED, State.READ], State.READ, id="one-read-it"),
    ],
)
def test_together_says_the_best_that_is_known(states: list[State], expected: State) -> None:
    assert coverage.together(states) is expected


def test_legend_explains_every_state() -> None:
    assert {state.value for state in State} <= {sign.state for sign in coverage.LEGEND}
