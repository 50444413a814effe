"""Speechmatics (json-v2): words, entities and punctuation that says what it attaches to. `UU` is nobody."""

from __future__ import annotations

from collections.abc import Iterator

from extraction.ingest.json_text import ParsedJson
from extraction.ingest.json_values import (
    SECONDS,
    JsonObject,
    channel_of,
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
from extraction.ingest.words import Word, add_words

_NOBODY = "UU"


def is_speechmatics(parsed: ParsedJson) -> bool:
    if not isinstance(parsed, dict) or not isinstance(parsed.get("results"), list):
        return False
    return has_objects(parsed["results"], "type") or ("format" in parsed and "metadata" in parsed)


def read_speechmatics(parsed: ParsedJson, encoding: str, limits: Limits) -> ReadTranscript:
    """Return the transcript; IngestError names the first result that is wrong."""
    builder = TranscriptBuilder(Format.SPEECHMATICS, limits, place="item")
    add_words(builder, _words(builder, inner(parsed, "the file").get("results")))
    return builder.finish(encoding)


def _words(builder: TranscriptBuilder, results: ParsedJson) -> Iterator[Word]:
    glue_next = False
    for at, result in objects(results, "results"):
        kind = result.get("type")
        if kind == "speaker_change":
            continue
        attaches = result.get("attaches_to", "previous" if kind == "punctuation" else "none")
        best = first_object(result.get("alternatives"), "alternatives")
        yield Word(
            at,
            text_of(best, at, "content"),
            _speaker(best, result),
            time_ms(result.get("start_time"), SECONDS, builder),
            time_ms(result.get("end_time"), SECONDS, builder),
            glued=glue_next or attaches in ("previous", "both"),
        )
        glue_next = attaches in ("next", "both")


def _speaker(best: JsonObject, result: JsonObject) -> str | None:
    speaker = speaker_of(best.get("speaker"))
    if speaker is not None and speaker.upper() != _NOBODY:
        return speaker
    return channel_of(result.get("channel"))
