"""One invented conversation as each recogniser would write it: Mira and Odo before a bridge."""

from __future__ import annotations

from typing import Any

from extraction.ingest import Format

OPENAI = {
    "text": " We hold the bridge. Who pays the toll?",
    "language": "en",
    "segments": [
        {"id": 0, "start": 0.0, "end": 2.5, "text": " We hold the bridge.", "tokens": [1], "avg_logprob": -0.2},
        {"id": 1, "start": 2.5, "end": 4.0, "text": " Who pays the toll?", "tokens": [2], "avg_logprob": -0.3},
    ],
}
TIMESTAMPED = {
    "text": " We hold the bridge.",
    "segments": [
        {
            "start": 0.5,
            "end": 2.5,
            "text": " We hold the bridge.",
            "confidence": 0.8,
            "words": [
                {"text": "We", "start": 0.5, "end": 0.7, "confidence": 0.9},
                {"text": "hold", "start": 0.7, "end": 1.1, "confidence": 0.9},
                {"text": "the", "start": 1.1, "end": 1.3, "confidence": 0.9},
                {"text": "bridge.", "start": 1.3, "end": 2.5, "confidence": 0.9},
            ],
        }
    ],
    "language": "en",
}
WHISPERX = {
    "segments": [
        {
            "start": 0.5,
            "end": 2.0,
            "text": " We hold the bridge.",
            "speaker": "SPEAKER_05",
            "words": [
                {"word": "We", "start": 0.5, "end": 0.7, "score": 0.9, "speaker": "SPEAKER_05"},
                {"word": "hold"},
                {"word": "the", "start": 1.1, "end": 1.3, "score": 0.9, "speaker": "SPEAKER_05"},
                {"word": "bridge.", "start": 1.3, "end": 2.0, "score": 0.9, "speaker": "SPEAKER_05"},
            ],
        },
        {"start": 2.5, "end": 4.0, "text": " Who pays the toll?", "words": []},
    ],
    "word_segments": [],
    "language": "en",
}
WHISPER_CPP = {
    "systeminfo": "x",
    "model": {"type": "base"},
    "result": {"language": "en"},
    "transcription": [
        {
            "timestamps": {"from": "00:00:00,500", "to": "00:00:02,000"},
            "offsets": {"from": 500, "to": 2000},
            "text": " We hold the bridge.",
        },
        {"offsets": {"from": 2500, "to": 4000}, "text": " Who pays the toll?", "speaker": "1"},
    ],
}
PODCAST = {
    "version": "1.0.0",
    "segments": [
        {"speaker": "Mira", "startTime": 0.5, "endTime": 2, "body": "We hold the bridge."},
        {"speaker": "Odo", "startTime": 2.5, "endTime": 4.0, "body": "Who pays the toll?"},
    ],
}


def _deepgram_word(word: str, start: float, speaker: int) -> dict[str, Any]:
    plain = word.lower().strip(".?")
    return {"word": plain, "punctuated_word": word, "start": start, "end": start + 0.25, "speaker": speaker}


DEEPGRAM = {
    "metadata": {"channels": 1},
    "results": {
        "channels": [
            {
                "alternatives": [
                    {
                        "transcript": "We hold. Who pays?",
                        "words": [
                            _deepgram_word("We", 0.5, 0),
                            _deepgram_word("hold.", 1.0, 0),
                            _deepgram_word("Who", 1.5, 1),
                            _deepgram_word("pays?", 2.0, 1),
                        ],
                    }
                ]
            }
        ]
    },
}
ASSEMBLYAI = {
    "id": "x",
    "acoustic_model": "default",
    "status": "completed",
    "audio_url": None,
    "text": "We hold. Who pays?",
    "words": [
        {"text": "We", "start": 500, "end": 700, "confidence": 0.9, "speaker": "A"},
        {"text": "hold.", "start": 700, "end": 1100, "confidence": 0.9, "speaker": "A"},
        {"text": "Who", "start": 1200, "end": 1300, "confidence": 0.9, "speaker": "B"},
        {"text": "pays?", "start": 1300, "end": 1800, "confidence": 0.9, "speaker": "B"},
    ],
    "utterances": None,
}


