"""What recognisers leave out or get wrong: speakers, times, texts, numbers. And JSON made to do harm."""

from __future__ import annotations

import copy
import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.codes import Code
from extraction.errors import IngestError
from extraction.ingest import Format, Limits, ReadTranscript, read_transcript
from extraction.ingest.json_formats import JSON_FORMATS
from extraction.ingest.json_values import TICKS, later, time_ms
from extraction.ingest.limits import DEFAULT_LIMITS
from extraction.ingest.transcript import TranscriptBuilder
from tests.extraction.ingest import recognisers
from tests.extraction.ingest.reading import rows, times


def read(value: Any) -> ReadTranscript:
    return read_transcript(json.dumps(value).encode())


SPEAKER_FIELDS = frozenset({"speaker", "speaker_label", "speakerTag", "speakerLabel"})
OF_SECONDS = frozenset({"start", "end", "startTime", "endTime", "start_time", "end_time", "ts", "end_ts"})
TIME_FIELDS = OF_SECONDS | {"from", "to", "offset", "offsetInTicks", "resultEndTime"}
SCORES = frozenset({"score", "confidence", "avg_logprob", "conf"})
RECOGNISERS = {
    name: given for name, given in recognisers.INPUTS.items() if name not in {"notarius", "crd3", "crd3-aligned"}
}


def with_fields(value: Any, fields: frozenset[str], new: Any) -> Any:
    """Return the JSON with another value in each of the fields, or without them where the new value is `...`."""
    if isinstance(value, list):
        return [with_fields(item, fields, new) for item in value]
    if not isinstance(value, dict):
        return value
    changed = {
        key: new if key in fields and not isinstance(inside, dict) else with_fields(inside, fields, new)
        for key, inside in value.items()
    }
    return {key: inside for key, inside in changed.items() if inside is not ...}


@pytest.mark.parametrize(("value", "format"), RECOGNISERS.values(), ids=RECOGNISERS.keys())
@pytest.mark.parametrize("nobody", [..., None, "", " ", "None", "null", "nan", math.nan, -1], ids=repr)
def test_a_missing_speaker_is_nobody(value: Any, format: Format, nobody: object) -> None:
    without = with_fields(value, SPEAKER_FIELDS | {"@id"}, nobody)
    transcript = read_transcript(json.dumps(without).encode(), format=format)

    assert {unit.speaker for unit in transcript.units} == {None}
    assert "".join(unit.text for unit in transcript.units).replace(" ", "") == "".join(
        unit.text for unit in read(value).units
    ).replace(" ", "")


@pytest.mark.parametrize(("value", "format"), RECOGNISERS.values(), ids=RECOGNISERS.keys())
@pytest.mark.parametrize("time", [..., None], ids=["left-out", "null"])
def test_a_missing_time_is_unknown_and_nothing_else_changes(value: Any, format: Format, time: object) -> None:
    without = with_fields(value, TIME_FIELDS, time)
    transcript = read_transcript(json.dumps(without).encode(), format=format)

    assert {unit.start_ms for unit in transcript.units} <= {None, 500, 61_200}
    assert [word for unit in transcript.units for word in unit.text.split()] == [
        word for unit in read(value).units for word in unit.text.split()
    ]
    assert not transcript.notes


@pytest.mark.parametrize(
    "time", [math.nan, math.inf, -math.inf, -0.5, 1e300, "soon", "-3", True, [1], {"seconds": "x"}], ids=repr
)
def test_an_impossible_time_is_left_out_and_flagged(time: object) -> None:
    segments = [{"start": 5, "end": 6, "text": " First."}, {"start": time, "end": 7, "text": " Then."}]
    transcript = read({"segments": segments})

    assert rows(transcript) == [(None, "First."), (None, "Then.")]
    assert times(transcript) == [(5000, 6000), (None, 7000)]
    assert transcript.notes == {Code.INGEST_TIMES: 1}


def test_times_that_run_back_are_flagged_and_reorder_nothing() -> None:
    segments = [{"start": at, "end": at + 1, "text": f" Line {at}."} for at in (10, 3, 20)]
    transcript = read({"segments": segments})

    assert [text for _, text in rows(transcript)] == ["Line 10.", "Line 3.", "Line 20."]
    assert transcript.notes == {Code.INGEST_TIMES: 1}


@pytest.mark.parametrize(("value", "format"), RECOGNISERS.values(), ids=RECOGNISERS.keys())
def test_scores_that_are_no_numbers_change_nothing(value: Any, format: Format) -> None:
    scored = with_fields(value, SCORES, math.nan)

    assert read(scored).units == read(value).units


def test_empty_texts_are_skipped_and_counted() -> None:
    texts = ["", "  ", None, "\n", "Hold."]
    segments = [{"start": 1, "end": 2, "text": text, "speaker": "A"} for text in texts]
    transcript = read({"segments": segments})

    assert rows(transcript) == [("A", "Hold.")]
    assert [skipped.at for skipped in transcript.skipped] == [1, 2, 3, 4]


def test_empty_words_are_skipped_and_counted() -> None:
    value, _ = copy.deepcopy(RECOGNISERS["assemblyai"])
    value["words"].insert(1, {"text": "", "start": 600, "end": 600, "speaker": None})
    transcript = read(value)

    assert rows(transcript) == [("A", "We hold."), ("B", "Who pays?")]
    assert [skipped.at for skipped in transcript.skipped] == [2]


