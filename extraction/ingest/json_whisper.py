"""The JSON of Whisper and of what is built on it: OpenAI's own, whisper-timestamped, whisperX; and whisper.cpp.

A segment is a unit, with the text the recogniser gave it. Where its words have speakers of their own and spell the
segment, it is cut at each change of speaker. A file whose segments are single words is read as words. A word without
a speaker has its segment's; a segment without one has nobody's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from extraction.ingest.json_text import ParsedJson
from extraction.ingest.json_values import (
    MILLISECONDS,
    SECONDS,
    JsonObject,
    has_objects,
    inner,
    objects,
    speaker_of,
    text_of,
    time_ms,
)
from extraction.ingest.limits import Limits
from extraction.ingest.segments import add_segments
from extraction.ingest.transcript import Format, ReadTranscript, TranscriptBuilder
from extraction.ingest.words import Word, add_words, same_letters, words_of_text

# What the API answers besides the text, when it is asked for text alone or for words.
_BARE_ANSWER = frozenset({"text", "words", "task", "language", "duration", "usage", "logprobs"})
_TURN_MARK = "[SPEAKER_TURN]"


def is_whisper(parsed: ParsedJson) -> bool:
    if isinstance(parsed, list):
        return has_objects(parsed, "start", "end") and has_objects(parsed, "text", "word") and _only_speech(parsed)
    if not isinstance(parsed, dict):
        return False
    if isinstance(parsed.get("segments"), list):
        return "word_segments" in parsed or "text" in parsed or has_objects(parsed["segments"], "text", "words")
    if not isinstance(parsed.get("text"), str) or not parsed.keys() <= _BARE_ANSWER:
        return False
    return not has_objects(parsed.get("words"), "punct")


def _only_speech(items: list[ParsedJson]) -> bool:
    """Tell whether no object of the list belongs to a list of items or messages of another program."""
    return not has_objects(items, "alternatives", "type", "_id", "content", "punct", "body", "conf")


def whisper_kind(parsed: ParsedJson) -> Format:
    """Return which of the three programs wrote the file, by the fields that only it writes."""
    if isinstance(parsed, dict) and "word_segments" in parsed:
        return Format.WHISPERX
    segments = parsed.get("segments") if isinstance(parsed, dict) else parsed
    items = segments if isinstance(segments, list) else []
    insides = [item["words"] for item in items if isinstance(item, dict) and "words" in item]
    if has_objects(segments, "speaker", "score") or any(has_objects(words, "speaker", "score") for words in insides):
        return Format.WHISPERX
    if has_objects(segments, "confidence") or any(has_objects(words, "confidence") for words in insides):
        return Format.WHISPER_TIMESTAMPED
    return Format.WHISPER


def read_whisper(parsed: ParsedJson, encoding: str, limits: Limits) -> ReadTranscript:
    """Return the transcript; IngestError names the first segment that is wrong."""
    builder = TranscriptBuilder(whisper_kind(parsed), limits, place="item")
    whole: JsonObject = {"segments": parsed} if isinstance(parsed, list) else inner(parsed, "the file")
    segments = [item for _, item in objects(whole.get("segments"), "segments")]
    if segments:
        add_segments(builder, (piece for at, item in enumerate(segments, start=1) for piece in _cut(builder, at, item)))
        return builder.finish(encoding)
    words = list(_words(builder, whole.get("words") or whole.get("word_segments"), None))
    spoken = words_of_text(1, text_of(whole, 1, "text"))
    if len(spoken) == len(words):
        # The words of the API lack the punctuation that its text has.
        words = [
            Word(word.at, said.text, word.speaker, word.start_ms, word.end_ms)
            for word, said in zip(words, spoken, strict=True)
        ]
    add_words(builder, words or spoken)
    return builder.finish(encoding)


def is_whisper_cpp(parsed: ParsedJson) -> bool:
    return isinstance(parsed, dict) and isinstance(parsed.get("transcription"), list)


def read_whisper_cpp(parsed: ParsedJson, encoding: str, limits: Limits) -> ReadTranscript:
    """Return the transcript; IngestError names the first entry that is wrong.

    Told to keep its lines short, the program cuts inside of words too; such a line goes on with the one before.
    """
    builder = TranscriptBuilder(Format.WHISPER_CPP, limits, place="item")
    entries = inner(parsed, "the file").get("transcription")
    pieces = (_cpp_segment(builder, at, item) for at, item in objects(entries, "transcription"))
    add_segments(builder, pieces, may_cut_words=True)
    return builder.finish(encoding)


def _cut(builder: TranscriptBuilder, at: int, segment: JsonObject) -> list[Word]:
    """Return the segment in one piece, or one piece a speaker."""
    speaker = speaker_of(segment.get("speaker"))
    text = text_of(segment, at, "text", "word")
    start_ms = time_ms(segment.get("start"), SECONDS, builder)
    end_ms = time_ms(segment.get("end"), SECONDS, builder)
    whole = Word(at, text, speaker, start_ms, end_ms)
    inside = segment.get("words")
    if text.strip() and None not in (start_ms, end_ms) and not has_objects(inside, "speaker"):
        return [whole]
    words = list(_words(builder, inside, speaker))
    runs = list(_runs_of_one_speaker(at, words))
    if not runs or (text.strip() and not same_letters(text, words)):
        return [whole]
    if len(runs) > 1 or not text.strip():
        return runs
    only = runs[0]
    return [
        replace(
            whole,
            speaker=speaker or only.speaker,
            start_ms=only.start_ms if start_ms is None else start_ms,
            end_ms=only.end_ms if end_ms is None else end_ms,
        )
    ]


def _words(builder: TranscriptBuilder, words: ParsedJson, speaker: str | None) -> Iterator[Word]:
    for at, word in objects(words, "words"):
        yield Word(
            at,
            text_of(word, at, "word", "text"),
            speaker_of(word.get("speaker")) or speaker,
            time_ms(word.get("start"), SECONDS, builder),
            time_ms(word.get("end"), SECONDS, builder),
        )


def _runs_of_one_speaker(at: int, words: list[Word]) -> Iterator[Word]:
    run: list[Word] = []
    for word in [*words, None]:
        if run and (word is None or word.speaker != run[0].speaker):
            text = " ".join(part.text.strip() for part in run)
            starts = [part.start_ms for part in run if part.start_ms is not None]
            ends = [part.end_ms for part in run if part.end_ms is not None]
            yield Word(at, text, run[0].speaker, starts[0] if starts else None, ends[-1] if ends else None)
            run = []
        if word is not None and word.text.strip():
            run.append(word)


def _cpp_segment(builder: TranscriptBuilder, at: int, entry: JsonObject) -> Word:
    text = text_of(entry, at, "text")
    if "speaker_turn_next" in entry:
        text = text.replace(_TURN_MARK, "")
    offsets, clocks = inner(entry.get("offsets"), "offsets"), inner(entry.get("timestamps"), "timestamps")
    speaker = entry.get("speaker")
    if isinstance(speaker, str) and speaker.isdecimal() and len(speaker) < 5:
        speaker = int(speaker)
    return Word(
        at,
        text,
        speaker_of(speaker),
        _cpp_time(builder, offsets.get("from"), clocks.get("from")),
        _cpp_time(builder, offsets.get("to"), clocks.get("to")),
    )


def _cpp_time(builder: TranscriptBuilder, offset: ParsedJson, clock: ParsedJson) -> int | None:
    if offset is None and isinstance(clock, str):
        hours, _, rest = clock.replace(",", ".").partition(":")
        minutes, _, seconds = rest.partition(":")
        return time_ms(f"PT{hours}H{minutes}M{seconds}S", SECONDS, builder)
    return time_ms(offset, MILLISECONDS, builder)
