"""What holds for every format: detection by content, limits, errors without content."""

from __future__ import annotations

import json

import pytest

from extraction.codes import Code
from extraction.errors import IngestError
from extraction.ingest import Format, Limits, read_transcript

NOTARIUS = (
    '{"schema": "notarius.transcript.v1", "title": null, "units": [{"unit_id": 1, "speaker": null, "text": "hi"}]}'
)
CRD3 = '{"TURNS": [{"NAMES": ["MARA"], "UTTERANCES": ["hi"], "NUMBER": 0}]}'
ALIGNED = '[{"CHUNK": "a chunk", "TURNS": [{"NAMES": ["MARA"], "UTTERANCES": ["hi"], "NUMBER": 0}]}]'
VTT = "WEBVTT\n\n00:01.000 --> 00:02.000\nhi\n"
SRT = "1\n00:00:01,000 --> 00:00:02,000\nhi\n"
TEXT = "Mara: hi\n"
MISLEADING = ["session.json", "session.vtt", "session.srt", "session.md", "session.txt", "session", None]


@pytest.mark.parametrize("filename", MISLEADING)
@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param(NOTARIUS, Format.NOTARIUS_JSON, id="notarius"),
        pytest.param("\n  " + CRD3, Format.CRD3, id="crd3"),
        pytest.param(ALIGNED, Format.CRD3, id="crd3-aligned"),
        pytest.param(VTT, Format.WEBVTT, id="vtt"),
        pytest.param(TEXT, Format.TEXT, id="text"),
        pytest.param("[00:00:01] Mara: hi", Format.TEXT, id="stamped-text"),
        pytest.param("[Mara laughs]\nMara: hi", Format.TEXT, id="bracketed-text"),
        pytest.param("{laughter}\nMara: hi", Format.TEXT, id="braced-text"),
        pytest.param("WEBVTTX Mara\nMara: hi", Format.TEXT, id="text-like-a-signature"),
        pytest.param("Mara: an arrow --> there", Format.TEXT, id="text-with-an-arrow"),
    ],
)
def test_format_is_detected_by_content(content: str, expected: Format, filename: str | None) -> None:
    assert read_transcript(content.encode(), filename=filename).format is expected


@pytest.mark.parametrize(
    ("filename", "expected"),
    [("a.srt", Format.SRT), ("a.txt", Format.SRT), (None, Format.SRT), ("A.VTT", Format.WEBVTT)],
)
def test_suffix_settles_what_cues_without_a_signature_are(filename: str | None, expected: Format) -> None:
    assert read_transcript(SRT.encode(), filename=filename).format is expected


@pytest.mark.parametrize(
    ("content", "filename", "code"),
    [
        pytest.param("", None, Code.INGEST_EMPTY, id="empty"),
        pytest.param("\ufeff \n\t\n", None, Code.INGEST_EMPTY, id="blank"),
        pytest.param("# Only a title\n\n---\n", None, Code.INGEST_NO_UNITS, id="no-words"),
        pytest.param("WEBVTT\n", None, Code.INGEST_NO_UNITS, id="no-cues"),
        pytest.param('{"schema": "notarius.transcript.v1", "units": []}', None, Code.INGEST_NO_UNITS, id="no-items"),
        pytest.param('{"TURNS": []}', None, Code.INGEST_NO_UNITS, id="no-turns"),
        pytest.param('{"segments": []}', None, Code.INGEST_UNKNOWN_FORMAT, id="other-json"),
        pytest.param("[]", None, Code.INGEST_UNKNOWN_FORMAT, id="empty-list"),
        pytest.param("<!DOCTYPE html>\n<p>Mara: hi", None, Code.INGEST_UNKNOWN_FORMAT, id="html"),
        pytest.param("<?xml version='1.0'?>", None, Code.INGEST_UNKNOWN_FORMAT, id="xml"),
        pytest.param("[Script Info]\nTitle: x", None, Code.INGEST_UNKNOWN_FORMAT, id="substation"),
        pytest.param('{"a": 1,}', None, Code.INGEST_MALFORMED, id="malformed"),
        pytest.param('{"a": NaN}', None, Code.INGEST_UNKNOWN_FORMAT, id="nan"),
        pytest.param("just words", "a.json", Code.INGEST_MALFORMED, id="json-by-name-only"),
        pytest.param('{"a": "\\ud800"}', None, Code.INGEST_ENCODING, id="high-surrogate"),
        pytest.param('{"a": "\\udc00 x"}', None, Code.INGEST_ENCODING, id="low-surrogate"),
        pytest.param('{"a": ' * 65 + "1" + "}" * 65, None, Code.INGEST_TOO_DEEP, id="deep-objects"),
        pytest.param('["\\"", ' + "[" * 100_000, None, Code.INGEST_TOO_DEEP, id="deep-and-unclosed"),
    ],
)
def test_read_transcript_refuses(content: str, filename: str | None, code: Code) -> None:
    with pytest.raises(IngestError) as raised:
        read_transcript(content.encode(), filename=filename)

    assert raised.value.code is code


