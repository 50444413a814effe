"""SRT and WebVTT: the shared cues first, then what only one of them has."""

from __future__ import annotations

import io

import pysubs2
import pytest
import webvtt

from extraction.codes import Code
from extraction.errors import IngestError
from extraction.ingest import Format
from tests.extraction.ingest.reading import Row, read, rows, skipped_at, times

FIRST = "00:00:01,000 --> 00:00:02,500"
SECOND = "00:00:03,000 --> 00:00:04,000"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param(f"1\n{FIRST}\nwe go\non\n\n2\n{SECOND}\nno", ["we go on", "no"], id="usual"),
        pytest.param(f"{FIRST}\nwe go\n\n{SECOND}\nno", ["we go", "no"], id="without-counters"),
        pytest.param(f"1\n{FIRST}\nwe go\n2\n{SECOND}\nno", ["we go", "no"], id="without-blank-lines"),
        pytest.param(f"\n\n1\n{FIRST}\n\nwe go\n\n\n\n2\n{SECOND}\nno\n\n", ["we go", "no"], id="more-blank-lines"),
        pytest.param(f"1\n{FIRST}\nyou roll\n23", ["you roll 23"], id="number-spoken-last"),
        pytest.param(f"1\n{FIRST}\n23\n\n2\n{SECOND}\n7", ["23", "7"], id="only-numbers-spoken"),
        pytest.param(f"{FIRST}\nyou roll\n23\n{SECOND}\nno", ["you roll 23", "no"], id="number-above-uncounted"),
        pytest.param(f"1\n{FIRST}\nwe\n\ngo\n\n2\n{SECOND}\nno", ["we go", "no"], id="text-after-blank"),
        pytest.param(f"1\n{FIRST}\nleft --> right\n--> up", ["left --> right --> up"], id="arrow-spoken"),
        pytest.param(f"1\n{FIRST}\nthe <Grog> is a < b", ["the <Grog> is a < b"], id="brackets-spoken"),
        pytest.param(f"1\n{FIRST}\n<i>we</i> <font color='red'>go</font> {{\\an8}}on", ["we go on"], id="tags"),
        pytest.param(f"1\n{FIRST}\nfish &amp; chips", ["fish &amp; chips"], id="entities-are-no-part-of-srt"),
        pytest.param(f"before\n1\n{FIRST}\nwe go", ["before", "we go"], id="words-above-the-first-cue"),
        pytest.param(f"1\n{FIRST}\n- we go\n- no", ["- we go - no"], id="dashes"),
    ],
)
def test_srt_keeps_every_word(content: str, expected: list[str]) -> None:
    transcript = read(content, Format.SRT)

    assert [unit.text for unit in transcript.units] == expected
    assert [unit.unit_id for unit in transcript.units] == list(range(1, len(expected) + 1))


@pytest.mark.parametrize(
    ("timing", "expected"),
    [
        ("00:00:01,000 --> 00:00:02,500", (1000, 2500)),
        ("  1:02:03,4-->1:02:03,45  ", (3_723_400, 3_723_450)),
        ("00:00:01.000 --> 00:00:02.500", (1000, 2500)),
        ("00:01.000 --> 00:02.000 align:start position:0%", (1000, 2000)),
        ("100:00:00,000 --> 100:00:01,000", (360_000_000, 360_001_000)),
        ("00:00:01 --> 00:00:02", (1000, 2000)),
        ("00:00:01,123456 --> 00:00:02,9999", (1123, 2999)),
    ],
)
def test_cue_times_are_read_in_their_many_spellings(timing: str, expected: tuple[int, int]) -> None:
    assert times(read(f"1\n{timing}\nwe go", Format.SRT)) == [expected]


@pytest.mark.parametrize("format", [Format.SRT, Format.WEBVTT])
@pytest.mark.parametrize(
    ("timing", "code"),
    [
        ("00:00:0x,000 --> 00:00:01,000", None),
        ("00:00:99,000 --> 00:00:01,000", Code.INGEST_MALFORMED),
        ("00:00:01,000 --> never", Code.INGEST_MALFORMED),
        ("17 --> 23", Code.INGEST_MALFORMED),
    ],
)
def test_a_broken_timing_names_its_line(timing: str, code: Code | None, format: Format) -> None:
    content = f"1\n{FIRST}\nwe go\n\n2\n{timing}\nno"
    if code is None:
        assert rows(read(content, format))[0][1].endswith("no")
        return
    with pytest.raises(IngestError, match=r"line [67]\b") as raised:
        read(content, format)

    assert raised.value.code is code


def test_empty_cues_are_skipped_and_counted() -> None:
    transcript = read(f"1\n{FIRST}\n\n2\n{SECOND}\n<i> </i>\n\n3\n{SECOND}\nwe go", Format.SRT)

    assert rows(transcript) == [(None, "we go")]
    assert skipped_at(transcript) == [2, 6]


