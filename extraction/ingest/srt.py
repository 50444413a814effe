"""SRT: numbered cues, speakers only as `Name: text`. Cues are read by `cues.py`, which says why no library does it.

Formatting tags and `{\\an8}`-like positions are stripped; any other angle bracket is text. A cue without a label has
no speaker, even after one with a label: who went on speaking is not written in the file. Teams writes the speaker on
a line of its own below the times; that is believed where every cue of the file begins with such a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from extraction.codes import Code
from extraction.ingest.cues import Cue, read_cues
from extraction.ingest.limits import Limits
from extraction.ingest.rolling import unrolled
from extraction.ingest.speakers import habitual_labels, is_speaker_label, normalise_label, split_label, split_turns
from extraction.ingest.transcript import Format, ReadTranscript, TranscriptBuilder
from extraction.ingest.wording import one_line, split_lines

_TAG = re.compile(r"</?(?:[ibus]|font)(?:\s[^<>\n]{0,200})?/?>|\{\\[a-zA-Z][^{}\n]{0,100}\}", re.IGNORECASE)

_LEAST_HEADED = 4


def read_srt(text: str, encoding: str, limits: Limits) -> ReadTranscript:
    """Return the transcript; IngestError for a broken timing or a file without words."""
    builder = TranscriptBuilder(Format.SRT, limits, place="line")
    cues, again = unrolled(read_cues(split_lines(text), named=False), _shown)
    for number in again:
        builder.skip(number, Code.INGEST_SHOWN_AGAIN)
    known = habitual_labels(_shown(cue.lines[0][1]) for cue in cues if cue.lines)
    headed = _begin_with_names(cues)
    for cue in cues:
        if cue.timing.doubtful:
            builder.doubt_time()
        if not cue.lines:
            builder.skip(cue.line)
        for number, speaker, spoken in _headed_turn(cue) if headed else _turns(cue, known):
            builder.add(number, speaker, spoken, start_ms=cue.timing.start_ms, end_ms=cue.timing.end_ms)
    return builder.finish(encoding)


def _shown(line: str) -> str:
    return one_line(_TAG.sub("", line))


def _turns(cue: Cue, known: frozenset[str]) -> Iterator[tuple[int, str | None, str]]:
    for number, speaker, texts in split_turns([(number, _TAG.sub("", line)) for number, line in cue.lines], known):
        yield number, speaker, one_line(" ".join(texts))


def _headed_turn(cue: Cue) -> Iterator[tuple[int, str | None, str]]:
    if cue.lines:
        yield (
            cue.lines[1][0],
            normalise_label(_shown(cue.lines[0][1])),
            _shown(" ".join(line for _, line in cue.lines[1:])),
        )


def _begin_with_names(cues: list[Cue]) -> bool:
    """Tell whether each cue has a name on a line of its own: few names, each above some words, none with a colon."""
    filled = [cue for cue in cues if cue.lines]
    names = [_shown(cue.lines[0][1]) for cue in filled]
    return (
        len(filled) >= _LEAST_HEADED
        and 2 * len(set(names)) <= len(names)
        and all(len(cue.lines) > 1 and cue.timing.start_ms is not None for cue in filled)
        and all(is_speaker_label(name) and split_label(name) is None for name in names)
    )
