"""Words become utterances: where one ends, and that no word is lost, invented or moved."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.ingest.tracks import in_time_order
from extraction.ingest.words import LONGEST_CHARS, PAUSE_MS, Word, join_words, same_letters, words_of_text


def said(*words: Word) -> list[tuple[str | None, str]]:
    return [(utterance.speaker, utterance.text) for utterance in join_words(words)]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        pytest.param([("We", 0), ("go", 1)], ["We go"], id="same-breath"),
        pytest.param([("We", 0), ("go.", 1), ("Now", 2)], ["We go.", "Now"], id="sentence"),
        pytest.param([('"Go!"', 0), ("Now", 2)], ['"Go!"', "Now"], id="quoted-sentence"),
        pytest.param([("\u884c\u304f\u3002", 0), ("\u4eca", 1)], ["\u884c\u304f\u3002", "\u4eca"], id="full-width"),
        pytest.param([("Dr.", 0), ("Hask", 1)], ["Dr. Hask"], id="title"),
        pytest.param([("J.", 0), ("Hask", 1)], ["J. Hask"], id="initial"),
        pytest.param([("It", 0), ("is", 1), ("I.", 2), ("Go", 3)], ["It is I.", "Go"], id="the-word-i"),
        pytest.param([("23", 0), ("7", 1)], ["23 7"], id="numbers"),
        pytest.param([("\u4eca", 0), ("\u884c\u304f", 1), ("now", 2)], ["\u4eca\u884c\u304f now"], id="no-spaces"),
        pytest.param([("", 0), (" ", 0), (" We ", 0)], ["We"], id="empty-runs"),
    ],
)
def test_utterances_end_with_sentences(words: list[tuple[str, int]], expected: list[str]) -> None:
    spoken = [Word(at, text, None, start * 100, start * 100 + 90) for at, (text, start) in enumerate(words)]

    assert [text for _, text in said(*spoken)] == expected


@pytest.mark.parametrize(("gap", "utterances"), [(PAUSE_MS - 1, 1), (PAUSE_MS, 2)])
def test_utterances_end_at_a_pause(gap: int, utterances: int) -> None:
    words = [Word(1, "we", None, 0, 500), Word(2, "go", None, 500 + gap, None)]

    assert len(said(*words)) == utterances


def test_utterances_end_where_the_speaker_changes_also_to_nobody() -> None:
    words = [Word(1, "we", "A"), Word(2, "go", "B"), Word(3, "now", None), Word(4, "then", None)]

    assert said(*words) == [("A", "we"), ("B", "go"), (None, "now then")]


def test_utterances_end_where_times_run_back() -> None:
    assert said(Word(1, "we", None, 900, 950), Word(2, "go", None, 100, 200)) == [(None, "we"), (None, "go")]


def test_utterances_end_where_they_grow_too_long() -> None:
    words = [Word(1, "word") for _ in range(1000)]
    lengths = [len(text) for _, text in said(*words)]

    assert all(LONGEST_CHARS < length <= LONGEST_CHARS + 5 for length in lengths[:-1])
    assert sum(lengths) == 1000 * 5 - len(lengths)


def test_glued_words_stay_with_the_word_before() -> None:
    words = [Word(1, "3"), Word(2, ".", glued=True), Word(3, "5", "B", glued=True), Word(4, "gold")]

    assert said(*words) == [(None, "3.5 gold")]


def test_times_are_those_of_the_words_that_have_some() -> None:
    words = [Word(1, "we"), Word(2, "go", None, 300), Word(3, "now", None, 400, 500), Word(4, "then")]
    [utterance] = join_words(words)

    assert (utterance.at, utterance.start_ms, utterance.end_ms) == (1, 300, 500)


texts = st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=6)
times = st.none() | st.integers(0, 5000)
words = st.lists(
    st.builds(Word, st.integers(1, 9), texts, st.none() | st.sampled_from(["A", "B"]), times, times, st.booleans()),
    max_size=40,
)


@given(words)
def test_no_word_is_lost_invented_or_moved(drawn: list[Word]) -> None:
    spelled = "".join("".join(word.text.split()) for word in drawn)
    utterances = list(join_words(drawn))

    assert "".join("".join(utterance.text.split()) for utterance in utterances) == spelled
    assert all(utterance.text for utterance in utterances)


@given(words)
def test_no_word_changes_its_speaker_and_no_time_is_invented(drawn: list[Word]) -> None:
    apart = [Word(w.at, w.text, w.speaker, w.start_ms, w.end_ms) for w in drawn]
    spoken = [(w.speaker, part) for w in apart for part in w.text.split()]
    utterances = list(join_words(apart))
    known = {w.start_ms for w in apart} | {w.end_ms for w in apart} | {None}

    assert [s for u in utterances for s in [u.speaker] * len("".join(u.text.split()))] == [
        speaker for speaker, part in spoken for _ in part
    ]
    assert all(u.start_ms in known and u.end_ms in known for u in utterances)


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"])))
def test_words_of_a_text_spell_it(text: str) -> None:
    assert same_letters(text, words_of_text(1, text))


tracks = st.lists(st.lists(times, max_size=8), max_size=4)


@given(tracks)
def test_merged_tracks_keep_every_item_and_the_order_inside_each(drawn: list[list[int | None]]) -> None:
    items = [[(index, at, time) for at, time in enumerate(track)] for index, track in enumerate(drawn)]
    merged = in_time_order(items, lambda item: item[2])

    assert all(index == item[0] for index, item in merged)
    assert [[item for index, item in merged if index == track] for track in range(len(items))] == items


@given(st.lists(st.lists(st.integers(0, 99)).map(sorted), max_size=4))
def test_merged_tracks_run_forward_where_each_does(drawn: list[list[int]]) -> None:
    merged = [time for _, time in in_time_order(drawn, lambda time: time)]

    assert merged == sorted(merged)
