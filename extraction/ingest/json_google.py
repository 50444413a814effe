"""Google Speech-to-Text, versions 1 and 2, in the spelling of its REST answers and of its Python client.

With speakers the last result repeats every word of the recording with a speaker each: then it alone is read. Words
stand for a result if they spell its transcript; otherwise the transcript is the unit.
"""

from __future__ import annotations

from dataclasses import dataclass

from extraction.ingest.json_text import ParsedJson
from extraction.ingest.json_values import (
    SECONDS,
    JsonObject,
    channel_of,
    first_object,
    has_objects,
    objects,
    speaker_of,
    text_of,
    time_ms,
)
from extraction.ingest.limits import Limits
from extraction.ingest.transcript import Format, ReadTranscript, TranscriptBuilder
from extraction.ingest.wording import one_line
from extraction.ingest.words import Word, add_words, same_letters

_LONGEST_NUMBER = 5


@dataclass(frozen=True, slots=True)
class _Result:
    text: str
    words: list[Word]
    tagged: bool
    whole: Word


def is_google(parsed: ParsedJson) -> bool:
    results = _results(parsed)
    if not isinstance(results, list) or has_objects(results, "type"):
        return False
    return has_objects(results, "alternatives") or has_objects(results, "resultEndTime", "resultEndOffset")


def read_google(parsed: ParsedJson, encoding: str, limits: Limits) -> ReadTranscript:
    """Return the transcript; IngestError names the first result that is wrong."""
    builder = TranscriptBuilder(Format.GOOGLE_STT, limits, place="item")
    results = [_result(builder, at, item) for at, item in objects(_results(parsed), "results")]
    if len(results) > 1 and _repeats_all(results):
        results = results[-1:]
    for result in results:
        _add(builder, result)
    return builder.finish(encoding)


def _results(parsed: ParsedJson) -> ParsedJson:
    if isinstance(parsed, dict) and isinstance(parsed.get("response"), dict):
        parsed = parsed["response"]
    return parsed.get("results") if isinstance(parsed, dict) else parsed


def _result(builder: TranscriptBuilder, at: int, item: JsonObject) -> _Result:
    best = first_object(item.get("alternatives"), "alternatives")
    channel = channel_of(_either(item, "channelTag", "channel_tag"))
    tagged = False
    words = []
    for number, word in objects(best.get("words"), "words"):
        speaker = _speaker(word)
        tagged = tagged or speaker is not None
        words.append(
            Word(
                at,
                text_of(word, number, "word"),
                speaker or channel,
                time_ms(_either(word, "startTime", "start_time", "startOffset", "start_offset"), SECONDS, builder),
                time_ms(_either(word, "endTime", "end_time", "endOffset", "end_offset"), SECONDS, builder),
            )
        )
    text = text_of(best, at, "transcript")
    end = time_ms(_either(item, "resultEndTime", "result_end_time", "resultEndOffset"), SECONDS, builder)
    return _Result(text, words, tagged, Word(at, text, channel, words[0].start_ms if words else None, end))


def _add(builder: TranscriptBuilder, result: _Result) -> None:
    if result.words and (not result.text.strip() or same_letters(result.text, result.words)):
        add_words(builder, result.words)
        return
    whole = result.whole
    builder.add(whole.at, whole.speaker, one_line(whole.text), start_ms=whole.start_ms, end_ms=whole.end_ms)


def _repeats_all(results: list[_Result]) -> bool:
    """Tell whether the last result is the first ones again, with speakers that they have not."""
    last = results[-1]
    if not last.tagged or any(result.tagged for result in results[:-1]):
        return False
    return same_letters("".join(result.text or _letters(result) for result in results[:-1]), last.words)


def _letters(result: _Result) -> str:
    return " ".join(word.text for word in result.words)


def _speaker(word: JsonObject) -> str | None:
    """Return the speaker; the tag 0 means that there is none."""
    label = _either(word, "speakerLabel", "speaker_label")
    if isinstance(label, str) and label.isdecimal() and len(label) <= _LONGEST_NUMBER:
        label = int(label)
    if label is not None and label != "":
        return speaker_of(label)
    tag = _either(word, "speakerTag", "speaker_tag")
    return speaker_of(tag) if tag != 0 else None


def _either(item: JsonObject, *fields: str) -> ParsedJson:
    return next((item[field] for field in fields if item.get(field) is not None), None)
