"""What people reported about files like theirs, each as a file of our own."""

from __future__ import annotations

import codecs

import pytest

from extraction.codes import Code
from extraction.errors import IngestError
from extraction.ingest import Format, read_transcript
from tests.extraction.ingest.reading import Row, read, rows, skipped_at, times

ONE, TWO, THREE = (f"00:00:0{at},000 --> 00:00:0{at + 1},000" for at in (1, 2, 3))
BOTH = pytest.mark.parametrize("format", [Format.SRT, Format.WEBVTT])


@BOTH
@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param(f"1\n{ONE}\n\n2\n{TWO}\nwe go\n", ["we go"], id="empty-first"),
        pytest.param(f"1\n{ONE}\n2\n{TWO}\nwe go\n", ["we go"], id="number-follows"),
        pytest.param(f"1\n{ONE}\n{TWO}\nwe go\n", ["we go"], id="timing-follows"),
        pytest.param(f"1\n{ONE}\nwe go\n\n2\n{TWO}\n\n3\n{THREE}\nno", ["we go", "no"], id="empty-in-the-middle"),
        pytest.param(f"1\n{ONE}\nwe go\n\n2\n{TWO}", ["we go"], id="empty-last"),
        pytest.param(f"1\n{ONE}\nwe go\n\n2\n{TWO}\n \n\n", ["we go"], id="blank-last"),
    ],
)
def test_a_cue_without_text_is_skipped_and_counted(content: str, expected: list[str], format: Format) -> None:
    transcript = read(content, format)

    assert [unit.text for unit in transcript.units] == expected
    assert len(skipped_at(transcript)) == 1


@BOTH
@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param(f"{ONE}\nleft --> right", ["left --> right"], id="arrow"),
        pytest.param(
            f"{ONE}\nsend --> it\n\n{TWO}\n2 --> 3 dice", ["send --> it", "2 --> 3 dice"], id="arrow-of-numbers"
        ),
        pytest.param(f"\n\n\n1\n{ONE}\nwe go", ["we go"], id="leading-blank-lines-and-no-newline-at-the-end"),
        pytest.param(f"1\n{ONE}\n\nwe go\n\nagain\n\n2\n{TWO}\n\n\nno", ["we go again", "no"], id="blank-lines-inside"),
        pytest.param(f"{ONE}\n\nwe go\n{TWO}\n\nno", ["we go", "no"], id="blank-above-the-text-only"),
        pytest.param(f"1\n{ONE}\n20\n\n2\n{TWO}\n3", ["20", "3"], id="numbers-spoken"),
        pytest.param(f"1\n{ONE}\nyou roll\n20\n{TWO}\nno", ["you roll 20", "no"], id="number-that-breaks-the-count"),
        pytest.param(f"1\n{ONE}\nhow many\n\n12\n\n2\n{TWO}\nno", ["how many 12", "no"], id="number-after-a-blank"),
        pytest.param(f"7\n{ONE}\nwe go\n\n9\n{TWO}\nno", ["we go", "no"], id="numbers-with-gaps"),
        pytest.param(f"1\n{ONE}\n{{{{ user }}}} {{% now %}} <script>x</script>", None, id="template-and-html"),
    ],
)
def test_no_word_of_a_cue_vanishes(content: str, expected: list[str] | None, format: Format) -> None:
    assert [unit.text for unit in read(content, format).units] == (expected or [content.partition(ONE)[2].strip()])


def test_guids_above_timings_are_identifiers_also_without_blank_lines() -> None:
    name = "0f9a2b1c-1d2e-4a3b-8c4d-5e6f7a8b9c0{}/1{}-0"
    cues = [f"{name.format(at, at)}\n00:0{at}.000 --> 00:0{at + 1}.000\n<v Jo Ash>line {at}</v>" for at in (1, 2, 3)]
    transcript = read("WEBVTT\n\n" + "\n".join(cues))

    assert rows(transcript) == [("Jo Ash", "line 1"), ("Jo Ash", "line 2"), ("Jo Ash", "line 3")]


@pytest.mark.parametrize("close", ["</v>", ""])
@pytest.mark.parametrize("tag", ["<v {}>", "<v.loud {}>", "<v.first.loud  {}>"])
def test_two_voices_of_teams_alternate(tag: str, close: str) -> None:
    said = [("Jane Doe", "shall we"), ("Ola Berg", "we shall"), ("Jane Doe", "then go"), ("Ola Berg", "going")]
    cues = [
        f"{at}{at}aa\n00:0{at}.000 --> 00:0{at + 1}.000\n{tag.format(name)}{text}{close}\n"
        for at, (name, text) in enumerate(said)
    ]

    assert rows(read("WEBVTT\n\n" + "\n".join(cues))) == said


def test_two_voices_in_one_cue_alternate() -> None:
    text = "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Jane>one</v> <v Ola>two</v>\n<v Jane>three</v>"

    assert rows(read(text)) == [("Jane", "one"), ("Ola", "two"), ("Jane", "three")]


