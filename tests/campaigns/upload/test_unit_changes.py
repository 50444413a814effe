"""Splits and joins as algebra: no word, no unit and no time is made up or lost, whatever is cut where."""

from __future__ import annotations

from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns.errors import ActionError
from campaigns.unit_changes import Units, joined, reassigned, split, text_from
from extraction.source.documents import SourceUnit

WORDS = st.lists(st.sampled_from(["yes", "no", "bell", "rings"]), min_size=1, max_size=6).map(" ".join)
TIMES = st.none() | st.integers(0, 9_000)


@st.composite
def transcripts(draw: st.DrawFn) -> Units:
    ids = draw(st.lists(st.integers(1, 50), unique=True, min_size=1, max_size=8))
    speakers = st.sampled_from(["Ida", "Yun", None])
    return tuple(SourceUnit(each, draw(speakers), draw(WORDS), draw(TIMES), draw(TIMES)) for each in ids)


def words(units: Units) -> list[str]:
    return [word for unit in units for word in unit.text.split()]


@given(transcripts(), st.data())
def test_split_keeps_words_order_speakers_and_ids_apart(units: Units, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(units) - 1))
    said = units[at].text.split()
    if len(said) == 1:
        with pytest.raises(ActionError):
            split(units, units[at].unit_id, said, count(100))
        return
    cut = data.draw(st.integers(1, len(said) - 1))
    made = split(units, units[at].unit_id, [" ".join(said[:cut]), " ".join(said[cut:])], count(100))

    assert words(made) == words(units)
    assert len({unit.unit_id for unit in made}) == len(made) == len(units) + 1
    assert {unit.speaker for unit in made[at : at + 2]} == {units[at].speaker}
    assert (made[at].start_ms, made[at].end_ms) == (units[at].start_ms, None)
    assert (made[at + 1].start_ms, made[at + 1].end_ms) == (None, units[at].end_ms)
    assert joined(made, made[at].unit_id, made[at + 1].unit_id) == units


@given(transcripts(), st.data())
def test_join_keeps_words_and_the_ids_of_all_others(units: Units, data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(units) - 1))
    last = data.draw(st.integers(first, len(units) - 1))
    ends = units[first].unit_id, units[last].unit_id
    if first == last or len({unit.speaker for unit in units[first : last + 1]}) > 1:
        with pytest.raises(ActionError):
            joined(units, *ends)
        return
    made = joined(units, *ends)

    assert words(made) == words(units)
    assert (made[:first], made[first + 1 :]) == (units[:first], units[last + 1 :])
    assert (made[first].unit_id, made[first].start_ms) == (ends[0], units[first].start_ms)
    assert made[first].end_ms == units[last].end_ms


@given(transcripts(), st.data())
def test_reassign_changes_speakers_of_the_stretch_alone(units: Units, data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(units) - 1))
    last = data.draw(st.integers(first, len(units) - 1))
    made = reassigned(units, units[first].unit_id, units[last].unit_id, "Mei")

    assert [unit.speaker == "Mei" for unit in made] == [first <= at <= last for at in range(len(units))]
    assert [(unit.unit_id, unit.text) for unit in made] == [(unit.unit_id, unit.text) for unit in units]


def test_join_of_a_whole_night_is_refused() -> None:
    units = tuple(SourceUnit(number, None, "bell " * 100) for number in range(1, 300))

    with pytest.raises(ActionError, match="more than 20000 characters"):
        joined(units, 1, 299)


@pytest.mark.parametrize("text", ["♪ 🎲", "\u202egnaw\u202c", "{{ x }} <b>", "a\nb"])
def test_text_is_kept_as_it_is(text: str) -> None:
    assert text_from(f"  {text}\r\n") == text
