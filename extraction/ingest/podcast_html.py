"""The HTML transcript of podcasts: `<cite>` names the speaker, `<time>` the start, each `<p>` is what was said.

Further paragraphs below one name are by the same speaker; a time belongs to the first paragraph after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from extraction.ingest.clocks import CLOCK, clock_ms
from extraction.ingest.limits import MAX_INTEGER, Limits
from extraction.ingest.markup import BLOCKS, Opened, Words, events
from extraction.ingest.transcript import Format, ReadTranscript, TranscriptBuilder
from extraction.ingest.wording import one_line

_CLOCK = re.compile(CLOCK)
_LABELS = frozenset({"cite", "time"})


def read_podcast_html(text: str, encoding: str, limits: Limits) -> ReadTranscript:
    """Return the transcript; IngestError for HTML that cannot be bounded or has no words."""
    builder = TranscriptBuilder(Format.PODCAST_HTML, limits, place="line")
    speaker: str | None = None
    start_ms: int | None = None
    for kind, number, words in _blocks(text):
        if kind == "cite":
            speaker, start_ms = words.removesuffix(":").rstrip() or None, None
        elif kind == "time":
            start_ms = _time(words, builder)
        else:
            builder.add(number, speaker, words, start_ms=start_ms)
            start_ms = None
    return builder.finish(encoding)


def _blocks(text: str) -> Iterator[tuple[str, int, str]]:
    """Yield (kind, line, words) of each stretch of words between two borders of blocks."""
    inside: list[str] = []
    number, parts = 1, list[str]()
    for event in events(text):
        if isinstance(event, Words):
            number = event.line if not parts else number
            parts.append(event.text)
            continue
        if _is_border(event.name, inside):
            if words := one_line("".join(parts)):
                yield inside[-1] if inside and inside[-1] in _LABELS else "words", number, words
            parts = []
        if isinstance(event, Opened):
            inside.append(event.name)
        else:
            inside.pop()
    if words := one_line("".join(parts)):
        yield "words", number, words


def _is_border(name: str, inside: list[str]) -> bool:
    """A title or an hour inside a paragraph is part of what was said."""
    return name in BLOCKS or (name in _LABELS and "p" not in inside)


def _time(words: str, builder: TranscriptBuilder) -> int | None:
    found = clock_ms(words) if _CLOCK.fullmatch(words) else None
    if found is None or found > MAX_INTEGER:
        builder.doubt_time()
        return None
    return found
