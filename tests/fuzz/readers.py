"""One fuzz target per reader of captions, text and chat logs: any bytes give a transcript or an IngestError.

A target feeds its format's own signs in any order and damage, so that the reader is met where it decides. What comes
back holds no word that is not in the file.
"""

from __future__ import annotations

import html
import re
import unicodedata
from dataclasses import dataclass

from hypothesis import strategies as st

from extraction.errors import IngestError
from extraction.ingest import Format, Limits, ReadTranscript, read_transcript
from extraction.ingest.encodings import decode

LIMITS = Limits(max_bytes=100_000, max_units=2_000, max_unit_chars=5_000)

_TIMES = (
    "00:00:01.000 --> 00:00:02.000\n",
    "0:0:1,5-->0:0:2\n",
    "-00:00:01,000 --> NaN\n",
    " --> ",
    "00:01.010",
    "9999:00:00",
)
_WORDS = (
    "Mara: ",
    "Tom",
    "we go ",
    "12\n",
    "1\n",
    "\n",
    "\n\n",
    " \n",
    ":",
    "&amp;",
    "&#65;",
    "&",
    "None",
    "\u266a\U0001f409",
    "\u202e",
)
_TAGS = (
    "<v Tom>",
    "<v.loud Old Tom>",
    "</v>",
    "<c>",
    "</c>",
    "<00:00:01.500><c> so</c>",
    "<i>",
    "{\\an8}",
    "<",
    ">",
    "<b",
)
_PIECES: dict[Format | None, tuple[str, ...]] = {
    Format.WEBVTT: ("WEBVTT", "WEBVTT - x\n\n", "NOTE ", "STYLE\n", "REGION\n", *_TIMES, *_TAGS, *_WORDS),
    Format.SRT: (*_TIMES, *_TAGS, *_WORDS),
    Format.SBV: ("0:00:01.000,0:00:02.000\n", "0:00:01.000,", "[br]", *_WORDS),
    Format.HEADED_TEXT: (
        *("Mara Oak  0:01\n", "**Tom** 0:05\n", "Tom\t1:02:03\n", "00:00:01 Mara\n", "SUMMARY KEYWORDS\n"),
        *("Tom started transcription\n", "Transcribed by https://otter.ai\n", *_WORDS),
    ),
    Format.FOUNDRY_TEXT: (
        "[7/11/2031, 6:00:00 PM] Tom\n",
        "---------------------------\n",
        "[1/1/2031, 6:00]",
        *_WORDS,
    ),
    Format.TEXT: (
        *(
            "# ",
            "## Mara\n",
            "**Tom**\n",
            "**Tom:** ",
            "__",
            "---\n",
            "[00:01] ",
            "[00:01 - 00:02]\n",
            "(0:01) ",
            "- ",
            "> ",
        ),
        *("1:18 Mara: ", "Mara [00:01]: ", "\uff1a", *_WORDS),
    ),
    Format.ROLL20_HTML: (
        *(
            "<div class='message general'>",
            "<div class=message>",
            "</div>",
            "<span class='by'>",
            "</span>",
            "<div class=",
        ),
        *("<span class='tstamp'>", "<!--", "-->", "<script>", "</script>", "<img src='", "'", '"', *_WORDS),
    ),
    Format.FANTASY_GROUNDS_HTML: (
        *("<b>Session started at 2031-05-04 / 19:30</b><br />\n", '<font color="#660066">', "</font>", "<br />\n"),
        *(" [1d20 = 7]", "<a name='x' />", "<", *_WORDS),
    ),
    Format.PODCAST_HTML: (
        *(
            "<cite>",
            "</cite>",
            "<time>",
            "0:01",
            "</time>",
            "<p>",
            "</p>",
            "<style>",
            "</style>",
            "<title>",
            "<br>",
            "<li>",
        ),
        *("<!doctype html>", "<head>", "<body>", *_WORDS),
    ),
}
_PIECES[None] = tuple(dict.fromkeys(piece for pieces in list(_PIECES.values()) for piece in pieces))
_ENCODINGS = ("utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1252")
# What a reader may take out between two characters of a word.
_GAP = (
    r"(?:<(?P<n{0}>head|title|style|script)\b.*?</(?P=n{0})[^<>]*>|<!--.*?-->|<[^<>]*>"
    r"|\{{\\[^{{}}]*\}}|[\x01-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]|[*_])*"
)

_LONGEST_CUT = 40


@dataclass(frozen=True, slots=True)
class Target:
    """A reader by its format, None for the door that detects the format, and the files to feed it."""

    name: str
    format: Format | None
    files: st.SearchStrategy[bytes]


def check(target: Target, data: bytes) -> ReadTranscript | None:
    """Return what the reader gives, None where it refuses. AssertionError if it invents a word or an empty unit."""
    try:
        found = read_transcript(data, format=target.format, limits=LIMITS)
    except IngestError as error:
        assert error.code.value.startswith("ingest.")
        assert str(error).endswith(".")
        return None
    assert 0 < len(found.units) <= LIMITS.max_units
    text = decode(data)[0]
    for unit in found.units:
        assert unit.text.strip()
        assert not invented(text, f"{unit.speaker or ''} {unit.text}"), "a word that is not in the file"
        assert all(time is None or time >= 0 for time in (unit.start_ms, unit.end_ms))
    return found


def invented(text: str, read: str) -> list[str]:
    """Return the words that do not stand in the text, whatever tags and control characters cut them there."""
    views = [view for given in (text, html.unescape(text)) for view in (given, unicodedata.normalize("NFC", given))]
    return [word for word in read.split() if not any(_stands_in(word, view) for view in views)]


def _stands_in(word: str, view: str) -> bool:
    if word in view:
        return True
    cut = "".join(_GAP.format(at) + re.escape(char) for at, char in enumerate(word[:_LONGEST_CUT]))
    return re.search(cut, view, re.DOTALL | re.IGNORECASE) is not None


def _files(pieces: tuple[str, ...]) -> st.SearchStrategy[bytes]:
    text = st.lists(
        st.sampled_from(pieces) | st.text(st.characters(exclude_categories=["Cs"]), max_size=4), max_size=30
    )
    encoded = st.builds(lambda parts, name: "".join(parts).encode(name, "ignore"), text, st.sampled_from(_ENCODINGS))
    damaged = st.builds(
        lambda data, at, byte: data[:at] + byte + data[at:], encoded, st.integers(0, 200), st.binary(max_size=3)
    )
    return encoded | damaged | st.binary(max_size=400)


TARGETS = tuple(
    Target(format.value if format else "detected", format, _files(pieces)) for format, pieces in _PIECES.items()
)