def _aws_item(content: str, start: str | None, end: str | None) -> dict[str, Any]:
    times = {} if start is None else {"start_time": start, "end_time": end}
    kind = "punctuation" if start is None else "pronunciation"
    return {**times, "alternatives": [{"confidence": "0.9", "content": content}], "type": kind}


_AWS_ITEMS = [
    _aws_item("We", "0.5", "0.7"),
    _aws_item("hold", "0.7", "1.1"),
    _aws_item(".", None, None),
    _aws_item("Who", "1.2", "1.3"),
    _aws_item("pays", "1.3", "1.8"),
    _aws_item("?", None, None),
]
AWS_UNLABELLED = {
    "jobName": "x",
    "status": "COMPLETED",
    "results": {"transcripts": [{"transcript": "We hold. Who pays?"}], "items": _AWS_ITEMS},
}


def _aws_segment(label: str, *times: tuple[str, str]) -> dict[str, Any]:
    items = [{"start_time": start, "end_time": end, "speaker_label": label} for start, end in times]
    return {"speaker_label": label, "start_time": times[0][0], "end_time": times[-1][1], "items": items}


AWS = {
    "results": {
        "transcripts": [{"transcript": "We hold. Who pays?"}],
        "items": _AWS_ITEMS,
        "speaker_labels": {
            "speakers": 2,
            "segments": [
                _aws_segment("spk_0", ("0.5", "0.7"), ("0.7", "1.1")),
                _aws_segment("spk_1", ("1.2", "1.3"), ("1.3", "1.8")),
            ],
        },
    }
}
GOOGLE = {
    "results": [
        {
            "alternatives": [
                {
                    "transcript": "We hold.",
                    "confidence": 0.9,
                    "words": [
                        {"word": "We", "startTime": "0.5s", "endTime": "0.7s"},
                        {"word": "hold.", "startTime": "0.7s", "endTime": "1.1s"},
                    ],
                }
            ],
            "resultEndTime": "1.1s",
        },
        {"alternatives": [{"transcript": " Who pays?", "confidence": 0.9}], "resultEndTime": "1.8s"},
    ]
}
AZURE = {
    "source": "x",
    "combinedRecognizedPhrases": [{"channel": 0, "display": "We hold. Who pays?"}],
    "recognizedPhrases": [
        {
            "recognitionStatus": "Success",
            "channel": 0,
            "speaker": 1,
            "offset": "PT0.5S",
            "duration": "PT0.6S",
            "offsetInTicks": 5000000.0,
            "durationInTicks": 6000000.0,
            "nBest": [{"lexical": "we hold", "display": "We hold."}],
        },
        {
            "recognitionStatus": "Success",
            "channel": 0,
            "speaker": 2,
            "offset": "PT1M1.2S",
            "duration": "PT0.6S",
            "nBest": [{"lexical": "who pays", "display": "Who pays?"}],
        },
    ],
}
REV = {
    "speakers": [{"id": 1, "name": "Odo"}],
    "monologues": [
        {
            "speaker": 0,
            "elements": [
                {"type": "text", "value": "We", "ts": 0.5, "end_ts": 0.7},
                {"type": "punct", "value": " "},
                {"type": "text", "value": "hold", "ts": 0.7, "end_ts": 1.1},
                {"type": "punct", "value": "."},
            ],
        },
        {
            "speaker": 1,
            "elements": [
                {"type": "text", "value": "Who", "ts": 1.2, "end_ts": 1.3},
                {"type": "punct", "value": " "},
                {"type": "text", "value": "pays", "ts": 1.3, "end_ts": 1.8},
                {"type": "punct", "value": "?"},
            ],
        },
    ],
}


def _speechmatics(kind: str, content: str, start: float, speaker: str) -> dict[str, Any]:
    attached = {"attaches_to": "previous", "is_eos": True} if kind == "punctuation" else {}
    alternatives = [{"content": content, "confidence": 0.9, "speaker": speaker}]
    return {"type": kind, "start_time": start, "end_time": start + 0.25, "alternatives": alternatives, **attached}


