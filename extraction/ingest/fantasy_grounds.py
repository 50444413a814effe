"""A Fantasy Grounds chat log: one line a message, `Name: text` in a `<font>`, the result of a roll behind it.

Lines without a name are narration or notes of the program and have no speaker. The lines that say when a session
started are skipped and counted; its other times are not written in the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from extraction.ingest.limits import Limits
from extraction.ingest.markup import BLOCKS, Opened, Words, events
from extraction.ingest.speakers import split_label
from extraction.ingest.transcript import Format, ReadTranscript, TranscriptBuilder
from extraction.ingest.wording import one_line

_STARTED = re.compile(r"(?:Session|Chat log) started at [0-9][0-9 ./:-]{5,40}")


def read_fantasy_grounds(text: str, encoding: str, limits: Limits) -> ReadTranscript:
    """Return the transcript; IngestError for HTML that cannot be bounded or has no message with words."""
    builder = TranscriptBuilder(Format.FANTASY_GROUNDS_HTML, limits, place="line")
    for number, line in _lines(text):
        if _STARTED.fullmatch(line):
            builder.skip(number)
        elif line:
            speaker, spoken = split_label(line) or (None, line)
            builder.add(number, speaker, spoken)
    return builder.finish(encoding)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    number, parts = 1, list[str]()
    for event in events(text):
        if isinstance(event, Words):
            number = event.line + _lines_skipped(event.text) if not parts else number
            parts.extend([event.text] if parts or event.text.strip() else [])
        elif event.name in BLOCKS and (isinstance(event, Opened) or event.name != "br"):
            yield number, one_line("".join(parts))
            parts = []
    yield number, one_line("".join(parts))


def _lines_skipped(text: str) -> int:
    return text[: len(text) - len(text.lstrip())].count("\n")
