"""Text with a line for the speaker above the words: Otter, Teams, Word, Markdown, Foundry VTT; and SBV."""

from __future__ import annotations

import pytest

from extraction.ingest import Format
from tests.extraction.ingest.reading import Row, read, rows, skipped_at, times


@pytest.mark.parametrize(
    "heads",
    [
        pytest.param(("Mara Oak  0:01", "Tom Hask  1:01:09"), id="otter"),
        pytest.param(("Mara Oak   0:01", "Tom Hask   1:01:09"), id="teams"),
        pytest.param(("Mara Oak\t0:01", "Tom Hask\t1:01:09"), id="tab"),
        pytest.param(("**Mara Oak** 0:01", "**Tom Hask** 1:01:09"), id="bold"),
        pytest.param(("Mara Oak (0:01)", "Tom Hask (1:01:09)"), id="brackets"),
        pytest.param(("Mara Oak | 0:01", "Tom Hask | 1:01:09"), id="bar"),
        pytest.param(("00:00:01 Mara Oak", "01:01:09 Tom Hask"), id="word"),
    ],
)
def test_a_line_with_a_name_and_a_time_heads_a_turn(heads: tuple[str, str]) -> None:
    transcript = read(f"{heads[0]}\nwe go: on\nto the mill\n\nand back\n\n{heads[1]}\nno\n")

    assert transcript.format is Format.HEADED_TEXT
    assert rows(transcript) == [("Mara Oak", "we go: on to the mill and back"), ("Tom Hask", "no")]
    assert times(transcript) == [(1000, None), (3_669_000, None)]
    assert not transcript.skipped


def test_one_turn_is_headed_too() -> None:
    assert rows(read("mara_o  0:01\nwe go")) == [("mara_o", "we go")]
    assert rows(read("SPEAKER_00 [0:01]\nwe go\nSPEAKER_01 [0:05]\nno")) == [
        ("SPEAKER_00", "we go"),
        ("SPEAKER_01", "no"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Mara: I rose  7:30\nand left",
        "We meet at 10:30\nin the mill\n\nWe part at 11:30\nat the ford",
        "The Mill 10:30\n",
    ],
)
def test_a_time_at_the_end_of_a_sentence_heads_nothing(text: str) -> None:
    assert read(text).format is Format.TEXT


def test_what_otter_adds_is_skipped_and_counted() -> None:
    transcript = read(
        "At the mill\n\nSUMMARY KEYWORDS\nmill, troll\n\nSPEAKERS\nMara, Tom\n\nMara  0:01\nwe go\n\nTom  0:05\nno\n\n"
        "Transcribed by https://otter.ai\n"
    )

    assert rows(transcript) == [("Mara", "we go"), ("Tom", "no")]
    assert skipped_at(transcript) == [1, 3, 4, 6, 7, 15]


def test_what_teams_adds_is_skipped_and_counted() -> None:
    transcript = read(
        "At the mill\nMay 5, 2031, 7:30PM\n\nMara Oak started transcription\n\n"
        "Mara Oak   0:03\nwe go\n\nTom   0:07\nno\n\nMara Oak stopped transcription\n"
    )

    assert rows(transcript) == [("Mara Oak", "we go"), ("Tom", "no")]
    assert skipped_at(transcript) == [1, 2, 4, 12]


def test_words_above_the_first_turn_are_kept_without_a_speaker() -> None:
    assert rows(read("so then\nwe sit\n\nwell\n\nMara  0:01\nwe go\n\nTom  0:04\nno")) == [
        (None, "so then we sit"),
        (None, "well"),
        ("Mara", "we go"),
        ("Tom", "no"),
    ]


@pytest.mark.parametrize(
    ("mark", "after"), [("## {}", ""), ("### {}:", ""), ("**{}**", ""), ("__{}__", ""), ("## {} [00:01:18]", "t")]
)
def test_headings_or_bold_lines_that_take_turns_are_speakers(mark: str, after: str) -> None:
    said = [("Mara", "we go on"), ("Tom", "no"), ("Mara", "then I go")]
    transcript = read("# At the Mill\n\n" + "\n\n".join(f"{mark.format(name)}\n{text}" for name, text in said))

    assert rows(transcript) == said
    assert transcript.title == "At the Mill"
    assert {time for time, _ in times(transcript)} == ({78_000} if after else {None})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("## Arrival\nwe go\n\n## Combat\nno\n", [(None, "we go"), (None, "no")], id="different-headings"),
        pytest.param("## Combat\nwe go\n\n## Combat\nno\n", [(None, "we go"), (None, "no")], id="one-heading"),
        pytest.param(
            "## Rest\nMara: we go\nTom: no\n\n## Fight\nMara: on\n\n## Rest\nTom: so", None, id="labels-are-the-habit"
        ),
    ],
)
def test_headings_that_take_no_turns_are_headings(text: str, expected: list[Row] | None) -> None:
    transcript = read(text)

    assert rows(transcript) == (expected or [("Mara", "we go"), ("Tom", "no"), ("Mara", "on"), ("Tom", "so")])
    assert skipped_at(transcript)


@pytest.mark.parametrize(
    ("stamp", "time"),
    [
        ("[00:01:18 - 00:01:36]", (78_000, 96_000)),
        ("[01:18.000 -> 01:36.000]", (78_000, 96_000)),
        ("[01:18 \u2192 01:36]", (78_000, 96_000)),
        ("[00:01:18.000 --> 00:01:36.000]", (78_000, 96_000)),
    ],
)
def test_bracketed_ranges_are_times(stamp: str, time: tuple[int, int]) -> None:
    transcript = read(f"{stamp}  Mara: we go\n{stamp} on")

    assert rows(transcript) == [("Mara", "we go"), (None, "on")]
    assert times(transcript) == [time, time]


RULE = "---------------------------"


@pytest.mark.parametrize("stamp", ["[7/11/2031, 6:00:00 PM]", "[11.7.2031, 18:00:00]", "[2031-07-11 18:00]"])
def test_foundry_messages_are_units_without_times(stamp: str) -> None:
    transcript = read(
        f"{stamp} Mara: the Bold\nwe go\n{RULE}\nand on\n{RULE}\n{stamp} Tom\n1d20 + 3 = 17\n{RULE}\n{stamp} Tom\n\n"
    )

    assert transcript.format is Format.FOUNDRY_TEXT
    assert rows(transcript) == [("Mara: the Bold", f"we go {RULE} and on"), ("Tom", "1d20 + 3 = 17")]
    assert times(transcript) == [(None, None)] * 2
    assert skipped_at(transcript) == [9]


def test_sbv_is_read_with_its_words_and_times() -> None:
    transcript = read(
        "0:00:01.000,0:00:02.500\nMara: we go\n12\n\n0:00:03.000,0:00:04.000\n\n0:00:05.000,0:00:06.000\nno[br]so"
    )

    assert transcript.format is Format.SBV
    assert rows(transcript) == [("Mara", "we go 12"), (None, "no so")]
    assert times(transcript) == [(1000, 2500), (5000, 6000)]
    assert skipped_at(transcript) == [5]
