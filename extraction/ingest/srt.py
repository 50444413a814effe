"""SRT: numbered cues, speakers only as `Name: text`. Cues are read by `cues.py`, which says why no library does it.

Formatting tags and `{\\an8}`-like positions are stripped; any other angle bracket is text. A cue without a label has
no speaker, even after one with a label: who went on speaking is not written in the file.
"""

from __future__ import annotations

import re

from extraction.ingest.cues import read_cues
from extraction.ingest.limits import Limits
from extraction.ingest.speakers import split_turns
from extraction.ingest.transcript import Format, ReadTranscript, TranscriptBuilder
from extraction.ingest.wording import one_line, split_lines

_TAG = re.compile(r"</?(?:[ibus]|font)(?:\s[^<>\n]{0,200})?/?>|\{\\[a-zA-Z][^{}\n]{0,100}\}", re.IGNORECASE)


def read_srt(text: str, encoding: str, limits: Limits) -> ReadTranscript:
    """Return the transcript; IngestError for a broken timing or a file without words."""
    builder = TranscriptBuilder(Format.SRT, limits, place="line")
    for cue in read_cues(split_lines(text), named=False):
        spoken = [(number, _TAG.sub("", line)) for number, line in cue.lines]
        if not spoken:
            builder.skip(cue.line)
        for number, speaker, texts in split_turns(spoken):
            builder.add(number, speaker, one_line(" ".join(texts)), start_ms=cue.start_ms, end_ms=cue.end_ms)
    return builder.finish(encoding)
