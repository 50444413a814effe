"""Kaldi, as the BBC's service and Vosk write it: words, and beside them stretches of the recording with a speaker."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from extraction.codes import Code
from extraction.errors import IngestError
from extraction.ingest.json_text import ParsedJson
from extraction.ingest.json_values import (
    SECONDS,
    JsonObject,
    has_objects,
    inner,
    later,
    objects,
    speaker_of,
    text_of,
    time_ms,
)
from extraction.ingest.limits import Limits
from extraction.ingest.transcript import Format, ReadTranscript, TranscriptBuilder
from extraction.ingest.words import Word, add_words, words_of_text

_Stretch = tuple[int, int, str | None]


def is_kaldi(parsed: ParsedJson) -> bool:
    if isinstance(parsed, list):
        return has_objects(parsed, "result") or has_objects(parsed, "punct", "conf")
    if not isinstance(parsed, dict):
        return False
    if "retval" in parsed or isinstance(parsed.get("segmentation"), dict):
        return True
    return has_objects(parsed.get("words"), "punct") or has_objects(parsed.get("result"), "conf", "word")


def read_kaldi(parsed: ParsedJson, encoding: str, limits: Limits) -> ReadTranscript:
    """Return the transcript; IngestError for the BBC's file of speakers alone, which has no words."""
    builder = TranscriptBuilder(Format.KALDI, limits, place="item")
    if isinstance(parsed, list) and has_objects(parsed, "result", "text"):
        results: list[JsonObject] = [item for _, item in objects(parsed, "the file")]
    elif isinstance(parsed, list):
        results = [{"words": parsed}]
    else:
        whole = inner(parsed, "the file")
        results = [inner(whole["retval"], "retval") if "retval" in whole else whole]
    stretches = [stretch for result in results for stretch in _stretches(builder, result)]
    words = [word for at, result in enumerate(results, start=1) for word in _words(builder, at, result, stretches)]
    if stretches and not words:
        raise IngestError(
            "The file says who speaks when, but holds no words; use the file with the words.",
            code=Code.INGEST_NO_UNITS,
        )
    add_words(builder, words)
    return builder.finish(encoding)


def _words(builder: TranscriptBuilder, at: int, result: JsonObject, stretches: list[_Stretch]) -> Iterator[Word]:
    field = "words" if result.get("words") else "result"
    if not result.get(field):
        yield from words_of_text(at, text_of(result, at, "punct", "text"))
    for number, word in objects(result.get(field), field):
        start_ms = time_ms(word.get("start"), SECONDS, builder)
        end_ms = time_ms(word.get("end"), SECONDS, builder)
        speaker = speaker_of(word.get("speaker")) or _speaker_at(stretches, start_ms, end_ms)
        yield Word(number, text_of(word, number, "punct", "word"), speaker, start_ms, end_ms)


def _stretches(builder: TranscriptBuilder, result: JsonObject) -> list[_Stretch]:
    """Return the stretches with a speaker by their start; the order is for looking up words, which stay as they are."""
    found: list[_Stretch] = []
    segments = inner(result.get("segmentation"), "segmentation").get("segments")
    for _, segment in objects(segments, "segments"):
        start_ms = time_ms(segment.get("start"), SECONDS, builder)
        end_ms = later(segment.get("start"), segment.get("duration"), SECONDS, builder)
        speaker = segment.get("speaker")
        label = speaker_of(speaker.get("@id") if isinstance(speaker, dict) else speaker)
        if start_ms is not None and end_ms is not None:
            found.append((start_ms, end_ms, label))
    return sorted(found, key=lambda stretch: stretch[:2])


def _speaker_at(stretches: list[_Stretch], start_ms: int | None, end_ms: int | None) -> str | None:
    """Return who speaks in the middle of the word, None where no stretch covers it."""
    if start_ms is None or not stretches:
        return None
    middle = start_ms if end_ms is None else (start_ms + end_ms) // 2
    at = bisect_right(stretches, middle, key=lambda stretch: stretch[0]) - 1
    return stretches[at][2] if at >= 0 and middle < stretches[at][1] else None