def test_teams_names_on_lines_of_their_own_are_speakers() -> None:
    said = [("Jane Doe", "shall we"), ("Ola Berg", "we shall"), ("Jane Doe", "then go"), ("Ola Berg", "on we go")]
    text = "\n\n".join(f"0:0:{at}.120 --> 0:0:{at}.900\n{name}\n{words}" for at, (name, words) in enumerate(said))
    transcript = read(text)

    assert rows(transcript) == said
    assert times(transcript)[1] == (1120, 1900)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("10:30 Meeting: we start", (None, "10:30 Meeting: we start")),
        ("The sign reads: beware", (None, "The sign reads: beware")),
        ("Lars: we ship it.", ("Lars", "we ship it.")),
        ("Zo\u00eb\u2019s Owl: who?", ("Zo\u00eb\u2019s Owl", "who?")),
    ],
)
@pytest.mark.parametrize("wrap", [f"1\n{ONE}\n{{}}\n", "WEBVTT\n\n00:01.000 --> 00:02.000\n{}\n", "{}\n"])
def test_only_a_name_before_a_colon_is_a_speaker(wrap: str, line: str, expected: Row) -> None:
    assert rows(read(wrap.format(line))) == [expected]


def test_short_times_without_brackets_are_stamps_where_they_come_again() -> None:
    transcript = read("1:18 Mara: we go\n1:25 Tom: no")

    assert rows(transcript) == [("Mara", "we go"), ("Tom", "no")]
    assert times(transcript) == [(78_000, None), (85_000, None)]


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
@pytest.mark.parametrize(
    "content",
    ["WEBVTT\n\n00:01.000 --> 00:02.000\nfirst \u266a \U0001f409\n", f"1\n{ONE}\nfirst \u266a \U0001f409\n"],
)
def test_the_first_cue_is_there_below_a_byte_order_mark(content: str, mark: bytes, encoding: str) -> None:
    assert rows(read_transcript(mark + content.encode(encoding))) == [(None, "first \u266a \U0001f409")]


def test_windows_1252_keeps_quotes_and_accents() -> None:
    said = "\u201cla for\u00eat\u201d, she said \u2014 it\u2019s d\u00e9j\u00e0 vu"
    transcript = read_transcript(f"1\n{ONE}\n{said}\n".encode("cp1252"))

    assert rows(transcript) == [(None, said)]
    assert transcript.encoding == "cp1252"


@BOTH
@pytest.mark.parametrize(
    ("timing", "expected"),
    [
        ("-00:00:01,000 --> 00:00:01,000", (None, 1000)),
        ("00:00:01.000 --> -00:00:03.000", (1000, None)),
        ("NaN:NaN:NaN,NaN --> NaN:NaN:NaN,NaN", (None, None)),
        ("00:00:01.000 --> NaN", (1000, None)),
        ("9999:00:00,000 --> 9999:00:01,000", (None, None)),
        ("00:00:05,000 --> 00:00:02,000", (5000, 2000)),
    ],
)
def test_a_time_that_cannot_be_is_flagged_and_its_words_kept(
    timing: str, expected: tuple[int | None, int | None], format: Format
) -> None:
    transcript = read(f"1\n{ONE}\nwe go\n\n2\n{timing}\nno", format)

    assert [unit.text for unit in transcript.units] == ["we go", "no"]
    assert times(transcript)[1] == expected
    assert dict(transcript.notes) == {Code.INGEST_TIMES: 1}


def test_a_stamp_beyond_any_recording_is_flagged() -> None:
    transcript = read("[999:59:59] Mara: we go")

    assert times(transcript) == [(None, None)]
    assert dict(transcript.notes) == {Code.INGEST_TIMES: 1}


def test_times_that_run_back_are_flagged_and_the_order_is_the_files() -> None:
    transcript = read(f"1\n{THREE}\nfirst\n\n2\n{ONE}\nsecond\n\n3\n{TWO}\nthird")

    assert [unit.text for unit in transcript.units] == ["first", "second", "third"]
    assert dict(transcript.notes) == {Code.INGEST_TIMES: 2}


@pytest.mark.parametrize(
    "content", ["WEBVTT\n\n00:01.000 --> 00:02.000\n", f"1\n{ONE}\n\n2\n{TWO}\n", "0:00:01.000,0:00:02.000\n"]
)
def test_a_file_that_gives_nothing_is_an_error(content: str) -> None:
    with pytest.raises(IngestError) as raised:
        read(content)

    assert raised.value.code is Code.INGEST_NO_UNITS


@pytest.mark.parametrize(
    "said", ["{{ user }} {% now %}", "<script>alert(1)</script>", "<b onclick=x>${7*7}", "' OR 1=1 --"]
)
@pytest.mark.parametrize(
    "wrap", ["WEBVTT\n\n00:01.000 --> 00:02.000\n{}", f"1\n{ONE}\n{{}}", "Mara: {}", "Mara  0:01\n{}"]
)
def test_html_and_template_syntax_is_text(wrap: str, said: str) -> None:
    kept = "".join(unit.text for unit in read(wrap.replace("{}", said)).units)

    assert kept == said.replace("<b onclick=x>", "" if "-->" in wrap else "<b onclick=x>")


@pytest.mark.parametrize("filename", ["a.html", None])
@pytest.mark.parametrize(
    "wrap", ["{}", "Mara: {}", f"1\n{ONE}\n{{}}", "<div class='message'>{}</div>", "<cite>A</cite><p>{}"]
)
def test_a_single_line_of_ten_megabytes_is_too_large(wrap: str, filename: str | None) -> None:
    with pytest.raises(IngestError) as raised:
        read_transcript(wrap.replace("{}", "we go on " * 1_200_000).encode(), filename=filename)

    assert raised.value.code is Code.INGEST_TOO_LARGE


def test_references_cut_by_tags_are_not_put_together() -> None:
    assert rows(read("WEBVTT\n\n00:01.000 --> 00:02.000\na &#<b></b>65; b")) == [(None, "a &#65; b")]
