"""Chat logs and transcripts in HTML."""

from __future__ import annotations

import pytest

from extraction.codes import Code
from extraction.errors import IngestError
from extraction.ingest import Format, Limits, read_transcript
from tests.extraction.ingest.reading import Row, read, rows, skipped_at, times


def roll20(*messages: str) -> str:
    page = "<!DOCTYPE html><html><head><title>Chat</title>"
    page += "<script>if (a < b) { say('<div class=\"message\">x</div>') }</script>"
    return (
        page
        + "<style>.by > b {}</style></head><body><div id='textchatcontainer'>"
        + "\n".join(messages)
        + "</div></body>"
    )


def message(text: str, by: str = "", kind: str = "general") -> str:
    name = f'<span class="by">{by}:</span>' if by else ""
    unsaid = '<div class="spacer"></div><div class="avatar" aria-hidden="true"><img src="/a.png" alt="x"></div>'
    stamp = '<span class="tstamp" aria-hidden="true">May 04, 2031 9:36PM</span>'
    return f'<div class="message {kind}" data-messageid="-M{len(text)}">{unsaid}{stamp}{name}{text}</div>'


def test_roll20_messages_are_units() -> None:
    transcript = read(
        roll20(
            message("well met &amp; <em>good</em> day", "Mara"),
            message("so we go"),
            message("The gate opens.", kind="desc"),
            message("who spoke?"),
            message("Tom bows", kind="emote"),
            message("no &lt;b&gt; here", "Tom (GM)"),
            message("Welcome to the table!", kind="system"),
            message("psst", "(From Tom)", kind="private whisper"),
        )
    )

    assert transcript.format is Format.ROLL20_HTML
    assert rows(transcript) == [
        ("Mara", "well met & good day"),
        ("Mara", "so we go"),
        (None, "The gate opens."),
        (None, "who spoke?"),
        (None, "Tom bows"),
        ("Tom (GM)", "no <b> here"),
        ("(From Tom)", "psst"),
    ]
    assert skipped_at(transcript) == [7]
    assert set(times(transcript)) == {(None, None)}


def test_roll20_rolls_keep_what_is_shown() -> None:
    roll = (
        '<div class="formula">rolling 1d20+3</div><div class="clear"></div><div class="formula">('
        '<div class="diceroll d20"><div class="didroll">14</div></div>)+3</div>'
        '<strong>=</strong><div class="rolled">17</div>'
    )
    transcript = read(roll20(message(roll, "Mara", "rollresult"), message("", "Tom")))

    assert rows(transcript) == [("Mara", "rolling 1d20+3 ( 14 )+3 = 17")]
    assert skipped_at(transcript) == [2]


FANTASY_GROUNDS = """<a name="2031-05-04" /><b>Session started at 2031-05-04 / 19:30</b><br />
<font color="#660066">Mara: we go &#38; look</font><br />
<font color="#000000">The gate opens.</font><br />
<font color="#261A12">Tom: [ATTACK] Spear</font> [1d20+3 = 17]<br />
<b>Chat log started at 5.5.2031 / 09:00:00</b><br />
<font color="#660066">The sign reads: beware</font><br />
"""


@pytest.mark.parametrize("drop", [0, 1], ids=["with-the-session-line", "without"])
def test_fantasy_grounds_lines_are_units(drop: int) -> None:
    transcript = read("\n".join(FANTASY_GROUNDS.split("\n")[drop:]))

    assert transcript.format is Format.FANTASY_GROUNDS_HTML
    assert rows(transcript) == [
        ("Mara", "we go & look"),
        (None, "The gate opens."),
        ("Tom", "[ATTACK] Spear [1d20+3 = 17]"),
        (None, "The sign reads: beware"),
    ]
    assert skipped_at(transcript) == ([1, 5] if not drop else [4])


