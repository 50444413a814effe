"""WebVTT: voices, comments and styles. Cues are read by `cues.py`, which says why no library does it.

`<v Name>` speaks until the next voice, its close or the end of the cue; several voices in one cue become several
units with the cue's times. Only tags that WebVTT knows are stripped, so `a < b` stays a sentence. Text outside any
voice is read for `Name: text` like plain text. Lines that rolling captions show again are left out and counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from extraction.codes import Code
from extraction.errors import IngestError
from extraction.ingest.cues import Cue, is_timing, read_cues
from extraction.ingest.limits import Limits
from extraction.ingest.rolling import unrolled
from extraction.ingest.speakers import habitual_labels, split_turns
from extraction.ingest.transcript import Format, ReadTranscript, TranscriptBuilder
from extraction.ingest.wording import one_line, split_lines, unescape_entities

_SIGNATURE = re.compile(r"WEBVTT(?:[ \t]+(?:-+[ \t]*)?(?P<title>.*))?")
_COMMENT = re.compile(r"NOTE(?:[ \t]|$)")
_SETTINGS = re.compile(r"(?:STYLE|REGION)[ \t]*$")
_TAG = re.compile(
    r"</?(?:c|i|b|u|ruby|rt|lang|font)(?:[.\s][^<>\n]{0,200})?>"
    r"|<(?:[0-9]{1,4}:)?[0-9]{1,2}:[0-9]{2}\.[0-9]{3}>"
)
_VOICE = re.compile(r"<v(?:\.[^\s<>]{0,100})?(?:[ \t]++(?P<name>[^<>\n]{0,400}))?>|(?P<close></v>)")


def read_webvtt(text: str, encoding: str, limits: Limits) -> ReadTranscript:
    """Return the transcript; a missing signature is forgiven, a broken timing and a file without words are not."""
    builder = TranscriptBuilder(Format.WEBVTT, limits, place="line")
    lines = split_lines(text)
    first, builder.title = _header(lines)
    if not any(is_timing(line) for line in lines) and any(line.strip() for line in lines[first:]):
        raise IngestError("The file has text but no cue times, so it is not WebVTT.", code=Code.INGEST_MALFORMED)
    _blank_out_notes(lines, first, builder)
    cues, again = unrolled(read_cues(lines, first, named=True), _shown)
    for number in again:
        builder.skip(number, Code.INGEST_SHOWN_AGAIN)
    known = habitual_labels(_shown(cue.lines[0][1]) for cue in cues if cue.lines)
    for cue in cues:
        if cue.timing.doubtful:
            builder.doubt_time()
        if not cue.lines:
            builder.skip(cue.line)
        for number, speaker, spoken in _turns(cue, known):
            builder.add(number, speaker, spoken, start_ms=cue.timing.start_ms, end_ms=cue.timing.end_ms)
    return builder.finish(encoding)


def _header(lines: list[str]) -> tuple[int, str | None]:
    """Return the index of the first line after the header block, and the title on the signature line."""
    signature = _SIGNATURE.fullmatch(lines[0])
    if signature is None:
        return 0, None
    end = 1
    while end < len(lines) and lines[end].strip() and "-->" not in lines[end]:
        end += 1
    return end, signature["title"]


def _blank_out_notes(lines: list[str], first: int, builder: TranscriptBuilder) -> None:
    """Empty the lines of comments, and of styles and regions above the first cue; each block counts as skipped."""
    in_block, after_blank, cue_seen = False, True, False
    for at in range(first, len(lines)):
        line = lines[at]
        timing = is_timing(line)
        cue_seen = cue_seen or timing
        if not line.strip() or timing:
            in_block = False
        elif after_blank and (_COMMENT.match(line) or (not cue_seen and _SETTINGS.match(line))):
            in_block = True
            builder.skip(at + 1)
        after_blank = not line.strip()
        if in_block:
            lines[at] = ""


def _turns(cue: Cue, known: frozenset[str]) -> Iterator[tuple[int, str | None, str]]:
    for voice, lines in _voices(cue):
        clean = [(number, _words(line)) for number, line in lines]
        spoken = [(number, line) for number, line in clean if line.strip()]
        if voice and spoken:
            yield spoken[0][0], voice, one_line(" ".join(line for _, line in spoken))
        elif spoken:
            for number, speaker, texts in split_turns(spoken, known):
                yield number, speaker, one_line(" ".join(texts))


def _words(line: str) -> str:
    # Tags part character references, so that the pieces of two never become a third.
    return "".join(unescape_entities(piece) for piece in _TAG.split(line))


def _shown(line: str) -> str:
    return one_line(_words(line))


def _voices(cue: Cue) -> list[tuple[str, list[tuple[int, str]]]]:
    """Return the cue's lines cut at its voice tags, each stretch with the voice that speaks it or an empty name."""
    stretches: list[tuple[str, list[tuple[int, str]]]] = [("", [])]
    for number, line in cue.lines:
        start = 0
        for tag in _VOICE.finditer(line):
            stretches[-1][1].append((number, line[start : tag.start()]))
            stretches.append((one_line(unescape_entities(tag["name"] or "")), []))
            start = tag.end()
        stretches[-1][1].append((number, line[start:]))
    return stretches
