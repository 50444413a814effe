"""Names and beginnings of the tracks of a Craig recording, and the tracks as one conversation."""

from __future__ import annotations

import json

import pytest

from extraction.codes import Code
from extraction.errors import IngestError
from extraction.ingest import Format, read_transcript
from extraction.ingest.craig import is_recorder_label, offsets_of, tracks_of
from tests.extraction.ingest.reading import rows, times
from tests.extraction.ingest.zips import vtt, zipped

INFO = """Recording qXw

Guild:\t\tThe Table (1)
Channel:\tvoice (2)
Requester:\tmira#0 (3)
Start time:\t2026-01-01T18:00:00.000Z

Tracks:
\tmira#0 (3)
\todo#0 (4)
"""
MIRA = vtt((1, "We hold the bridge."), (8, "Good."))
ODO = json.dumps({"text": "x", "language": "en", "segments": [{"start": 3.5, "end": 5, "text": " Never!"}]})


@pytest.mark.parametrize(
    ("names", "speakers"),
    [
        pytest.param(["1-Alice.vtt", "2-bob_0.json"], ["Alice", "bob"], id="craig"),
        pytest.param(["001-alice_0.vtt"], ["alice"], id="padded"),
        pytest.param(["s1/1-Alice.flac.vtt", "s1/2-old_tom_1234.srt"], ["Alice", "old_tom"], id="recognisers-names"),
        pytest.param(["1-bob_0.vtt", "2-bob_1.vtt"], ["bob_0", "bob_1"], id="two-of-a-name"),
        pytest.param(["1-Zo\u00eb.vtt", "2-\u738b.vtt"], ["Zo\u00eb", "\u738b"], id="other-letters"),
        pytest.param(["1-A\x07l  ice.vtt"], ["Al ice"], id="controls"),
    ],
)
def test_tracks_of_names(names: list[str], speakers: list[str]) -> None:
    tracks = tracks_of(names)

    assert tracks is not None
    assert [track.speaker for track in tracks] == speakers


@pytest.mark.parametrize(
    "names",
    [
        pytest.param([], id="none"),
        pytest.param(["1-Alice.vtt", "notes.txt"], id="one-that-is-no-track"),
        pytest.param(["1-part1.vtt", "2-part2.vtt"], id="parts"),
        pytest.param(["2024-05-01.vtt"], id="date"),
        pytest.param(["1-Alice.vtt", "2-Alice.vtt"], id="one-name-twice"),
        pytest.param(["a/1-Alice.vtt", "b/2-bob.vtt"], id="two-folders"),
        pytest.param(["session-1.vtt"], id="name-first"),
    ],
)
def test_tracks_of_other_names(names: list[str]) -> None:
    assert tracks_of(names) is None


@pytest.mark.parametrize("label", ["SPEAKER_05", "spk_0", "Speaker 12", "S1", "A", "ch_1", "Channel 0"])
def test_labels_of_recognisers_are_known(label: str) -> None:
    assert is_recorder_label(label)


@pytest.mark.parametrize("label", ["Alice", "The Speaker", "Sam", "Mr A", "Speaker", "GM"])
def test_labels_of_people_are_left_alone(label: str) -> None:
    assert not is_recorder_label(label)


@pytest.mark.parametrize(
    ("second_line", "expected"),
    [
        ("\todo#0 (4)", None),
        ("\todo#0 (4) offset 00:00:12.500", 12_500),
        ("\todo#0 (4) offset: 1:02:03", 3_723_000),
        ("\todo#0 (4) +2.5s", 2_500),
        ("\todo#0 (4) starts at 250 ms", 250),
        ("\todo#0 (4) delay 99999999s", None),
        ("\todo#0 (44)", None),
        ("\todo#0 44", None),
    ],
)
def test_offsets_of_listed_tracks(second_line: str, expected: int | None) -> None:
    names = ["1-mira.vtt", "2-odo.vtt"]
    info = INFO.replace("\todo#0 (4)", second_line)

    assert offsets_of(info, names, tracks_of(names)) == [None, expected]


def test_offsets_of_numbered_and_named_tracks() -> None:
    names = ["1-mira.vtt", "3-odo.vtt", "4-ilse.vtt"]
    info = "4-ilse.vtt: 00:00:04\nTracks:\n\t1) mira\n\t3) odo +3s\n\nNotes:\n\t1 +9s\n"

    assert offsets_of(info, names, tracks_of(names)) == [None, 3000, 4000]


