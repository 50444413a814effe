from __future__ import annotations

import pytest

from extraction.ingest import Format
from tests.extraction.ingest.reading import Row, read, rows, skipped_at, times


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param("Mara: we go\nTom: no", [("Mara", "we go"), ("Tom", "no")], id="lines"),
        pytest.param("Mara: we go\non  to\nthe mill", [("Mara", "we go on to the mill")], id="continuation"),
        pytest.param(
            "Mara: we go\n\non to\n\nTom: no", [("Mara", "we go on to"), ("Tom", "no")], id="over-blank-lines"
        ),
        pytest.param("Mara:\nwe go", [("Mara", "we go")], id="label-alone"),
        pytest.param("**Mara:** we *go*\n\n**Tom**: no", [("Mara", "we *go*"), ("Tom", "no")], id="markdown"),
        pytest.param("- Mara: we go\n- and on", [("Mara", "we go - and on")], id="list"),
        pytest.param("one\ntwo\nMara: three", [(None, "one"), (None, "two"), ("Mara", "three")], id="lines-first"),
        pytest.param("one\ntwo\n\nMara: three", [(None, "one two"), ("Mara", "three")], id="paragraph-first"),
        pytest.param("we go\nand on", [(None, "we go"), (None, "and on")], id="no-speakers-lines"),
        pytest.param("we go\non\n\nthe mill\n", [(None, "we go on"), (None, "the mill")], id="no-speakers-paragraphs"),
        pytest.param("Mara: it is\nThe sign reads: beware", [("Mara", "it is The sign reads: beware")], id="sentence"),
        pytest.param("Mara: at\n12:30 sharp", [("Mara", "at 12:30 sharp")], id="clock-in-speech"),
        pytest.param("Mara: #1 is\n#2 not", [("Mara", "#1 is #2 not")], id="hash-without-space"),
    ],
)
def test_text_gives_units(content: str, expected: list[Row]) -> None:
    transcript = read(content)

    assert transcript.format is Format.TEXT
    assert rows(transcript) == expected
    assert [unit.unit_id for unit in transcript.units] == list(range(1, len(expected) + 1))
    assert not transcript.skipped


@pytest.mark.parametrize(
    ("line", "expected", "time"),
    [
        ("[00:01:18] Mara: we go", ("Mara", "we go"), (78_000, None)),
        ("(1:18) Mara: we go", ("Mara", "we go"), (78_000, None)),
        ("[01:18.250] **Mara:** we go", ("Mara", "we go"), (78_250, None)),
        ("- [01:18] Mara: we go", ("Mara", "we go"), (78_000, None)),
        ("00:01:18 Mara: we go", ("Mara", "we go"), (78_000, None)),
        ("01:18 - Mara: we go", ("Mara", "we go"), (78_000, None)),
        ("Mara [00:01:18]: we go", ("Mara", "we go"), (78_000, None)),
        ("**Mara** (1:01:18): we go", ("Mara", "we go"), (3_678_000, None)),
        ("**Mara (01:18):** we go", ("Mara", "we go"), (78_000, None)),
        ("[00:01:18 - 00:01:20,5] Mara: we go", ("Mara", "we go"), (78_000, 80_500)),
        ("[00:01.000 --> 00:02.000] we go", (None, "we go"), (1000, 2000)),
        ("[01:18] we go", (None, "we go"), (78_000, None)),
        ("[01:99] we go", (None, "[01:99] we go"), (None, None)),
        ("the hour [00:01:18]: we go", (None, "the hour [00:01:18]: we go"), (None, None)),
    ],
)
def test_stamps_are_optional(line: str, expected: Row, time: tuple[int | None, int | None]) -> None:
    transcript = read(line, Format.TEXT)

    assert rows(transcript) == [expected]
    assert times(transcript) == [time]


def test_stamp_alone_is_the_time_of_what_follows() -> None:
    transcript = read("[00:01]\nMara: we go\n\n[00:05]\n\nTom: no\n[00:07]\nall of them\nlaugh")

    assert rows(transcript) == [("Mara", "we go"), ("Tom", "no"), (None, "all of them laugh")]
    assert times(transcript) == [(1000, None), (5000, None), (7000, None)]


def test_stamped_lines_without_labels_continue_until_the_next_stamp() -> None:
    assert rows(read("[00:01] we go\non\n[00:03] no")) == [(None, "we go on"), (None, "no")]


def test_first_heading_is_the_title_and_the_others_are_skipped() -> None:
    transcript = read("\n# The Mill #\n\n---\nMara: we go\n## Later\n* * *\n# Not a title\nTom: no\n===\n")

    assert transcript.title == "The Mill"
    assert rows(transcript) == [("Mara", "we go"), ("Tom", "no")]
    assert skipped_at(transcript) == [4, 6, 7, 8, 10]


def test_heading_below_words_is_no_title() -> None:
    transcript = read("Mara: we go\n# Later")

    assert transcript.title is None
    assert skipped_at(transcript) == [2]


def test_label_without_words_is_skipped() -> None:
    transcript = read("Mara:\nTom: no")

    assert rows(transcript) == [("Tom", "no")]
    assert skipped_at(transcript) == [1]
