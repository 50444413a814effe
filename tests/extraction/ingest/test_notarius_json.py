from __future__ import annotations

import json
from typing import Any

import pytest

from extraction.codes import Code
from extraction.errors import IngestError
from extraction.ingest import Format, ReadTranscript, read_transcript
from extraction.source.documents import SourceUnit
from tests.extraction.ingest.reading import skipped_at

UNIT: dict[str, Any] = {"unit_id": 40, "speaker": "Mara", "text": "We go.", "start_ms": 10, "end_ms": 20}


def read_units(*units: object, **envelope: object) -> ReadTranscript:
    whole = {"schema": "notarius.transcript.v1", "title": "The Mill", "units": units} | envelope
    return read_transcript(json.dumps(whole).encode(), format=Format.NOTARIUS_JSON)


def test_units_keep_file_order_and_their_ids() -> None:
    transcript = read_units(UNIT, UNIT | {"unit_id": 7, "speaker": None, "text": "A door\n slams."})

    assert transcript.title == "The Mill"
    assert transcript.format is Format.NOTARIUS_JSON
    assert transcript.units == (
        SourceUnit(40, "Mara", "We go.", 10, 20),
        SourceUnit(7, None, "A door\n slams.", 10, 20),
    )


def test_optional_fields_may_be_left_out() -> None:
    transcript = read_units({"unit_id": 3, "text": "hi"}, title=None)

    assert transcript.units == (SourceUnit(3, None, "hi"),)
    assert transcript.title is None


@pytest.mark.parametrize(
    ("change", "code"),
    [
        pytest.param({"unit_id": 0}, Code.INGEST_UNIT_ID, id="id-zero"),
        pytest.param({"unit_id": -1}, Code.INGEST_UNIT_ID, id="id-negative"),
        pytest.param({"unit_id": "41"}, Code.INGEST_UNIT_ID, id="id-text"),
        pytest.param({"unit_id": 41.0}, Code.INGEST_UNIT_ID, id="id-float"),
        pytest.param({"unit_id": True}, Code.INGEST_UNIT_ID, id="id-bool"),
        pytest.param({"unit_id": None}, Code.INGEST_UNIT_ID, id="id-null"),
        pytest.param({"unit_id": 2**31}, Code.INGEST_UNIT_ID, id="id-too-large"),
        pytest.param({"unit_id": 10**40}, Code.INGEST_UNIT_ID, id="id-huge"),
        pytest.param({"unit_id": 40}, Code.INGEST_UNIT_ID, id="id-twice"),
        pytest.param({"start_ms": -1}, Code.INGEST_TIMES, id="start-negative"),
        pytest.param({"end_ms": -5}, Code.INGEST_TIMES, id="end-negative"),
        pytest.param({"start_ms": 1.5}, Code.INGEST_TIMES, id="start-float"),
        pytest.param({"end_ms": "9"}, Code.INGEST_TIMES, id="end-text"),
        pytest.param({"end_ms": 2**31}, Code.INGEST_TIMES, id="end-too-large"),
        pytest.param({"text": None}, Code.INGEST_MALFORMED, id="text-null"),
        pytest.param({"text": 5}, Code.INGEST_MALFORMED, id="text-number"),
        pytest.param({"text": "a\0b"}, Code.INGEST_BINARY, id="text-nul"),
        pytest.param({"speaker": ["Mara"]}, Code.INGEST_MALFORMED, id="speaker-list"),
        pytest.param({"speaker": "Ma\0ra"}, Code.INGEST_BINARY, id="speaker-nul"),
        pytest.param({"mood": "glad"}, Code.INGEST_MALFORMED, id="unknown-field"),
    ],
)
def test_a_wrong_item_is_named_by_position(change: dict[str, object], code: Code) -> None:
    with pytest.raises(IngestError, match="tem 2 ") as raised:
        read_units(UNIT, UNIT | {"unit_id": 41} | change)

    assert raised.value.code is code


@pytest.mark.parametrize("missing", ["unit_id", "text"])
def test_a_missing_field_is_named(missing: str) -> None:
    unit = {key: value for key, value in UNIT.items() if key != missing}
    with pytest.raises(IngestError, match=f"lacks the field `{missing}`"):
        read_units(unit)


@pytest.mark.parametrize(
    "envelope",
    [
        {"schema": "notarius.transcript.v2"},
        {"schema": None},
        {"title": 5},
        {"units": {}},
        {"units": None},
        {"extra": 1},
    ],
)
def test_a_wrong_envelope_is_malformed(envelope: dict[str, object]) -> None:
    with pytest.raises(IngestError) as raised:
        read_units(UNIT, **envelope)

    assert raised.value.code is Code.INGEST_MALFORMED


@pytest.mark.parametrize("item", [None, 5, "words", [], [[1]]])
def test_an_item_that_is_no_object_is_malformed(item: object) -> None:
    with pytest.raises(IngestError, match="Item 1 of `units`") as raised:
        read_units(item)

    assert raised.value.code is Code.INGEST_MALFORMED


def test_units_without_words_are_skipped_and_counted() -> None:
    transcript = read_units(UNIT | {"unit_id": 1, "text": " \n"}, UNIT)

    assert [unit.unit_id for unit in transcript.units] == [40]
    assert skipped_at(transcript) == [1]


def test_times_that_run_back_are_kept_in_file_order_and_counted() -> None:
    starts = [(100, 200), (50, 60), (None, None), (300, 250), (310, 320)]
    units = [
        UNIT | {"unit_id": at, "text": f"step {at}", "start_ms": start, "end_ms": end}
        for at, (start, end) in enumerate(starts, 1)
    ]
    transcript = read_units(*units)

    assert [(unit.start_ms, unit.end_ms) for unit in transcript.units] == starts
    assert dict(transcript.notes) == {Code.INGEST_TIMES: 2}


def test_speaker_is_normalised_and_empty_means_none() -> None:
    transcript = read_units(UNIT | {"speaker": " Old\u00a0 Mara "}, UNIT | {"unit_id": 2, "speaker": "  "})

    assert [unit.speaker for unit in transcript.units] == ["Old Mara", None]
