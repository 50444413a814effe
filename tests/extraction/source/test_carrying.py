"""What becomes of cited ranges when a transcript is corrected: nothing is lost that still stands, and nothing else."""

from __future__ import annotations

from itertools import count, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.source.carrying import Carrying, Fate, Landing, Named, aligned

WORDS = ("yes", "no", "the", "bell", "rings")
# Few words, so that equal units and equal words stand side by side often.
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4), max_size=12).map(
    lambda units: [" ".join(words) for words in units]
)


def numbered(texts: list[str], ids: list[int] | None = None) -> list[Named]:
    return list(zip(ids or range(1, len(texts) + 1), texts, strict=True))


def words(units: list[Named], start: int, end: int) -> list[str]:
    places = {unit_id: at for at, (unit_id, _) in enumerate(units)}
    return [word for _, text in units[places[start] : places[end] + 1] for word in text.split()]


def stands_in(wanted: list[str], given_words: list[str]) -> bool:
    rest = iter(given_words)
    return all(word in rest for word in wanted)


@st.composite
def cut_anew(draw: st.DrawFn) -> tuple[list[Named], list[Named]]:
    """A transcript, and the same words cut into units at other places."""
    before = numbered(draw(TEXTS))
    spoken = [word for _, text in before for word in text.split()]
    cuts = sorted({0, len(spoken), *draw(st.lists(st.integers(0, len(spoken)), max_size=8))})
    return before, numbered([" ".join(spoken[start:end]) for start, end in pairwise(cuts)])


@given(TEXTS, st.data())
def test_everything_is_carried_where_nothing_changed(texts: list[str], data: st.DataObject) -> None:
    units = numbered(texts, data.draw(st.permutations(range(1, len(texts) + 1))))
    carrying = Carrying(units, units)

    for at, (start, _) in enumerate(units):
        for end, _ in units[at:]:
            assert carrying.land(start, end) == Landing(Fate.CARRIED, start, end)


@given(TEXTS, TEXTS)
def test_what_is_not_lost_still_says_every_word(old: list[str], new: list[str]) -> None:
    before, after = numbered(old), numbered(new)
    carrying = Carrying(before, after)

    for start in range(1, len(before) + 1):
        for end in range(start, len(before) + 1):
            landing = carrying.land(start, end)
            if landing.fate is not Fate.LOST:
                assert landing.start_unit_id is not None
                assert landing.end_unit_id is not None
                now = words(after, landing.start_unit_id, landing.end_unit_id)
                assert stands_in(words(before, start, end), now)
                assert landing.fate is Fate.MOVED or now == words(before, start, end)


@given(cut_anew())
def test_splits_and_joins_lose_nothing(revisions: tuple[list[Named], list[Named]]) -> None:
    before, after = revisions
    carrying = Carrying(before, after)

    for start in range(1, len(before) + 1):
        for end in range(start, len(before) + 1):
            assert carrying.land(start, end).fate is not Fate.LOST


@given(TEXTS.filter(bool), st.data())
def test_a_reworded_unit_loses_the_ranges_that_hold_it_and_no_other(texts: list[str], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(texts) - 1))
    carrying = Carrying(numbered(texts), numbered([*texts[:at], "never said", *texts[at + 1 :]]))

    for start in range(len(texts)):
        for end in range(start, len(texts)):
            expected = Fate.LOST if start <= at <= end else Fate.CARRIED
            assert carrying.land(start + 1, end + 1).fate is expected


@given(TEXTS.filter(bool), TEXTS)
def test_parts_of_a_range_are_the_range_and_each_is_lost_whole_or_not_at_all(old: list[str], new: list[str]) -> None:
    before = numbered(old)
    carrying = Carrying(before, numbered(new))
    parts = list(carrying.parts(1, len(before)))

    assert [at for part in parts for at in range(part.start_unit_id, part.end_unit_id + 1)] == [at for at, _ in before]
    for part in parts:
        assert part.landing == carrying.land(part.start_unit_id, part.end_unit_id)
        for at in range(part.start_unit_id, part.end_unit_id + 1):
            assert (carrying.land(at, at).fate is Fate.LOST) == (part.landing.fate is Fate.LOST)


def test_parts_cut_out_what_was_reworded() -> None:
    before = [(66, "Ring it."), (67, "The bell is gone."), (68, "Who?")]
    after = [(66, "Sing it."), *before[1:]]
    found = [
        (part.start_unit_id, part.end_unit_id, part.landing.fate) for part in Carrying(before, after).parts(66, 68)
    ]

    assert found == [(66, 66, Fate.LOST), (67, 68, Fate.CARRIED)]


@pytest.mark.parametrize("ends", [(5, 5), (3, 7)], ids=["unknown", "reversed"])
def test_parts_of_what_never_resolved_are_one_that_is_lost(ends: tuple[int, int]) -> None:
    units = [(7, "Ring it."), (3, "The bell is gone.")]
    [part] = Carrying(units, units).parts(*ends)

    assert (part.start_unit_id, part.end_unit_id, part.landing.fate) == (*ends, Fate.LOST)


@given(TEXTS, TEXTS)
def test_places_never_run_back(old: list[str], new: list[str]) -> None:
    found = [place for place in aligned(old, new) if place is not None]

    assert all(0 <= first <= last < len(new) for first, last in found)
    assert all(one[0] <= other[0] and one[1] <= other[1] for one, other in pairwise(found))


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        pytest.param([(7, "Ring it."), (3, "The bell is gone."), (9, "Who?")], (Fate.CARRIED, 3, 3), id="same"),
        pytest.param(
            [(7, "Ring it."), (3, "The bell"), (10, "is gone."), (9, "Who?")], (Fate.MOVED, 3, 10), id="split"
        ),
        pytest.param([(7, "Ring it. The bell is gone."), (9, "Who?")], (Fate.MOVED, 7, 7, True), id="joined"),
        pytest.param([(1, "Ring it."), (2, "The bell is gone."), (3, "Who?")], (Fate.MOVED, 2, 2), id="renumbered"),
        pytest.param([(7, "Ring it."), (3, "The belt is gone."), (9, "Who?")], (Fate.LOST, 7, 9), id="reworded"),
        pytest.param([(7, "Ring it."), (9, "Who?")], (Fate.LOST, 7, 9), id="gone"),
        pytest.param([(2, "Another night.")], (Fate.LOST, 2, 2), id="another-night"),
        pytest.param([], (Fate.LOST, None, None), id="empty"),
    ],
)
def test_land_says_what_became_of_a_unit(after: list[Named], expected: tuple[Fate, int | None, int | None]) -> None:
    before = [(7, "Ring it."), (3, "The bell is gone."), (9, "Who?")]

    assert Carrying(before, after).land(3, 3) == Landing(*expected)


@pytest.mark.parametrize("ends", [(5, 5), (3, 7), (7, 99)], ids=["unknown", "reversed", "unknown-end"])
def test_land_of_what_never_resolved_is_lost(ends: tuple[int, int]) -> None:
    units = [(7, "Ring it."), (3, "The bell is gone.")]

    assert Carrying(units, units).land(*ends).fate is Fate.LOST


def test_many_units_are_matched_without_comparing_each_with_each() -> None:
    """A product of the two lengths would be 10 ** 10 comparisons, and end in no time that a suite has."""
    numbers = count()
    before = [(at, f"word {next(numbers) % 7} of {at}") for at in range(1, 100_001)]
    after = [(at, text if at % 10 else "reworded") for at, text in before]
    carrying = Carrying(before, after)

    assert carrying.land(1, 9).fate is Fate.CARRIED
    assert carrying.land(10, 10).fate is Fate.LOST
