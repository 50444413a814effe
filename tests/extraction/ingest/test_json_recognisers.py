"""What each recogniser's JSON becomes: speakers, words, times."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from extraction.codes import Code
from extraction.errors import IngestError
from extraction.ingest import Format, ReadTranscript, read_transcript
from extraction.ingest.json_formats import claims
from tests.extraction.ingest import recognisers
from tests.extraction.ingest.reading import rows, times

FORMATS = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "formats"
LONG = [("A", "We hold the bridge."), ("B", "Who pays the toll?")]
SHORT = [("A", "We hold."), ("B", "Who pays?")]


def read(value: Any, format: Format | None = None) -> ReadTranscript:
    return read_transcript(json.dumps(value).encode(), format=format)


def spoken_by(first: str | None, second: str | None, told: list[tuple[str, str]]) -> list[tuple[str | None, str]]:
    return [(first, told[0][1]), (second, told[1][1])]


@pytest.mark.parametrize(("value", "expected"), recognisers.INPUTS.values(), ids=recognisers.INPUTS.keys())
def test_each_json_is_claimed_by_its_own_format_alone(value: Any, expected: Format) -> None:
    assert claims(value) == [expected]
    assert read(value).format is expected


@pytest.mark.skipif(not FORMATS.is_dir(), reason="the shared data is not beside the repository")
def test_each_sample_is_claimed_by_one_format_alone() -> None:
    found = {path.name: claims(json.loads(path.read_bytes())) for path in FORMATS.rglob("*.json")}

    assert found == {
        "bbcKaldiSpeakerSegments.sample.json": [Format.KALDI],
        "todayinfocuswords.sample.json": [Format.AWS_TRANSCRIBE],
        "assemblyai_utterances.json": [Format.ASSEMBLYAI],
        "dg_speakers.json": [Format.DEEPGRAM],
        "dg_utterances.json": [Format.DEEPGRAM],
        "whisper_timestamped.json": [Format.WHISPER_TIMESTAMPED],
        "example.json": [Format.PODCAST_JSON],
        "whisper_transcribe_result.json": [Format.WHISPER],
        "azure_speech.json": [Format.AZURE_SPEECH],
        "rev.json": [Format.REV],
        "whisperx_diarized.json": [Format.WHISPERX],
    }


@pytest.mark.skipif(not FORMATS.is_dir(), reason="the shared data is not beside the repository")
@pytest.mark.parametrize(
    ("name", "units", "speakers"),
    [
        ("todayinfocuswords.sample.json", 3, {"spk_0", "spk_1"}),
        ("assemblyai_utterances.json", 3, {"A"}),
        ("dg_speakers.json", 28, {"Speaker 0", "Speaker 1", "Speaker 2"}),
        ("dg_utterances.json", 3, {None}),
        ("whisper_timestamped.json", 4, {None}),
        ("example.json", 2, {"Darth Vader", "Luke"}),
        ("whisper_transcribe_result.json", 2, {None}),
        ("azure_speech.json", 2, {"Speaker 1", "Speaker 2"}),
        ("rev.json", 2, {"Speaker 0", "Speaker 1"}),
        ("whisperx_diarized.json", 3, {"SPEAKER_00", "SPEAKER_01"}),
    ],
)
def test_samples_come_in_with_their_speakers(name: str, units: int, speakers: set[str | None]) -> None:
    [path] = FORMATS.rglob(name)
    transcript = read_transcript(path.read_bytes(), filename=path.name)

    assert len(transcript.units) == units
    assert {unit.speaker for unit in transcript.units} == speakers
    assert not transcript.skipped
    assert not transcript.notes


@pytest.mark.skipif(not FORMATS.is_dir(), reason="the shared data is not beside the repository")
@pytest.mark.parametrize("name", ["dg_speakers.json", "dg_utterances.json", "assemblyai_utterances.json"])
def test_samples_lose_and_invent_no_word(name: str) -> None:
    [path] = FORMATS.rglob(name)
    whole = json.loads(path.read_bytes())
    said = whole["text"] if "text" in whole else whole["results"]["channels"][0]["alternatives"][0]["transcript"]

    assert " ".join(unit.text for unit in read_transcript(path.read_bytes()).units) == " ".join(said.split())


@pytest.mark.parametrize(
    ("value", "expected", "expected_times"),
    [
        pytest.param(recognisers.OPENAI, spoken_by(None, None, LONG), [(0, 2500), (2500, 4000)], id="openai"),
        pytest.param(recognisers.WHISPERX, spoken_by("SPEAKER_05", None, LONG), [(500, 2000), (2500, 4000)], id="x"),
        pytest.param(
            recognisers.WHISPER_CPP, spoken_by(None, "Speaker 1", LONG), [(500, 2000), (2500, 4000)], id="cpp"
        ),
        pytest.param(recognisers.PODCAST, spoken_by("Mira", "Odo", LONG), [(500, 2000), (2500, 4000)], id="podcast"),
        pytest.param(
            recognisers.DEEPGRAM, spoken_by("Speaker 0", "Speaker 1", SHORT), [(500, 1250), (1500, 2250)], id="deepgram"
        ),
        pytest.param(recognisers.ASSEMBLYAI, SHORT, [(500, 1100), (1200, 1800)], id="assemblyai"),
        pytest.param(recognisers.AWS, spoken_by("spk_0", "spk_1", SHORT), [(500, 1100), (1200, 1800)], id="aws"),
        pytest.param(
            recognisers.AWS_UNLABELLED, spoken_by(None, None, SHORT), [(500, 1100), (1200, 1800)], id="aws-unlabelled"
        ),
        pytest.param(recognisers.GOOGLE, spoken_by(None, None, SHORT), [(500, 1100), (None, 1800)], id="google"),
        pytest.param(
            recognisers.AZURE, spoken_by("Speaker 1", "Speaker 2", SHORT), [(500, 1100), (61200, 61800)], id="azure"
        ),
        pytest.param(recognisers.REV, spoken_by("Speaker 0", "Odo", SHORT), [(500, 1100), (1200, 1800)], id="rev"),
        pytest.param(
            recognisers.SPEECHMATICS, spoken_by("S1", None, SHORT), [(500, 1250), (1250, 2000)], id="speechmatics"
        ),
        pytest.param(recognisers.KALDI, spoken_by("S0", None, SHORT), [(500, 1100), (1200, 1800)], id="kaldi"),
    ],
)
def test_recogniser_json_becomes_units(
    value: Any, expected: list[tuple[str | None, str]], expected_times: list[tuple[int | None, int | None]]
) -> None:
    transcript = read(value)

    assert rows(transcript) == expected
    assert times(transcript) == expected_times
    assert not transcript.skipped
    assert not transcript.notes


def test_speakers_alone_are_refused_with_what_is_missing() -> None:
    segmentation = {"segmentation": {"segments": [{"start": 0, "duration": 2.5, "speaker": {"@id": "S0"}}]}}
    with pytest.raises(IngestError, match="no words") as raised:
        read(segmentation)

    assert raised.value.code is Code.INGEST_NO_UNITS


def test_whisperx_segment_with_two_speakers_is_cut_where_they_change() -> None:
    words = [{"word": "Hold", "speaker": "S_0"}, {"word": "fast.", "start": 1, "speaker": "S_0"}, {"word": "Never!"}]
    segment = {"start": 0, "end": 3, "text": "Hold fast. Never!", "speaker": "S_1", "words": words}

    assert rows(read({"segments": [segment]})) == [("S_0", "Hold fast."), ("S_1", "Never!")]


def test_whisperx_words_that_do_not_spell_the_segment_do_not_replace_it() -> None:
    words = [{"word": "Hold", "speaker": "S_0"}, {"word": "Never!", "speaker": "S_1"}]
    segment = {"start": 0, "end": 3, "text": "Hold fast. Never!", "speaker": "S_1", "words": words}

    assert rows(read({"segments": [segment]})) == [("S_1", "Hold fast. Never!")]


def test_whisperx_segment_takes_missing_times_and_speaker_from_its_words() -> None:
    words = [{"word": "Hold"}, {"word": "fast.", "start": 1.5, "end": 2, "score": 0.5}]
    spoken = [{"word": "Never!", "start": 3, "end": 4, "speaker": "S_1"}]
    segments = [{"text": "Hold fast.", "words": words}, {"text": "Never!", "words": spoken}, {"text": "Go on."}]
    transcript = read({"segments": segments})

    assert rows(transcript) == [(None, "Hold fast."), ("S_1", "Never!"), (None, "Go on.")]
    assert times(transcript) == [(1500, 2000), (3000, 4000), (None, None)]


def test_api_words_take_the_punctuation_of_the_text() -> None:
    value, _ = recognisers.INPUTS["openai-words"]
    transcript = read(value)

    assert rows(transcript) == [(None, "We hold.")]
    assert times(transcript) == [(500, 1100)]


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        pytest.param([" We", " hold", ".", " Go"], ["We hold.", "Go"], id="tokens"),
        pytest.param([" un", "break", "able", " walls"], ["unbreakable walls"], id="parts-of-words"),
        pytest.param([" A long prob", "lem here."], ["A long problem here."], id="short-lines"),
        pytest.param([" A long line.", "Another one."], ["A long line.", "Another one."], id="lines-without-space"),
        pytest.param(["Yes.", "No.", "Go."], ["Yes.", "No.", "Go."], id="no-spaces"),
        pytest.param([" Hold [SPEAKER_TURN]"], ["Hold"], id="turn-mark"),
    ],
)
def test_whisper_cpp_pieces_are_put_together(pieces: list[str], expected: list[str]) -> None:
    entries = [
        {"offsets": {"from": at * 100, "to": at * 100 + 90}, "text": text, "speaker_turn_next": False}
        for at, text in enumerate(pieces)
    ]

    assert [text for _, text in rows(read({"transcription": entries}))] == expected


def test_whisper_cpp_clock_is_read_where_there_is_no_offset() -> None:
    entry = {"timestamps": {"from": "01:00:00,500", "to": "nonsense"}, "text": " Hold.", "speaker": "?"}
    transcript = read({"transcription": [entry]})

    assert times(transcript) == [(3_600_500, None)]
    assert transcript.notes == {Code.INGEST_TIMES: 1}
    assert transcript.units[0].speaker is None


def test_podcast_words_are_joined_to_sentences() -> None:
    bodies = [("Mira", "We"), ("Mira", "hold."), ("Mira", "Go"), ("Odo", "No")]
    segments = [{"speaker": name, "startTime": at / 2, "body": body} for at, (name, body) in enumerate(bodies)]

    assert rows(read({"segments": segments})) == [("Mira", "We hold."), ("Mira", "Go"), ("Odo", "No")]


def test_deepgram_channels_are_merged_by_time_and_keep_their_speakers_apart() -> None:
    def channel(*words: tuple[str, float]) -> dict[str, Any]:
        spoken = [{"word": word, "start": start, "end": start + 0.2, "speaker": 0} for word, start in words]
        return {"alternatives": [{"transcript": "", "words": spoken}]}

    value = {"results": {"channels": [channel(("Hold.", 1), ("Good.", 5)), channel(("Never.", 3))]}}

    assert rows(read(value)) == [
        ("Channel 0 Speaker 0", "Hold."),
        ("Channel 1 Speaker 0", "Never."),
        ("Channel 0 Speaker 0", "Good."),
    ]


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        pytest.param(
            {"utterances": [{"transcript": "Hold.", "speaker": 1}]}, [("Speaker 1", "Hold.")], id="utterances"
        ),
        pytest.param(
            {"channels": [{"alternatives": [{"transcript": "Hold. Go on."}]}]},
            [(None, "Hold."), (None, "Go on.")],
            id="transcript",
        ),
    ],
)
def test_deepgram_without_words(results: dict[str, Any], expected: list[tuple[str | None, str]]) -> None:
    assert rows(read({"results": results})) == expected


@pytest.mark.parametrize(
    "utterances",
    [
        pytest.param([{"speaker": "A", "text": "Hold.", "start": 5, "end": 9}], id="text-alone"),
        pytest.param(
            [{"speaker": "A", "text": "Hold.", "start": 5, "end": 9, "words": [{"text": "Holt"}]}], id="other-words"
        ),
        pytest.param(
            [{"speaker": "A", "words": [{"text": "Hold.", "start": 5, "end": 9, "speaker": None}]}], id="words-alone"
        ),
    ],
)
def test_assemblyai_utterances(utterances: list[Any]) -> None:
    transcript = read({"utterances": utterances})

    assert rows(transcript) == [("A", "Hold.")]
    assert times(transcript) == [(5, 9)]


def test_aws_channels_and_labels_on_items() -> None:
    items = [
        {"alternatives": [{"content": "Hold"}], "start_time": "0.1", "end_time": "0.2", "type": "pronunciation"},
        {"alternatives": [{"content": "."}], "type": "punctuation"},
        {"alternatives": [{"content": "Go"}], "start_time": "1.1", "type": "pronunciation", "speaker_label": "spk_7"},
    ]
    channels = [{"channel_label": "ch_1", "items": [{"start_time": "0.1", "end_time": "0.2"}]}]
    value = {"results": {"items": items, "channel_labels": {"channels": channels}}}

    assert rows(read(value)) == [("ch_1", "Hold."), ("spk_7", "Go")]


def test_aws_text_is_read_where_there_are_no_items() -> None:
    value = {"results": {"transcripts": [{"transcript": "Hold. Go."}], "items": []}}

    assert rows(read(value)) == [(None, "Hold."), (None, "Go.")]


def google_words(*words: tuple[str, int]) -> list[dict[str, Any]]:
    return [
        {
            "word": word,
            "startTime": {"seconds": str(at)},
            "endTime": {"seconds": at, "nanos": 500_000_000},
            "speakerTag": tag,
        }
        for at, (word, tag) in enumerate(words)
    ]


def test_google_last_result_with_speakers_is_read_instead_of_what_it_repeats() -> None:
    results = [
        {"alternatives": [{"transcript": "Hold.", "words": google_words(("Hold.", 0))}]},
        {"alternatives": [{"transcript": " Never."}]},
        {"alternatives": [{"words": google_words(("Hold.", 1), ("Never.", 2))}]},
    ]
    transcript = read({"results": results})

    assert rows(transcript) == [("Speaker 1", "Hold."), ("Speaker 2", "Never.")]
    assert times(transcript) == [(0, 500), (1000, 1500)]


def test_google_sentence_said_twice_stays_twice() -> None:
    result = {"alternatives": [{"transcript": "Hold.", "words": google_words(("Hold.", 1))}]}

    assert rows(read({"results": [result, result]})) == [("Speaker 1", "Hold.")] * 2


def test_google_version_2_and_the_spelling_of_the_client() -> None:
    second = {"word": "Hold.", "startOffset": "1.5s", "endOffset": "2s", "speakerLabel": "2"}
    snake = {"word": "Go.", "start_time": "3s", "end_time": "4s", "speaker_tag": 1}
    results = [
        {"alternatives": [{"transcript": "Hold.", "words": [second]}], "channelTag": 1},
        {"alternatives": [{"transcript": "Go.", "words": [snake]}]},
        {"alternatives": [{"transcript": "Never."}], "channel_tag": 2},
        {"alternatives": []},
    ]
    transcript = read({"results": results})

    assert rows(transcript) == [("Speaker 2", "Hold."), ("Speaker 1", "Go."), ("Channel 2", "Never.")]
    assert times(transcript) == [(1500, 2000), (3000, 4000), (None, None)]
    assert [skipped.at for skipped in transcript.skipped] == [4]


def test_azure_phrases_not_recognised_are_skipped_and_channels_named() -> None:
    phrases = [
        {"recognitionStatus": "NoMatch", "channel": 0},
        {"recognitionStatus": "Success", "channel": 0, "nBest": [{"display": "Hold."}]},
        {"recognitionStatus": "Success", "channel": 1, "speaker": 2, "nBest": [{"display": "", "lexical": "go"}]},
    ]
    transcript = read({"recognizedPhrases": phrases})

    assert rows(transcript) == [("Channel 0", "Hold."), ("Channel 1 Speaker 2", "go")]
    assert [skipped.at for skipped in transcript.skipped] == [1]


def test_rev_elements_without_a_space_between_them_are_one_word() -> None:
    elements = [
        {"type": "text", "value": "un", "ts": 0.5},
        {"type": "text", "value": "real", "end_ts": 1},
        {"type": "unknown", "value": "<inaudible>"},
        {"type": "punct", "value": " "},
        {"type": "text", "value": "gold"},
    ]

    assert rows(read({"monologues": [{"speaker": 3, "elements": elements}]})) == [
        ("Speaker 3", "unreal<inaudible> gold")
    ]


def test_speechmatics_signs_attach_to_where_they_say() -> None:
    def result(kind: str, content: str, **more: Any) -> dict[str, Any]:
        return {"type": kind, "alternatives": [{"content": content}], **more}

    results = [
        result("punctuation", "\u00bf", attaches_to="next"),
        result("word", "qui\u00e9n"),
        result("punctuation", "-", attaches_to="both"),
        result("word", "qui\u00e9n"),
        {"type": "speaker_change"},
        result("punctuation", "?"),
        result("entity", "10:30", channel="gm"),
    ]

    assert rows(read({"results": results})) == [(None, "\u00bfqui\u00e9n-qui\u00e9n?"), ("Channel gm", "10:30")]


def test_a_named_format_that_the_json_is_not_is_refused() -> None:
    with pytest.raises(IngestError) as raised:
        read(recognisers.OPENAI, Format.REV)

    assert raised.value.code is Code.INGEST_MALFORMED
    assert raised.value.__context__ is None


def test_a_named_format_reads_what_detection_leaves_open() -> None:
    value: Any = {"words": [{"text": "Hold.", "start": 500, "end": 900, "speaker": "A"}]}

    assert claims(value) == []
    assert times(read(value, Format.ASSEMBLYAI)) == [(500, 900)]


def test_json_that_fits_two_formats_asks_which_it_is() -> None:
    both = {**recognisers.REV, **recognisers.WHISPER_CPP}
    with pytest.raises(IngestError, match="rev") as raised:
        read(both)

    assert raised.value.code is Code.INGEST_UNKNOWN_FORMAT
    assert read(both, Format.REV).format is Format.REV
