"""Whoever holds words of a unit is found, in whatever way the unit was changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.source.documents import SourceUnit
from extraction.source.following import followed, words_of

LINES = ("The ferry waits.", "My sister lives next door.", "So be it.", "I pay the ferryman.")
BEFORE = tuple(SourceUnit(at * 3 + 5, None, text) for at, text in enumerate(LINES))


def holders(before: Sequence[SourceUnit], chosen: int, now: Sequence[SourceUnit]) -> set[int]:
    return set(followed(before, {chosen: words_of(before[chosen])}, now))


def after(*lines: tuple[int, str]) -> tuple[SourceUnit, ...]:
    return tuple(SourceUnit(number, None, text) for number, text in lines)


@pytest.mark.parametrize(
    ("now", "found"),
    [
        pytest.param(BEFORE, {1}, id="the-same"),
        pytest.param((BEFORE[0], replace(BEFORE[1], text="Nichts davon."), *BEFORE[2:]), {1}, id="reworded"),
        pytest.param(after((1, LINES[2]), (2, LINES[0]), (3, LINES[1])), {2}, id="numbered-anew"),
        pytest.param(after((5, LINES[0]), (8, "My sister"), (20, "lives next door.")), {1, 2}, id="split"),
        pytest.param(after((5, f"{LINES[0]} {LINES[1]}"), (11, LINES[2]), (14, LINES[3])), {0}, id="joined"),
        pytest.param(
            after((1, LINES[0]), (2, "Oh."), (3, "My brother lives next door"), (4, LINES[2])),
            {2},
            id="heard-otherwise",
        ),
        pytest.param((BEFORE[0], *BEFORE[2:]), set(), id="gone"),
        pytest.param((), set(), id="nothing-left"),
    ],
)
def test_holders_are_found(now: tuple[SourceUnit, ...], found: set[int]) -> None:
    assert holders(BEFORE, 1, now) == found


def test_a_line_in_the_place_of_another_that_shares_no_word_is_none() -> None:
    now = after((1, LINES[0]), (2, "Nobody knows."), (3, LINES[2]), (4, LINES[3]))

    assert holders(BEFORE, 1, now) == set()


def test_from_a_joined_line_the_wanted_words_alone_are_followed() -> None:
    joined = after((5, f"{LINES[0]} {LINES[1]}"))

    assert set(followed(joined, {0: words_of(BEFORE[1])}, BEFORE[:2])) == {1}


WORDS = st.lists(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=4).map(" ".join), min_size=1, max_size=8)


@given(WORDS, st.data())
def test_a_cut_anew_loses_no_word(texts: list[str], data: st.DataObject) -> None:
    """However the same words are cut into lines, those of a chosen line are all in what is found."""
    before = tuple(SourceUnit(at, None, text) for at, text in enumerate(texts))
    words = " ".join(texts).split()
    cuts = sorted(data.draw(st.sets(st.integers(1, len(words)))) | {0, len(words)})
    parts = [words[start:stop] for start, stop in pairwise(cuts)]
    now = tuple(SourceUnit(100 + at, None, " ".join(part)) for at, part in enumerate(parts))
    chosen = data.draw(st.integers(0, len(before) - 1))

    found = holders(before, chosen, now)

    start = sum(len(text.split()) for text in texts[:chosen])
    needed = set(range(start, start + len(texts[chosen].split())))
    held = {at for one in found for at in range(cuts[one], cuts[one + 1])}
    assert needed <= held
