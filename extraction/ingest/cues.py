"""Timed cues, as WebVTT and SRT share them, read without losing a word.

Own code rather than pysubs2 or webvtt-py: pysubs2 drops a bare number that ends a file's last cue and anything in
angle brackets, and webvtt-py drops text after a blank line inside a cue and begins a new block at a spoken `-->`.
Here only a line that really is a timing begins a cue; every other line is somebody's words, except the identifier
directly above a timing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from extraction.codes import Code
from extraction.errors import IngestError

_TIME = r"(?:([0-9]{1,4}):)?([0-9]{1,2}):([0-5]?[0-9])(?:[.,]([0-9]{1,3})[0-9]{0,6})?"
_TIMING = re.compile(rf"\s*+{_TIME}\s*+-->\s*+{_TIME}(?:\s|$)")
_BROKEN_TIMING = re.compile(r"\s*+-?[0-9][0-9:.,-]*+\s*+-->")
_COUNTER = re.compile(r"\s*+[0-9]{1,9}\s*+")


@dataclass(frozen=True, slots=True)
class Cue:
    """A timing and the numbered lines below it; both times are None for lines above the first timing."""

    line: int
    start_ms: int | None
    end_ms: int | None
    lines: list[tuple[int, str]]


def is_timing(line: str) -> bool:
    return "-->" in line and _TIMING.match(line) is not None


def read_cues(lines: Sequence[str], first: int = 0, *, named: bool) -> list[Cue]:
    """Return the cues from line index `first` on; lines above the first timing form a cue without times.

    `named`: a line between a blank one and a timing is an identifier. A number directly above a timing is a counter
    wherever the file's first cue has one. Raises IngestError for a line that starts like a timing and is none.
    """
    timed = {at: found for at in range(first, len(lines)) if (found := _timing(lines[at], at + 1)) is not None}
    top = next(iter(timed), first)
    counted = top > first and _COUNTER.fullmatch(lines[top - 1]) is not None
    ends = [at - _has_name(lines, at, first, named=named, counted=counted) for at in timed]
    ends.append(len(lines))
    lead = Cue(first + 1, None, None, _content(lines, first, ends[0]))
    cues = [lead] if lead.lines else []
    for (at, (start_ms, end_ms)), end in zip(timed.items(), ends[1:], strict=True):
        cues.append(Cue(at + 1, start_ms, end_ms, _content(lines, at + 1, end)))
    return cues


def _timing(line: str, number: int) -> tuple[int, int] | None:
    """Return start and end in milliseconds, or None for a line that is no timing."""
    if "-->" not in line:
        return None
    match = _TIMING.match(line)
    if match is not None:
        return _milliseconds(match.groups()[:4]), _milliseconds(match.groups()[4:])
    if _BROKEN_TIMING.match(line) is None:
        return None
    if "-" in line.partition("-->")[0]:
        raise IngestError(f"The cue in line {number} has a negative time.", code=Code.INGEST_TIMES)
    raise IngestError(f"The times of the cue in line {number} cannot be read.", code=Code.INGEST_MALFORMED)


def _has_name(lines: Sequence[str], timing: int, first: int, *, named: bool, counted: bool) -> bool:
    if timing - 1 < first or is_timing(lines[timing - 1]):
        return False
    above = lines[timing - 1]
    if counted and _COUNTER.fullmatch(above):
        return True
    after_blank = timing - 2 < first or not lines[timing - 2].strip()
    return named and after_blank and bool(above.strip())


def _content(lines: Sequence[str], start: int, end: int) -> list[tuple[int, str]]:
    return [(at + 1, lines[at]) for at in range(start, end) if lines[at].strip()]


def _milliseconds(groups: Sequence[str | None]) -> int:
    hours, minutes, seconds, fraction = groups
    whole = (int(hours or 0) * 60 + int(minutes or 0)) * 60 + int(seconds or 0)
    return whole * 1000 + int((fraction or "0").ljust(3, "0"))