def test_malformed_json_names_line_and_column() -> None:
    with pytest.raises(IngestError, match="line 2, column 3"):
        read_transcript(b'{"a": 1,\n  x}')


def test_depth_counts_structure_and_not_the_brackets_in_strings() -> None:
    unit = {"unit_id": 1, "speaker": None, "text": "[{" * 80 + '\\"', "start_ms": None, "end_ms": None}
    data = json.dumps({"schema": "notarius.transcript.v1", "title": None, "units": [unit]}).encode()

    assert read_transcript(data, limits=Limits(max_json_depth=3)).units[0].text == "[{" * 80 + '\\"'
    with pytest.raises(IngestError) as raised:
        read_transcript(data, limits=Limits(max_json_depth=2))

    assert raised.value.code is Code.INGEST_TOO_DEEP


@pytest.mark.parametrize(
    ("limits", "fits"),
    [
        pytest.param(Limits(max_bytes=24), True, id="bytes-fit"),
        pytest.param(Limits(max_bytes=23), False, id="bytes"),
        pytest.param(Limits(max_units=2), True, id="units-fit"),
        pytest.param(Limits(max_units=1), False, id="units"),
        pytest.param(Limits(max_unit_chars=5), True, id="chars-fit"),
        pytest.param(Limits(max_unit_chars=4), False, id="chars"),
        pytest.param(Limits(max_speaker_chars=4), True, id="speaker-fits"),
        pytest.param(Limits(max_speaker_chars=3), False, id="speaker"),
    ],
)
def test_limits_are_inclusive(limits: Limits, fits: bool) -> None:
    data = b"Mara: we go\nIlse: go on\n"
    if fits:
        assert len(read_transcript(data, limits=limits).units) == 2
        return
    with pytest.raises(IngestError) as raised:
        read_transcript(data, limits=limits)

    assert raised.value.code is Code.INGEST_TOO_LARGE


def test_title_is_cut_at_its_limit() -> None:
    transcript = read_transcript(b"# The long way home\nMara: hi", limits=Limits(max_title_chars=8))

    assert transcript.title == "The long"


@pytest.mark.parametrize(
    ("content", "format"),
    [(TEXT, Format.CRD3), (TEXT, Format.NOTARIUS_JSON), (CRD3, Format.NOTARIUS_JSON), (NOTARIUS, Format.CRD3)],
)
def test_a_named_format_that_does_not_fit_is_malformed(content: str, format: Format) -> None:
    with pytest.raises(IngestError) as raised:
        read_transcript(content.encode(), format=format)

    assert raised.value.code is Code.INGEST_MALFORMED


def test_a_named_format_overrules_detection() -> None:
    assert read_transcript(VTT.encode(), format=Format.TEXT).format is Format.TEXT


SECRET = "Zanzibarov"


@pytest.mark.parametrize(
    "content",
    [
        '{"schema": "Zanzibarov", "units": []}',
        '{"schema": "notarius.transcript.v1", "units": [{"Zanzibarov": 1}]}',
        '{"schema": "notarius.transcript.v1", "units": [{"unit_id": "Zanzibarov", "text": "Zanzibarov"}]}',
        '{"schema": "notarius.transcript.v1", "Zanzibarov": 1, "units": []}',
        '{"schema": "notarius.transcript.v1", "units": ["Zanzibarov"]}',
        '{"TURNS": [{"NAMES": ["Zanzibarov"], "UTTERANCES": "Zanzibarov", "NUMBER": 0}]}',
        '{"Zanzibarov": "Zanzibarov"',
        "Zanzibarov: " + "Zanzibarov " * 3000,
        "1\n00:00:Zanzibarov --> 00:00:01,000\nZanzibarov\n\n2\n00:00:9x,000 --> 0",
        "WEBVTT\n\n00:01.0x0 --> 00:02.000\nZanzibarov",
    ],
)
def test_errors_hold_no_word_of_the_file(content: str) -> None:
    with pytest.raises(IngestError) as raised:
        read_transcript(content.encode(), filename=f"{SECRET}.json")

    assert SECRET not in str(raised.value)
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__ or raised.value.__context__ is None
