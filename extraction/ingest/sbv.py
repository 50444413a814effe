"""SBV, the caption format YouTube lets people write: `0:00:01.000,0:00:02.500`, the words below, no numbers."""

from __future__ import annotations

import re

from extraction.ingest.cues import Timing, milliseconds, read_cues, timing_of
from extraction.ingest.limits import Limits
from extraction.ingest.speakers import split_turns
from extraction.ingest.transcript import Format, ReadTranscript, TranscriptBuilder
from extraction.ingest.wording import one_line, split_lines

_TIME = r"([0-9]{1,4}):([0-9]{1,2}):([0-5]?[0-9])\.([0-9]{1,3})"
_TIMING = re.compile(rf"\s*+{_TIME}\s*+,\s*+{_TIME}\s*+")
_BREAK = re.compile(r"\[br\]", re.IGNORECASE)


def sbv_timing(line: str, _number: int = 0) -> Timing | None:
    match = _TIMING.fullmatch(line)
    if match is None:
        return None
    return timing_of(milliseconds(match.groups()[:4]), milliseconds(match.groups()[4:]))


def read_sbv(text: str, encoding: str, limits: Limits) -> ReadTranscript:
    """Return the transcript; IngestError for a file without words."""
    builder = TranscriptBuilder(Format.SBV, limits, place="line")
    for cue in read_cues(split_lines(text), named=False, find_timing=sbv_timing):
        if cue.timing.doubtful:
            builder.doubt_time()
        if not cue.lines:
            builder.skip(cue.line)
        for number, speaker, texts in split_turns([(at, _BREAK.sub(" ", line)) for at, line in cue.lines]):
            spoken = one_line(" ".join(texts))
            builder.add(number, speaker, spoken, start_ms=cue.timing.start_ms, end_ms=cue.timing.end_ms)
    return builder.finish(encoding)