SPEECHMATICS = {
    "format": "2.9",
    "metadata": {"type": "transcription"},
    "results": [
        _speechmatics("word", "We", 0.5, "S1"),
        _speechmatics("word", "hold", 0.75, "S1"),
        _speechmatics("punctuation", ".", 1.0, "S1"),
        _speechmatics("word", "Who", 1.25, "UU"),
        _speechmatics("word", "pays", 1.5, "UU"),
        _speechmatics("punctuation", "?", 1.75, "UU"),
    ],
}
KALDI = {
    "action": "audio-transcribe",
    "retval": {
        "status": True,
        "punct": "We hold. Who pays?",
        "words": [
            {"start": 0.5, "end": 0.7, "word": "we", "punct": "We", "index": 0},
            {"start": 0.7, "end": 1.1, "word": "hold", "punct": "hold.", "index": 1},
            {"start": 1.2, "end": 1.3, "word": "who", "punct": "Who", "index": 2},
            {"start": 1.3, "end": 1.8, "word": "pays", "punct": "pays?", "index": 3},
        ],
        "segmentation": {
            "speakers": [{"@id": "S0"}],
            "segments": [{"@type": "Segment", "start": 0, "duration": 1.15, "speaker": {"@id": "S0", "gender": "F"}}],
        },
    },
}
NOTARIUS = {"schema": "notarius.transcript.v1", "title": None, "units": [{"unit_id": 1, "text": "We hold."}]}
CRD3 = {"TURNS": [{"NAMES": ["MIRA"], "UTTERANCES": ["We hold."], "NUMBER": 0}]}

INPUTS: dict[str, tuple[Any, Format]] = {
    "notarius": (NOTARIUS, Format.NOTARIUS_JSON),
    "crd3": (CRD3, Format.CRD3),
    "crd3-aligned": ([{"CHUNK": "x", **CRD3}], Format.CRD3),
    "openai": (OPENAI, Format.WHISPER),
    "openai-text": ({"text": "We hold. Who pays?", "usage": {"type": "tokens"}}, Format.WHISPER),
    "openai-words": (
        {
            "task": "transcribe",
            "text": "We hold.",
            "words": [{"word": "We", "start": 0.5, "end": 0.7}, {"word": "hold", "start": 0.7, "end": 1.1}],
        },
        Format.WHISPER,
    ),
    "openai-list": (OPENAI["segments"], Format.WHISPER),
    "timestamped": (TIMESTAMPED, Format.WHISPER_TIMESTAMPED),
    "whisperx": (WHISPERX, Format.WHISPERX),
    "whisperx-list": (WHISPERX["segments"], Format.WHISPERX),
    "whisper-cpp": (WHISPER_CPP, Format.WHISPER_CPP),
    "podcast": (PODCAST, Format.PODCAST_JSON),
    "deepgram": (DEEPGRAM, Format.DEEPGRAM),
    "assemblyai": (ASSEMBLYAI, Format.ASSEMBLYAI),
    "aws": (AWS, Format.AWS_TRANSCRIBE),
    "aws-unlabelled": (AWS_UNLABELLED, Format.AWS_TRANSCRIBE),
    "aws-items": (_AWS_ITEMS, Format.AWS_TRANSCRIBE),
    "google": (GOOGLE, Format.GOOGLE_STT),
    "google-operation": ({"name": "1", "done": True, "response": GOOGLE}, Format.GOOGLE_STT),
    "google-list": (GOOGLE["results"], Format.GOOGLE_STT),
    "azure": (AZURE, Format.AZURE_SPEECH),
    "azure-fast": (
        {
            "durationMilliseconds": 1800,
            "combinedPhrases": [{"text": "We hold."}],
            "phrases": [{"offsetMilliseconds": 500, "durationMilliseconds": 600, "text": "We hold.", "speaker": 1}],
        },
        Format.AZURE_SPEECH,
    ),
    "rev": (REV, Format.REV),
    "speechmatics": (SPEECHMATICS, Format.SPEECHMATICS),
    "kaldi": (KALDI, Format.KALDI),
    "kaldi-words": ({"words": KALDI["retval"]["words"]}, Format.KALDI),  # type: ignore[index]  # a nested literal
    "vosk": ({"result": [{"conf": 1.0, "start": 0.5, "end": 0.7, "word": "we"}], "text": "we"}, Format.KALDI),
    "vosk-list": ([{"result": [{"conf": 1.0, "start": 0.5, "end": 0.7, "word": "we"}], "text": "we"}], Format.KALDI),
}
