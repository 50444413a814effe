"""The JSON of the podcast namespace: `{"version", "segments": [{"speaker", "startTime", "endTime", "body"}]}`.

Some programs write a segment a word; those are joined to utterances.
"""

from __future__ import annotations

from extraction.ingest.json_text import ParsedJson
from extraction.ingest.json_values import SECONDS, has_objects, inner, objects, speaker_of, text_of, time_ms
from extraction.ingest.limits import Limits
from extraction.ingest.segments import add_segments
from extraction.ingest.transcript import Format, ReadTranscript, TranscriptBuilder
from extraction.ingest.words import Word


def is_podcast(parsed: ParsedJson) -> bool:
    return isinstance(parsed, dict) and has_objects(parsed.get("segments"), "body")


def read_podcast(parsed: ParsedJson, encoding: str, limits: Limits) -> ReadTranscript:
    """Return the transcript; IngestError names the first segment that is wrong."""
    builder = TranscriptBuilder(Format.PODCAST_JSON, limits, place="item")
    segments = objects(inner(parsed, "the file").get("segments"), "segments")
    add_segments(
        builder,
        (
            Word(
                at,
                text_of(item, at, "body"),
                speaker_of(item.get("speaker")),
                time_ms(item.get("startTime"), SECONDS, builder),
                time_ms(item.get("endTime"), SECONDS, builder),
            )
            for at, item in segments
        ),
    )
    return builder.finish(encoding)