def test_constants_of_python_keep_strings_that_spell_them() -> None:
    text = '{"segments": [{"start": NaN, "end": Infinity, "text": "NaN \\" Infinity", "score": -Infinity}], "n": 1e5}'
    transcript = read_transcript(text.encode())

    assert rows(transcript) == [(None, 'NaN " Infinity')]
    assert times(transcript) == [(None, None)]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param('{"a": NaN,\n  x}', Code.INGEST_MALFORMED, id="malformed"),
        pytest.param('{"a": NaN, "b": "\\ud800"}', Code.INGEST_ENCODING, id="surrogate"),
        pytest.param('{"a": NaN, "b": "never closed', Code.INGEST_MALFORMED, id="unclosed"),
        pytest.param('{"a": 1NaN}', Code.INGEST_MALFORMED, id="no-number"),
        pytest.param('{"segments": [{"text": "a\\u0000b"}], "x": NaN}', Code.INGEST_BINARY, id="nul"),
        pytest.param('{"segments": [{"text": "\\udc00"}]}', Code.INGEST_ENCODING, id="low-surrogate"),
    ],
)
def test_json_with_constants_is_held_to_the_same_rules(text: str, code: Code) -> None:
    with pytest.raises(IngestError) as raised:
        read_transcript(text.encode())

    assert raised.value.code is code


@pytest.mark.parametrize("opening", ['{"segments": ', "[", '{"results": {"items": [', '{"a": NaN, "segments": '])
def test_ten_thousand_levels_are_refused(opening: str) -> None:
    with pytest.raises(IngestError) as raised:
        read_transcript((opening + "[" * 10_000 + "]" * 10_000).encode())

    assert raised.value.code is Code.INGEST_TOO_DEEP


def test_three_hundred_thousand_units_are_read() -> None:
    segment = '{"start": 1.5, "end": 2.5, "text": " we go on"}'
    whole = f'{{"segments": [{", ".join([segment] * 300_000)}]}}'.encode()

    assert len(read_transcript(whole).units) == 300_000


@pytest.mark.parametrize(
    ("value", "limits"),
    [
        pytest.param({"text": "x" * 10_000_000}, Limits(), id="ten-megabytes-in-one-word"),
        pytest.param(
            {"text": "", "segments": [{"text": "x " * 5_000_000}]}, Limits(), id="ten-megabytes-in-one-segment"
        ),
        pytest.param(recognisers.AWS, Limits(max_units=1), id="units"),
        pytest.param(recognisers.AWS, Limits(max_speaker_chars=4), id="speaker"),
    ],
)
def test_what_is_larger_than_a_transcript_may_be_is_refused(value: Any, limits: Limits) -> None:
    with pytest.raises(IngestError) as raised:
        read_transcript(json.dumps(value).encode(), limits=limits)

    assert raised.value.code is Code.INGEST_TOO_LARGE


SECRET = "Zanzibarov"
STRUCTURES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(width=16) | st.sampled_from(["", SECRET]),
    lambda inside: (
        st.lists(inside, max_size=2) | st.dictionaries(st.sampled_from([SECRET, "words"]), inside, max_size=2)
    ),
    max_leaves=4,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path to every value inside the JSON."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else []
    return [place for key, item in inside for place in [(*path, key), *places(item, (*path, key))]]


@given(st.sampled_from(sorted(RECOGNISERS)), st.data())
def test_a_value_of_another_type_is_read_or_refused_without_its_words(name: str, data: st.DataObject) -> None:
    value, format = copy.deepcopy(RECOGNISERS[name])
    *path, last = data.draw(st.sampled_from(places(value)))
    holder = value
    for key in path:
        holder = holder[key]
    holder[last] = data.draw(STRUCTURES)
    try:
        transcript = JSON_FORMATS[format].read(value, "utf-8", DEFAULT_LIMITS)
    except IngestError as error:
        assert SECRET not in str(error)
        assert error.__suppress_context__ or error.__context__ is None
    else:
        assert transcript.units
        assert {unit.speaker for unit in transcript.units}.isdisjoint({"None", "nan", "null", ""})


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        (1.2345, 1000.0, 1234),
        ("8.65", 1000.0, 8650),
        ("1.2s", 1000.0, 1200),
        ("PT1H2M3.5S", 1000.0, 3_723_500),
        ("P1DT1S", 1000.0, 86_401_000),
        (5_000_000.0, TICKS, 500),
        ({"seconds": "2", "nanos": 5_000_000}, 1000.0, 2005),
        (2**31 - 1, 1.0, 2**31 - 1),
        (2**31, 1.0, None),
        ("P", 1000.0, None),
        ("9" * 400, 1000.0, None),
        (10**400, 1000.0, None),
    ],
)
def test_time_ms(value: Any, unit: float, expected: int | None) -> None:
    builder = TranscriptBuilder(Format.WHISPER, DEFAULT_LIMITS, place="item")

    assert time_ms(value, unit, builder) == expected


def test_later_needs_a_start_and_a_length() -> None:
    builder = TranscriptBuilder(Format.AZURE_SPEECH, DEFAULT_LIMITS, place="item")

    assert later(1, "PT2S", 1000.0, builder) == 3000
    assert later(None, 2, 1000.0, builder) is None
    assert later(1, None, 1000.0, builder) is None