def test_podcast_html_is_read_with_speakers_and_times() -> None:
    transcript = read(
        "<cite>Mara:</cite>\n<time>0:01</time>\n<p>we go</p>\n<p>on to <cite>The Mill</cite> at <time>7:30</time></p>\n"
        "<cite>Tom :</cite>\n<time>1:01:09</time>\n<p>\n  no &quot;way&quot;\n</p>\n<time>soon</time><p>then</p>"
    )

    assert transcript.format is Format.PODCAST_HTML
    assert rows(transcript) == [
        ("Mara", "we go"),
        ("Mara", "on to The Mill at 7:30"),
        ("Tom", 'no "way"'),
        ("Tom", "then"),
    ]
    assert times(transcript) == [(1000, None), (None, None), (3_669_000, None), (None, None)]
    assert dict(transcript.notes) == {Code.INGEST_TIMES: 1}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("<cite>A</cite><p>one<p>two", [("A", "one"), ("A", "two")], id="implied-ends"),
        pytest.param("<cite>A</cite><p>one</b></i> two</div>", [("A", "one two")], id="ends-without-beginnings"),
        pytest.param("<cite>A</cite><p>a < b <3 <", [("A", "a < b <3 <")], id="signs-that-are-no-tags"),
        pytest.param("<cite>A</cite><p title='a > b'>one<!-- <p>no -->", [("A", "one")], id="quotes-and-comments"),
        pytest.param("<cite>A</cite><p>one<SCRIPT>no</p></SCRIPT ><style>no</style>", [("A", "one")], id="scripts"),
        pytest.param("<cite>A</cite><p>&lt;script&gt;{{ x }}{% y %}", [("A", "<script>{{ x }}{% y %}")], id="as-text"),
        pytest.param("<cite>A</cite><p>fish &copy chips &bogus;", [("A", "fish &copy chips &bogus;")], id="references"),
        pytest.param("<html><head><title>no</title><body><cite>A</cite><p>one", [("A", "one")], id="head-open"),
        pytest.param("<cite>A</cite><svg><p>no</p></svg><p>one", [("A", "one")], id="dropped"),
    ],
)
def test_html_is_read_as_a_browser_shows_it(text: str, expected: list[Row]) -> None:
    assert rows(read(text, Format.PODCAST_HTML)) == expected


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param("<cite>A</cite>" + "<b>" * 300 + "deep", Code.INGEST_TOO_DEEP, id="deep"),
        pytest.param("<cite>A</cite><p>one<!-- two", Code.INGEST_MALFORMED, id="comment-open"),
        pytest.param("<cite>A</cite><p>one\n<script>two", Code.INGEST_MALFORMED, id="script-open"),
        pytest.param("<html><body><p>Mara: a page</p></body></html>", Code.INGEST_UNKNOWN_FORMAT, id="any-page"),
        pytest.param("<div class='message'></div>", Code.INGEST_NO_UNITS, id="no-words"),
    ],
)
def test_html_that_cannot_be_read_is_refused(text: str, code: Code) -> None:
    with pytest.raises(IngestError) as raised:
        read(text)

    assert raised.value.code is code


@pytest.mark.parametrize("format", [Format.ROLL20_HTML, Format.FANTASY_GROUNDS_HTML, Format.PODCAST_HTML])
@pytest.mark.parametrize(
    "piece",
    [
        "<a ",
        "<a b='",
        '<a "',
        '<a "<" ',
        "<!--",
        "<!",
        "<?",
        "</a ",
        "<",
        "&",
        "<script>",
        "<p>",
        "<a b=c>",
        "</p>",
        "<br>",
    ],
)
def test_long_runs_of_markup_end_soon(piece: str, format: Format) -> None:
    """html.parser would not come back from some of these; the limit on a unit ends what is words."""
    try:
        transcript = read_transcript(
            (piece * (200_000 // len(piece)) + "x").encode(), format=format, limits=Limits(max_unit_chars=1000)
        )
    except IngestError as error:
        assert error.code.value.startswith("ingest.")
    else:
        assert transcript.units
