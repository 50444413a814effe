"""Text exports with a line `Name  0:01` above the words of each turn, as Otter, Teams and Word write them.

What these programs add above the first turn and below the last one is skipped and counted, if they say it is theirs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from extraction.ingest.limits import Limits
from extraction.ingest.name_lines import NameLine, timed_name_lines
from extraction.ingest.text import read_text
from extraction.ingest.transcript import Format, ReadTranscript, TranscriptBuilder
from extraction.ingest.wording import one_line, split_lines

_OTTER_HEAD = re.compile(r"\s*(?:SUMMARY KEYWORDS|SPEAKERS)\s*")
_TEAMS_NOTE = re.compile(r"\s*\S.{0,80} (?:started|stopped) transcription\s*")
_OTTER_NOTE = re.compile(r"\s*Transcribed by https://otter\.ai/?\s*")
_LONGEST_NOTE = 200


def read_headed_text(text: str, encoding: str, limits: Limits) -> ReadTranscript:
    """Return the transcript; a text without lines that name speakers is read as plain text."""
    lines = split_lines(text)
    heads = timed_name_lines(lines)
    if not heads:
        return read_text(text, encoding, limits)
    builder = TranscriptBuilder(Format.HEADED_TEXT, limits, place="line")
    _blank_out_notes(lines, heads, builder)
    _add_paragraphs(lines[: next(iter(heads))], builder)
    ends = [*list(heads)[1:], len(lines)]
    for (at, head), end in zip(heads.items(), ends, strict=True):
        spoken = one_line(" ".join(lines[at + 1 : end]))
        builder.add(at + 1, head.speaker, spoken, start_ms=head.start_ms, end_ms=head.end_ms)
    return builder.finish(encoding)


def _blank_out_notes(lines: list[str], heads: Mapping[int, NameLine], builder: TranscriptBuilder) -> None:
    first = next(iter(heads))
    ours = any(len(line) < _LONGEST_NOTE and _is_head_note(line) for line in lines[:first])
    for at, line in enumerate(lines):
        note = len(line) < _LONGEST_NOTE and (_TEAMS_NOTE.fullmatch(line) or _OTTER_NOTE.fullmatch(line))
        if line.strip() and ((ours and at < first) or note):
            builder.skip(at + 1)
            lines[at] = ""


def _is_head_note(line: str) -> bool:
    return _OTTER_HEAD.fullmatch(line) is not None or _TEAMS_NOTE.fullmatch(line) is not None


def _add_paragraphs(lines: list[str], builder: TranscriptBuilder) -> None:
    start = 0
    for at in range(len(lines) + 1):
        if at < len(lines) and lines[at].strip():
            continue
        if at > start:
            builder.add(start + 1, None, one_line(" ".join(lines[start:at])))
        start = at + 1
