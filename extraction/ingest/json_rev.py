"""Rev: monologues of words and signs. The signs hold the spaces; a word directly behind another goes on with it."""

from __future__ import annotations

from collections.abc import Iterator

from extraction.ingest.json_text import ParsedJson
from extraction.ingest.json_values import SECONDS, JsonObject, inner, objects, speaker_of, text_of, time_ms
from extraction.ingest.limits import Limits
from extraction.ingest.transcript import Format, ReadTranscript, TranscriptBuilder
from extraction.ingest.words import Word, add_words


def is_rev(parsed: ParsedJson) -> bool:
    return isinstance(parsed, dict) and isinstance(parsed.get("monologues"), list)


def read_rev(parsed: ParsedJson, encoding: str, limits: Limits) -> ReadTranscript:
    """Return the transcript; IngestError names the first part that is wrong."""
    builder = TranscriptBuilder(Format.REV, limits, place="item")
    whole = inner(parsed, "the file")
    names = _names(whole)
    for at, monologue in objects(whole.get("monologues"), "monologues"):
        speaker = _speaker(monologue, names)
        words = list(_words(builder, at, monologue, speaker))
        if words:
            add_words(builder, words)
        else:
            builder.skip(at)
    return builder.finish(encoding)


def _names(whole: JsonObject) -> dict[str, str]:
    """Return the names that people gave to speakers, by the speaker's number."""
    speakers = whole.get("speakers")
    named = [] if not isinstance(speakers, list) else [item for item in speakers if isinstance(item, dict)]
    found = {str(item.get("id")): speaker_of(item.get("name")) for item in named}
    return {key: name for key, name in found.items() if name is not None}


def _speaker(monologue: JsonObject, names: dict[str, str]) -> str | None:
    speaker = monologue.get("speaker")
    return names.get(str(speaker)) or speaker_of(speaker)


def _words(builder: TranscriptBuilder, at: int, monologue: JsonObject, speaker: str | None) -> Iterator[Word]:
    apart = True
    for position, element in objects(monologue.get("elements"), "elements"):
        text = text_of(element, position, "value")
        if text.strip():
            yield Word(
                at,
                text,
                speaker,
                time_ms(element.get("ts"), SECONDS, builder),
                time_ms(element.get("end_ts"), SECONDS, builder),
                glued=not apart and not text[0].isspace(),
            )
        apart = text[-1].isspace() if text else apart
