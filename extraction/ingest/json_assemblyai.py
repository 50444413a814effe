"""AssemblyAI: words with times in milliseconds, joined to utterances; without words its utterances or its text."""

from __future__ import annotations

from collections.abc import Iterator

from extraction.ingest.json_text import ParsedJson
from extraction.ingest.json_values import (
    MILLISECONDS,
    JsonObject,
    channel_of,
    has_objects,
    inner,
    objects,
    speaker_of,
    text_of,
    time_ms,
)
from extraction.ingest.limits import Limits
from extraction.ingest.transcript import Format, ReadTranscript, TranscriptBuilder
from extraction.ingest.wording import one_line
from extraction.ingest.words import Word, add_words, same_letters, words_of_text

_MARKS = frozenset({"acoustic_model", "language_model", "audio_url", "audio_duration", "speech_model"})


def is_assemblyai(parsed: ParsedJson) -> bool:
    if not isinstance(parsed, dict) or "segments" in parsed or "results" in parsed:
        return False
    if has_objects(parsed.get("utterances"), "text", "words") or not _MARKS.isdisjoint(parsed):
        return True
    return "status" in parsed and has_objects(parsed.get("words"), "text")


def read_assemblyai(parsed: ParsedJson, encoding: str, limits: Limits) -> ReadTranscript:
    """Return the transcript; IngestError names the first part that is wrong."""
    builder = TranscriptBuilder(Format.ASSEMBLYAI, limits, place="item")
    whole = inner(parsed, "the file")
    utterances = [item for _, item in objects(whole.get("utterances"), "utterances")]
    for at, utterance in enumerate(utterances, start=1):
        _add(builder, at, utterance)
    if not utterances:
        add_words(builder, list(_words(builder, whole, None, None)) or words_of_text(1, text_of(whole, 1, "text")))
    return builder.finish(encoding)


def _add(builder: TranscriptBuilder, at: int, utterance: JsonObject) -> None:
    """Append what was said in an utterance: its words if they spell its text, else the text."""
    speaker, text = _speaker(utterance, None), text_of(utterance, at, "text")
    words = list(_words(builder, utterance, speaker, at))
    if words and (not text.strip() or same_letters(text, words)):
        add_words(builder, words)
        return
    start_ms = time_ms(utterance.get("start"), MILLISECONDS, builder)
    end_ms = time_ms(utterance.get("end"), MILLISECONDS, builder)
    builder.add(at, speaker, one_line(text), start_ms=start_ms, end_ms=end_ms)


def _words(builder: TranscriptBuilder, holder: JsonObject, speaker: str | None, place: int | None) -> Iterator[Word]:
    for at, word in objects(holder.get("words"), "words"):
        yield Word(
            place or at,
            text_of(word, at, "text"),
            _speaker(word, speaker),
            time_ms(word.get("start"), MILLISECONDS, builder),
            time_ms(word.get("end"), MILLISECONDS, builder),
        )


def _speaker(item: JsonObject, fallback: str | None) -> str | None:
    return speaker_of(item.get("speaker")) or fallback or channel_of(item.get("channel"))
