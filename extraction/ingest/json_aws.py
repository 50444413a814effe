"""Amazon Transcribe: items of words and signs, with speaker labels on the items, in a table beside them, or nowhere.

The bare list of items, as some programs cut it out, is read too. Without items the running text is read.
"""

from __future__ import annotations

from collections.abc import Iterator

from extraction.ingest.json_text import ParsedJson
from extraction.ingest.json_values import (
    SECONDS,
    JsonObject,
    first_object,
    has_objects,
    inner,
    objects,
    speaker_of,
    text_of,
    time_ms,
)
from extraction.ingest.limits import Limits
from extraction.ingest.transcript import Format, ReadTranscript, TranscriptBuilder
from extraction.ingest.words import Word, add_words, words_of_text

_Times = tuple[str, str]


def is_aws(parsed: ParsedJson) -> bool:
    if isinstance(parsed, list):
        return has_objects(parsed, "alternatives") and has_objects(parsed, "type") and not has_objects(parsed, "words")
    results = parsed.get("results") if isinstance(parsed, dict) else None
    return isinstance(results, dict) and ("items" in results or "transcripts" in results)


def read_aws(parsed: ParsedJson, encoding: str, limits: Limits) -> ReadTranscript:
    """Return the transcript; IngestError names the first item that is wrong."""
    builder = TranscriptBuilder(Format.AWS_TRANSCRIBE, limits, place="item")
    if isinstance(parsed, list):
        results: JsonObject = {"items": parsed}
    else:
        results = inner(inner(parsed, "the file").get("results"), "results")
    speakers = _speakers(results)
    words = [_word(builder, at, item, speakers) for at, item in objects(results.get("items"), "items")]
    add_words(builder, words or list(_running_text(results)))
    return builder.finish(encoding)


def _word(builder: TranscriptBuilder, at: int, item: JsonObject, speakers: dict[_Times, str]) -> Word:
    speaker = (
        speaker_of(item.get("speaker_label")) or speakers.get(_times(item)) or speaker_of(item.get("channel_label"))
    )
    return Word(
        at,
        text_of(first_object(item.get("alternatives"), "alternatives"), at, "content"),
        speaker,
        time_ms(item.get("start_time"), SECONDS, builder),
        time_ms(item.get("end_time"), SECONDS, builder),
        glued=item.get("type") == "punctuation",
    )


def _speakers(results: JsonObject) -> dict[_Times, str]:
    """Return the labels of the tables beside the items, by the start and end of the word as they are written."""
    found: dict[_Times, str] = {}
    for _, segment in objects(inner(results.get("speaker_labels"), "speaker_labels").get("segments"), "segments"):
        outer = speaker_of(segment.get("speaker_label"))
        for _, item in objects(segment.get("items"), "items"):
            label = speaker_of(item.get("speaker_label")) or outer
            if label is not None:
                found.setdefault(_times(item), label)
    for _, channel in objects(inner(results.get("channel_labels"), "channel_labels").get("channels"), "channels"):
        label = speaker_of(channel.get("channel_label"))
        for _, item in objects(channel.get("items"), "items"):
            if label is not None:
                found.setdefault(_times(item), label)
    found.pop(("None", "None"), None)
    return found


def _times(item: JsonObject) -> _Times:
    return str(item.get("start_time")), str(item.get("end_time"))


def _running_text(results: JsonObject) -> Iterator[Word]:
    for at, transcript in objects(results.get("transcripts"), "transcripts"):
        yield from words_of_text(at, text_of(transcript, at, "transcript"))
