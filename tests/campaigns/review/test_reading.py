from __future__ import annotations

import orjson
import pytest

from campaigns import review
from campaigns.models import Campaign, Transcript
from extraction.codes import Code
from extraction.findings import warning
from tests import factories
from tests.standard import NPCS, UNITS

PLACE = {unit.unit_id: position for position, unit in enumerate(UNITS)}


@pytest.fixture
def transcript(campaign: Campaign) -> Transcript:
    return factories.make_transcript(factories.make_session(campaign))


def test_read_version_places_evidence_by_position(transcript: Transcript) -> None:
    read = review.read_version(factories.make_version(transcript))

    assert [record.cited.name for record in read.records] == list(NPCS)
    assert [[(piece.start, piece.end) for piece in record.cited.evidence] for record in read.records] == [
        [(PLACE[start], PLACE[end]) for start, end in ranges] for ranges in NPCS.values()
    ]


def test_read_version_counts_evidence_that_is_not_in_the_transcript(transcript: Transcript) -> None:
    read = review.read_version(factories.make_version(transcript, {"Wick": ((50, 52), (9_000, 9_001))}))

    assert (len(read.records[0].cited.evidence), read.records[0].cited.lost) == (1, 1)


def test_read_version_hangs_findings_on_their_records_and_members_on_their_consolidations(
    transcript: Transcript,
) -> None:
    version = factories.make_version(transcript)
    wick = next(record for record in review_payload(version.payload) if record["name"] == "Wick")
    version.consolidations = {
        "applied": [{"id": wick["id"], "canonical": "Wick", "members": [wick, {**wick, "name": "the eel-catcher"}]}],
        "proposals": [
            {"members": ["Wick", "the eel-catcher"], "canonical": "Wick", "verdict": "applied"},
            {"members": ["Dell", "Voss"], "canonical": "Dell", "verdict": "reconcile.conflict"},
        ],
    }
    version.findings = [
        warning(Code.EVIDENCE_UNRELATED, "record[1].source_refs[0]").as_json(),
        warning(Code.EVIDENCE_UNRELATED, "record[1].source_refs[1]").as_json(),
        warning(Code.RECONCILE_OMITTED, "normalize").as_json(),
        warning(Code.EVIDENCE_UNRELATED, "record[99]").as_json(),
    ]
    read = review.read_version(version)

    assert [len(record.warnings) for record in read.records] == [0, 1, 0, 0]
    assert [member.name for member in read.records[1].members] == ["Wick", "the eel-catcher"]
    assert len(read.warnings) == 2


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        pytest.param((0, None, 0), (0, None, 0), id="first"),
        pytest.param((1, None, 99), (1, None, 1), id="beyond-the-last-evidence"),
        pytest.param((99, 4, 0), (3, None, 0), id="beyond-the-last-record"),
    ],
)
def test_choose_takes_the_nearest_that_exists(
    asked: tuple[int, int | None, int], expected: tuple[int, int | None, int], transcript: Transcript
) -> None:
    choice = review.read_version(factories.make_version(transcript)).choose(*asked)

    assert choice is not None
    assert (choice.record, choice.member, choice.at) == expected


def test_choose_finds_nothing_where_there_are_no_records(transcript: Transcript) -> None:
    read = review.read_version(factories.make_version(transcript, {}))

    assert read.choose(0) is None
    assert review.opening(None) == 0


def test_stretch_marks_the_chosen_evidence_and_keeps_the_order(transcript: Transcript) -> None:
    choice = review.read_version(factories.make_version(transcript)).choose(1, None, 1)
    blocks = review.stretch(transcript, 0, 60, choice)
    units = [unit for block in blocks for unit in block.units]

    assert [unit.unit_id for unit in units] == [unit.unit_id for unit in UNITS]
    assert [unit.unit_id for unit in units if unit.cited] == [50, 51, 52, 206, 205]
    assert [unit.unit_id for unit in units if unit.now] == [206, 205]


@pytest.mark.parametrize(
    ("start", "count", "expected"),
    [
        pytest.param(0, 1, [0], id="one-block"),
        pytest.param(31, 1, [30], id="moved-down-to-the-block"),
        pytest.param(29, 2, [0, 30], id="across-a-border"),
        pytest.param(500, 30, [], id="beyond-the-end"),
        pytest.param(-5, 1, [0], id="before-the-start"),
    ],
)
def test_stretch_returns_whole_blocks(start: int, count: int, expected: list[int], transcript: Transcript) -> None:
    assert [block.start for block in review.stretch(transcript, start, count)] == expected


def review_payload(payload: str) -> list[dict[str, object]]:
    records: list[dict[str, object]] = orjson.loads(payload)["npcs"]
    return records
