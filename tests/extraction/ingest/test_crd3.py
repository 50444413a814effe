from __future__ import annotations

import json

import pytest

from extraction.codes import Code
from extraction.errors import IngestError
from extraction.ingest import Format, ReadTranscript, read_transcript
from extraction.source.documents import SourceUnit
from tests.extraction.ingest.reading import rows, skipped_at


def turn(number: object, *fragments: str, names: object = ("MARA",)) -> dict[str, object]:
    return {"NAMES": names, "UTTERANCES": fragments, "NUMBER": number}


def read_json(value: object) -> ReadTranscript:
    return read_transcript(json.dumps(value).encode())


def test_cleaned_file_gives_one_unit_a_turn() -> None:
    transcript = read_json(
        {
            "METADATA": {"Synopsis": []},
            "TURNS": [turn(0, "We go", " on\u00a0to ", "the  mill."), turn(1, "No!", names=["TOM", "ILSE"])],
        }
    )

    assert transcript.format is Format.CRD3
    assert transcript.units == (SourceUnit(1, "MARA", "We go on to the mill."), SourceUnit(2, "TOM & ILSE", "No!"))


def test_aligned_chunks_keep_a_repeated_border_turn_once() -> None:
    first, second, third = turn(4, "one"), turn(5, "two", "more"), turn(9, "three")
    transcript = read_json(
        [
            {"CHUNK": "a summary", "ALIGNMENT": {"x": 1}, "TURNS": [first, second]},
            {"CHUNK": "the next", "TURNS": [turn(5, "two more"), third]},
        ]
    )

    assert [(unit.unit_id, unit.text) for unit in transcript.units] == [(5, "one"), (6, "two more"), (10, "three")]
    assert skipped_at(transcript) == [3]


@pytest.mark.parametrize("other", [turn(5, "not two"), turn(5, "two", names=["TOM"])], ids=["text", "speaker"])
def test_one_number_with_two_contents_is_an_error(other: dict[str, object]) -> None:
    with pytest.raises(IngestError, match="Turn 2 ") as raised:
        read_json([{"CHUNK": "", "TURNS": [turn(5, "two")]}, {"CHUNK": "", "TURNS": [other]}])

    assert raised.value.code is Code.INGEST_UNIT_ID


def test_turn_order_is_file_order_whatever_the_numbers() -> None:
    transcript = read_json({"TURNS": [turn(8, "a"), turn(2, "b"), turn(5, "c")]})

    assert [unit.unit_id for unit in transcript.units] == [9, 3, 6]


def test_empty_names_and_utterances() -> None:
    transcript = read_json(
        {"TURNS": [turn(0, "a", names=[]), turn(1), turn(2, " ", ""), turn(3, "b", names=["", "TOM"])]}
    )

    assert rows(transcript) == [(None, "a"), ("TOM", "b")]
    assert skipped_at(transcript) == [2, 3]


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        pytest.param(turn(-1, "a"), Code.INGEST_UNIT_ID, id="negative-number"),
        pytest.param(turn("1", "a"), Code.INGEST_UNIT_ID, id="text-number"),
        pytest.param(turn(2**31 - 1, "a"), Code.INGEST_UNIT_ID, id="large-number"),
        pytest.param(turn(1, "a", names="MARA"), Code.INGEST_MALFORMED, id="names-text"),
        pytest.param({"NAMES": ["MARA"], "NUMBER": 1}, Code.INGEST_MALFORMED, id="no-utterances"),
        pytest.param(turn(1, "a\0b"), Code.INGEST_BINARY, id="nul"),
        pytest.param("words", Code.INGEST_MALFORMED, id="no-object"),
    ],
)
def test_a_wrong_turn_is_refused(bad: object, code: Code) -> None:
    with pytest.raises(IngestError) as raised:
        read_json({"TURNS": [turn(0, "fine"), bad]})

    assert raised.value.code is code
    assert " 2 " in str(raised.value)


@pytest.mark.parametrize("value", [{"TURNS": {}}, [{"TURNS": []}, {"CHUNK": ""}], [{"TURNS": []}, 5]])
def test_a_part_without_turns_is_malformed(value: object) -> None:
    with pytest.raises(IngestError) as raised:
        read_json(value)

    assert raised.value.code is Code.INGEST_MALFORMED
