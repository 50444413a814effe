"""Whatever arrives ends as a transcript or as one IngestError; no input makes reading slow beyond its size."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.errors import IngestError
from extraction.ingest import Format, Limits, read_transcript
from extraction.source.documents import SourceDocument
from extraction.source.index import DocumentIndex

fragments = st.sampled_from(
    [
        "Mara: ",
        "**",
        "[00:01] ",
        "# ",
        "---",
        "<v Tom>",
        "</v>",
        "&amp;",
        "\n",
        "\n\n",
        "WEBVTT",
        "NOTE ",
        " --> ",
        "1",
        ":",
        "00:00:01,000 --> 00:00:02,000\n",
        "00:01.000 --> 00:02.000\n",
        '{"',
        '"',
        "[",
        "]",
        "{",
        "}",
        "\\",
        "\ufeff",
        "\x1b",
    ]
)
mixtures = st.lists(fragments | st.text(st.characters(exclude_categories=["Cs"]), max_size=6), max_size=25).map("".join)


@given(mixtures, st.none() | st.sampled_from(Format))
def test_any_text_is_read_or_refused(text: str, format: Format | None) -> None:
    try:
        transcript = read_transcript(text.encode(), format=format)
    except IngestError as error:
        assert str(error).endswith(".")
    else:
        assert len(DocumentIndex(SourceDocument("a.s1.t1", transcript.units))) == len(transcript.units) > 0
        assert all(unit.text.strip() and "\0" not in unit.text for unit in transcript.units)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        transcript = read_transcript(data)
    except IngestError as error:
        assert error.code.value.startswith("ingest.")
    else:
        assert transcript.units


TIMED = "WEBVTT\n\n00:01.000 --> 00:02.000\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(piece, id=name)
        for name, piece in {
            "one-word": "a" * 2_000_000,
            "colons": ":" * 2_000_000,
            "labels": "A: " * 700_000,
            "dashes": "- " * 1_000_000,
            "brackets": "(" * 2_000_000,
            "arrows": "-->" * 700_000,
            "open-tags": TIMED + "<c." * 700_000,
            "open-voices": TIMED + "<v " * 700_000,
            "voice-of-spaces": TIMED + "<v" + " " * 2_000_000 + "x" * 2000,
            "ampersands": TIMED + "&a" * 1_000_000,
            "digits": TIMED + "1" * 2_000_000 + " x",
            "quotes": '{"a":"' + '\\"' * 1_000_000,
            "lists": "[" * 2_000_000,
        }.items()
    ],
)
def test_long_runs_of_one_sign_are_refused_or_read(text: str) -> None:
    """A regular expression that tries again from every position would not come back from these."""
    limits = Limits(max_unit_chars=1000)
    with pytest.raises(IngestError) as raised:
        read_transcript(text.encode(), limits=limits)

    assert len(str(raised.value)) < 300


def test_twenty_thousand_cues_are_read() -> None:
    cue = "{0}\n00:00:01,000 --> 00:00:02,000\nTom: step {0}\n"
    transcript = read_transcript("\n".join(cue.format(at) for at in range(1, 20_001)).encode())

    assert len(transcript.units) == 20_000
    assert transcript.units[-1].text == "step 20000"
