"""Captions that roll, and those that only look like it."""

from __future__ import annotations

import pytest

from extraction.codes import Code
from extraction.ingest import Format, ReadTranscript
from tests.extraction.ingest.reading import read, rows, times

# The shape of YouTube's automatic captions: a blank upper row, word stamps, and a repeat of 10 ms for each line.
AUTOMATIC = """WEBVTT
Kind: captions
Language: en

00:00:01.000 --> 00:00:02.990 align:start position:0%
 
we<00:00:01.200><c> cross</c><00:00:01.600><c> the</c><00:00:02.000><c> bridge</c>

00:00:02.990 --> 00:00:03.000 align:start position:0%
we cross the bridge
 

00:00:03.000 --> 00:00:04.990 align:start position:0%
we cross the bridge
no

00:00:04.990 --> 00:00:05.000 align:start position:0%
no
 

00:00:05.000 --> 00:00:06.990 align:start position:0%
no
no

00:00:06.990 --> 00:00:07.000 align:start position:0%
no
 

00:00:07.000 --> 00:00:07.010 align:start position:0%
 
 

00:00:30.000 --> 00:00:31.000 align:start position:0%
 
no<00:00:30.200><c> troll</c><00:00:30.400><c> here</c>
"""
SPOKEN = "we cross the bridge no no no troll here"


def words(transcript: ReadTranscript) -> str:
    return " ".join(unit.text for unit in transcript.units)


def shown_again(transcript: ReadTranscript) -> list[int]:
    return [skipped.at for skipped in transcript.skipped if skipped.code is Code.INGEST_SHOWN_AGAIN]


def test_automatic_captions_give_each_spoken_line_once() -> None:
    transcript = read(AUTOMATIC)

    assert words(transcript) == SPOKEN
    assert [unit.start_ms for unit in transcript.units] == [1000, 3000, 5000, 30_000]
    assert shown_again(transcript) == [10, 14, 18, 22, 26]
    assert not transcript.notes


def test_automatic_captions_as_srt_give_each_spoken_line_once() -> None:
    srt = AUTOMATIC.partition("\n\n")[2].replace(" align:start position:0%", "")

    assert words(read(srt.replace("<00:00:01.200>", ""), Format.WEBVTT)) == SPOKEN


def rolling(*lines: str) -> str:
    pairs = zip(("", *lines), lines, strict=False)
    cues = [
        f"00:00:{at:02}.000 --> 00:00:{at + 1:02}.000\n{upper}\n{lower}\n" for at, (upper, lower) in enumerate(pairs)
    ]
    return "\n".join(cues)


@pytest.mark.parametrize("format", [Format.WEBVTT, Format.SRT])
def test_rolling_lines_without_word_stamps_are_kept_once(format: Format) -> None:
    transcript = read(rolling("we go", "over the hill", "and down", "to the mill"), format)

    assert rows(transcript) == [(None, "we go"), (None, "over the hill"), (None, "and down"), (None, "to the mill")]
    assert len(shown_again(transcript)) == 3


@pytest.mark.parametrize("format", [Format.WEBVTT, Format.SRT])
def test_a_line_said_twice_stays_said_twice(format: Format) -> None:
    said = ["run", "run", "no", "where to", "where to", "the mill"]
    text = "\n".join(f"00:00:{at:02}.000 --> 00:00:{at + 1:02}.000\n{line}\n" for at, line in enumerate(said))
    transcript = read(text, format)

    assert [unit.text for unit in transcript.units] == said
    assert not transcript.skipped


def test_a_line_said_again_after_a_pause_is_kept_in_rolling_captions() -> None:
    text = rolling("we go", "over the hill", "and down") + "\n00:01:00.000 --> 00:01:02.000\nand down\n"

    assert [unit.text for unit in read(text, Format.WEBVTT).units] == ["we go", "over the hill", "and down", "and down"]


def test_rolling_captions_keep_their_times() -> None:
    assert times(read(rolling("we go", "over the hill", "and down"), Format.SRT)) == [
        (0, 1000),
        (1000, 2000),
        (2000, 3000),
    ]
