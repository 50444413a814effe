"""Deepgram: words by channel, joined to utterances; without words the utterances or the running text.

Several channels are recordings of several people: they are merged by time, and the label says the channel, because
each channel numbers its speakers anew.
"""

from __future__ import annotations

from collections.abc import Iterator

from extraction.ingest.json_text import ParsedJson
from extraction.ingest.json_values import (
    SECONDS,
    JsonObject,
    channel_of,
    first_object,
    inner,
    objects,
    speaker_of,
    text_of,
    time_ms,
)
from extraction.ingest.limits import Limits
from extraction.ingest.tracks import in_time_order
from extraction.ingest.transcript import Format, ReadTranscript, TranscriptBuilder
from extraction.ingest.wording import one_line
from extraction.ingest.words import Word, add_utterance, add_words, join_words, words_of_text


def is_deepgram(parsed: ParsedJson) -> bool:
    results = parsed.get("results") if isinstance(parsed, dict) else None
    return isinstance(results, dict) and ("channels" in results or "utterances" in results)


def read_deepgram(parsed: ParsedJson, encoding: str, limits: Limits) -> ReadTranscript:
    """Return the transcript; IngestError names the first part that is wrong."""
    builder = TranscriptBuilder(Format.DEEPGRAM, limits, place="item")
    results = inner(inner(parsed, "the file").get("results"), "results")
    bests = [
        first_object(channel.get("alternatives"), "alternatives")
        for _, channel in objects(results.get("channels"), "channels")
    ]
    several = len(bests) > 1
    spoken = [list(_words(builder, best, channel_of(index) if several else None)) for index, best in enumerate(bests)]
    if not any(spoken) and results.get("utterances"):
        _add_utterances(builder, results, several=several)
    elif several:
        tracks = [
            list(join_words(words or _running_text(best, channel_of(index))))
            for index, (best, words) in enumerate(zip(bests, spoken, strict=True))
        ]
        for _, utterance in in_time_order(tracks, lambda utterance: utterance.start_ms):
            add_utterance(builder, utterance)
    elif bests:
        add_words(builder, spoken[0] or _running_text(bests[0], None))
    return builder.finish(encoding)


def _words(builder: TranscriptBuilder, best: JsonObject, channel: str | None) -> Iterator[Word]:
    for at, word in objects(best.get("words"), "words"):
        yield Word(
            at,
            text_of(word, at, "punctuated_word", "word"),
            _label(channel, speaker_of(word.get("speaker"))),
            time_ms(word.get("start"), SECONDS, builder),
            time_ms(word.get("end"), SECONDS, builder),
        )


def _running_text(best: JsonObject, channel: str | None) -> list[Word]:
    return words_of_text(1, text_of(best, 1, "transcript"), channel)


def _add_utterances(builder: TranscriptBuilder, results: JsonObject, *, several: bool) -> None:
    for at, utterance in objects(results.get("utterances"), "utterances"):
        channel = channel_of(utterance.get("channel")) if several else None
        builder.add(
            at,
            _label(channel, speaker_of(utterance.get("speaker"))),
            one_line(text_of(utterance, at, "transcript")),
            start_ms=time_ms(utterance.get("start"), SECONDS, builder),
            end_ms=time_ms(utterance.get("end"), SECONDS, builder),
        )


def _label(channel: str | None, speaker: str | None) -> str | None:
    return f"{channel} {speaker}" if channel and speaker else channel or speaker
