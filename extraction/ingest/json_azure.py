"""Azure Speech: recognised phrases of a batch, or the phrases of a fast transcription. A phrase is a unit."""

from __future__ import annotations

from extraction.ingest.json_text import ParsedJson
from extraction.ingest.json_values import (
    MILLISECONDS,
    SECONDS,
    TICKS,
    JsonObject,
    channel_of,
    first_object,
    inner,
    later,
    objects,
    speaker_of,
    text_of,
    time_ms,
)
from extraction.ingest.limits import Limits
from extraction.ingest.transcript import Format, ReadTranscript, TranscriptBuilder
from extraction.ingest.wording import one_line

_CLOCKS = (
    ("offsetMilliseconds", "durationMilliseconds", MILLISECONDS),
    ("offsetInTicks", "durationInTicks", TICKS),
    ("offset", "duration", SECONDS),
)


def is_azure(parsed: ParsedJson) -> bool:
    return isinstance(parsed, dict) and (
        "recognizedPhrases" in parsed or "combinedRecognizedPhrases" in parsed or "combinedPhrases" in parsed
    )


def read_azure(parsed: ParsedJson, encoding: str, limits: Limits) -> ReadTranscript:
    """Return the transcript; a phrase that was not recognised is skipped and counted."""
    builder = TranscriptBuilder(Format.AZURE_SPEECH, limits, place="item")
    whole = inner(parsed, "the file")
    field = "recognizedPhrases" if whole.get("recognizedPhrases") else "phrases"
    phrases = list(objects(whole.get(field), field)) or list(_running_texts(whole))
    several = len({str(phrase.get("channel")) for _, phrase in phrases}) > 1
    for at, phrase in phrases:
        channel = channel_of(phrase.get("channel")) if several else None
        speaker = speaker_of(phrase.get("speaker"))
        start_ms, end_ms = _times(builder, phrase)
        best = first_object(phrase.get("nBest"), "nBest")
        builder.add(
            at,
            f"{channel} {speaker}" if channel and speaker else channel or speaker,
            one_line(text_of(best, at, "display", "lexical") or text_of(phrase, at, "text", "display")),
            start_ms=start_ms,
            end_ms=end_ms,
        )
    return builder.finish(encoding)


def _times(builder: TranscriptBuilder, phrase: JsonObject) -> tuple[int | None, int | None]:
    for offset, duration, unit in _CLOCKS:
        if phrase.get(offset) is not None:
            start_ms = time_ms(phrase[offset], unit, builder)
            return start_ms, later(phrase[offset], phrase.get(duration), unit, builder)
    return None, None


def _running_texts(whole: JsonObject) -> list[tuple[int, JsonObject]]:
    field = "combinedRecognizedPhrases" if whole.get("combinedRecognizedPhrases") else "combinedPhrases"
    return list(objects(whole.get(field), field))