def test_cues_that_run_back_stay_in_file_order() -> None:
    transcript = read(f"1\n{SECOND}\nlater\n\n2\n{FIRST}\nearlier", Format.SRT)

    assert rows(transcript) == [(None, "later"), (None, "earlier")]
    assert dict(transcript.notes) == {Code.INGEST_TIMES: 1}


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        pytest.param("Mara: we go\non", [("Mara", "we go on")], id="label"),
        pytest.param("Mara: we go\nIlse: no", [("Mara", "we go"), ("Ilse", "no")], id="two-speakers"),
        pytest.param("- Mara: we go\n- Ilse: no", [("Mara", "we go"), ("Ilse", "no")], id="dashes"),
        pytest.param("so then\nIlse: no", [(None, "so then"), ("Ilse", "no")], id="words-first"),
        pytest.param("The sign reads: beware", [(None, "The sign reads: beware")], id="sentence"),
        pytest.param("<i>Mara: we go</i>", [("Mara", "we go")], id="label-in-tag"),
    ],
)
@pytest.mark.parametrize("format", [Format.SRT, Format.WEBVTT])
def test_labels_inside_cues_name_speakers(payload: str, expected: list[Row], format: Format) -> None:
    transcript = read(f"1\n{FIRST}\n{payload}\n", format)

    assert rows(transcript) == expected
    assert set(times(transcript)) == {(1000, 2500)}


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        pytest.param("<v Mara>we go", [("Mara", "we go")], id="open"),
        pytest.param("<v Mara>we go</v>", [("Mara", "we go")], id="closed"),
        pytest.param("<v.loud.first Old  Mara>we\ngo", [("Old Mara", "we go")], id="classes"),
        pytest.param("<v Mara>we go <v Tom>no", [("Mara", "we go"), ("Tom", "no")], id="two"),
        pytest.param(
            "<v Mara>we go</v>\n<v Tom>no</v> so", [("Mara", "we go"), ("Tom", "no"), (None, "so")], id="rest"
        ),
        pytest.param("hm <v Mara>we go", [(None, "hm"), ("Mara", "we go")], id="before"),
        pytest.param("<v Mara &amp; Tom>we go", [("Mara & Tom", "we go")], id="entity-in-voice"),
        pytest.param("<v>we go", [(None, "we go")], id="nameless"),
        pytest.param("<v Mara>Tom: he said", [("Mara", "Tom: he said")], id="voice-beats-label"),
        pytest.param("<v Mara>  </v><v Tom>no", [("Tom", "no")], id="silent-voice"),
        pytest.param("<c.yellow>we</c> <b>go</b><00:01.500> <lang en>on</lang>", [(None, "we go on")], id="tags"),
        pytest.param(
            "a &lt; b &amp;&nbsp;c &#8212; AT&T &copy", [(None, "a < b & c \u2014 AT&T &copy")], id="entities"
        ),
        pytest.param("&lt;i&gt;we&lt;/i&gt;", [(None, "<i>we</i>")], id="escaped-tags-are-words"),
        pytest.param("a < b and c > d <Grog>", [(None, "a < b and c > d <Grog>")], id="brackets-spoken"),
        pytest.param("we\n\ngo\n\nNOTES on it", [(None, "we go NOTES on it")], id="text-after-blank"),
    ],
)
def test_webvtt_payload(payload: str, expected: list[Row]) -> None:
    transcript = read(f"WEBVTT\n\n00:01.000 --> 00:02.000\n{payload}\n")

    assert transcript.format is Format.WEBVTT
    assert rows(transcript) == expected
    assert set(times(transcript)) == {(1000, 2000)}


def test_webvtt_skips_header_notes_styles_and_identifiers() -> None:
    transcript = read(
        "WEBVTT - The Mill\nKind: captions\n\nSTYLE\n::cue { color: red }\n\nREGION\nid:fred\n\nNOTE one line\n\n"
        "NOTE\nmore\nlines\n\nintro-1\n00:01.000 --> 00:02.000\nwe go\n\nNOTE said Tom\n\n"
        "17\n00:03.000 --> 00:04.000\nno\n"
    )

    assert transcript.title == "The Mill"
    assert rows(transcript) == [(None, "we go"), (None, "no")]
    assert skipped_at(transcript) == [4, 7, 10, 12, 20]


@pytest.mark.parametrize("header", ["WEBVTT", "WEBVTT\nKind: captions", "WEBVTT - ", "WEBVTT\t"])
def test_webvtt_header_may_end_at_the_first_cue(header: str) -> None:
    transcript = read(f"{header}\n00:01.000 --> 00:02.000\nwe go")

    assert rows(transcript) == [(None, "we go")]
    assert transcript.title is None


def test_webvtt_note_ends_at_a_timing() -> None:
    assert rows(read("WEBVTT\n\nNOTE no blank line\n00:01.000 --> 00:02.000\nwe go")) == [(None, "we go")]


def test_webvtt_text_without_cues_is_malformed() -> None:
    with pytest.raises(IngestError) as raised:
        read("WEBVTT\n\nMara: we go\n")

    assert raised.value.code is Code.INGEST_MALFORMED


def test_srt_reads_what_pysubs2_writes() -> None:
    subtitles = pysubs2.SSAFile()
    subtitles.append(pysubs2.SSAEvent(start=1000, end=2500, text="Mara: we go\\Non to the mill"))
    subtitles.append(pysubs2.SSAEvent(start=3_723_004, end=3_724_000, text="{\\i1}softly{\\i0} now"))
    transcript = read(subtitles.to_string("srt"))

    assert transcript.format is Format.SRT
    assert rows(transcript) == [("Mara", "we go on to the mill"), (None, "softly now")]
    assert times(transcript) == [(1000, 2500), (3_723_004, 3_724_000)]


def test_webvtt_reads_what_webvtt_py_writes() -> None:
    captions = webvtt.WebVTT()
    captions.captions.append(webvtt.Caption("00:00:01.000", "00:00:02.500", "<v Mara>we go\non", identifier="a"))
    captions.captions.append(webvtt.Caption("01:02:03.004", "01:02:04.000", "so"))
    written = io.StringIO()
    captions.write(written)
    transcript = read(written.getvalue())

    assert rows(transcript) == [("Mara", "we go on"), (None, "so")]
    assert times(transcript) == [(1000, 2500), (3_723_004, 3_724_000)]