@pytest.mark.parametrize("info", [None, INFO], ids=["no-info", "info"])
def test_tracks_are_merged_by_time_and_named_by_their_files(info: str | None) -> None:
    files: dict[str, str | bytes] = {"1-mira.vtt": MIRA, "2-odo_0.json": ODO}
    transcript = read_transcript(zipped({**files, "info.txt": info} if info else files))

    assert rows(transcript) == [("mira", "We hold the bridge."), ("odo", "Never!"), ("mira", "Good.")]
    assert times(transcript) == [(1000, 2000), (3500, 5000), (8000, 9000)]
    assert [unit.unit_id for unit in transcript.units] == [1, 2, 3]
    assert transcript.format is Format.CRAIG
    assert transcript.notes == {Code.INGEST_MERGED_BY_TIME: 2}


def test_a_track_that_begins_later_is_moved_by_its_offset() -> None:
    info = INFO.replace("\todo#0 (4)", "\todo#0 (4) +10s")
    transcript = read_transcript(zipped({"1-mira.vtt": MIRA, "2-odo_0.json": ODO, "info.txt": info}))

    assert rows(transcript)[-1] == ("odo", "Never!")
    assert times(transcript)[-1] == (13_500, 15_000)


def test_a_time_beyond_the_bounds_after_its_offset_is_left_out_and_flagged() -> None:
    late = json.dumps({"segments": [{"start": 2_147_483.0, "end": 2_147_483.1, "text": "Late."}], "text": ""})
    info = "1-mira.json: +9s\n"
    transcript = read_transcript(zipped({"1-mira.json": late, "info.txt": info}))

    assert times(transcript) == [(None, None)]
    assert transcript.notes[Code.INGEST_TIMES] == 2


def test_a_line_without_time_stays_behind_the_line_before_it() -> None:
    segments = [
        {"start": 2, "end": 3, "text": "First."},
        {"text": "Untimed."},
        {"start": 9, "end": 10, "text": "Last."},
    ]
    files: dict[str, str | bytes] = {"1-odo.json": json.dumps({"segments": segments}), "2-mira.vtt": MIRA}

    assert [text for _, text in rows(read_transcript(zipped(files)))] == [
        "We hold the bridge.",
        "First.",
        "Untimed.",
        "Good.",
        "Last.",
    ]


def test_the_name_of_the_track_replaces_labels_of_recognisers_and_no_others() -> None:
    segments = [
        {"start": 1, "end": 2, "text": "One.", "speaker": "SPEAKER_00"},
        {"start": 2, "end": 3, "text": "Two."},
        {"start": 3, "end": 4, "text": "Three.", "speaker": "Ilse"},
    ]
    transcript = read_transcript(zipped({"1-mira.json": json.dumps({"segments": segments})}))

    assert [speaker for speaker, _ in rows(transcript)] == ["mira", "mira", "Ilse"]


def test_a_silent_track_is_left_out_and_counted() -> None:
    files: dict[str, str | bytes] = {"1-mira.vtt": MIRA, "2-odo.vtt": "WEBVTT\n", "3-ilse.vtt": "", "1-mira.flac": b"x"}
    transcript = read_transcript(zipped(files))

    assert len(transcript.units) == 2
    assert transcript.notes == {Code.INGEST_MERGED_BY_TIME: 1, Code.INGEST_PART_SKIPPED: 3}


def test_tracks_without_times_follow_each_other_by_name() -> None:
    transcript = read_transcript(zipped({"1-mira.vtt": MIRA, "2-odo.txt": "never"}))

    assert rows(transcript)[-1] == ("odo", "never")
    assert transcript.format is Format.ARCHIVE
    assert transcript.notes == {Code.INGEST_PARTS_BY_NAME: 2}


def test_the_choice_of_format_overrules_how_parts_are_joined() -> None:
    files: dict[str, str | bytes] = {"1-mira.vtt": MIRA, "2-odo.json": ODO}
    by_name = read_transcript(zipped(files), format=Format.ARCHIVE)
    by_time = read_transcript(zipped({"b.vtt": MIRA, "a.json": ODO}), format=Format.CRAIG)

    assert rows(by_name) == [(None, "We hold the bridge."), (None, "Good."), (None, "Never!")]
    assert rows(by_time) == [(None, "We hold the bridge."), (None, "Never!"), (None, "Good.")]
    with pytest.raises(IngestError, match="Transcript 2") as raised:
        read_transcript(zipped({"1-mira.vtt": MIRA, "2-odo.txt": "never"}), format=Format.CRAIG)
    assert raised.value.code is Code.INGEST_TIMES
