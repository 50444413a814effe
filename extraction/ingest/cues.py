"""Timed cues, as WebVTT and SRT share them, read without losing a word.

Own code rather than pysubs2 or webvtt-py: pysubs2 drops a bare number that ends a file's last cue and anything in
angle brackets, and webvtt-py drops text after a blank line inside a cue and begins a new block at a spoken `-->`.
Here only a line that really is a timing begins a cue; every other line is somebody's words, except the identifier
directly above a timing. A time that is negative, no number or too large is left out and makes its cue doubtful.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from extraction.codes import Code
from extraction.errors import IngestError
from extraction.ingest.limits import MAX_INTEGER

_TIME = r"(?:([0-9]{1,4}):)?([0-9]{1,2}):([0-5]?[0-9])(?:[.,]([0-9]{1,3})[0-9]{0,6})?"
_TIMING = re.compile(rf"\s*+{_TIME}\s*+-->\s*+{_TIME}(?:\s|$)")
# Negative times and the "NaN:NaN:NaN,NaN" that scripts write for a number they lost.
_NO_TIME = r"-[0-9]{1,4}(?::-?[0-9]{1,2}){1,2}(?:[.,]-?[0-9]{1,9})?|NaN(?:[:.,]NaN){0,3}"
_ODD_SIDE = rf"({_NO_TIME}|(?:[0-9]{{1,4}}:)?[0-9]{{1,2}}:[0-5]?[0-9](?:[.,][0-9]{{1,9}})?)"
_ODD_TIMING = re.compile(rf"\s*+{_ODD_SIDE}\s*+-->\s*+{_ODD_SIDE}(?:\s|$)", re.IGNORECASE)
_ONE_TIME = re.compile(_TIME)
_BROKEN_TIMING = re.compile(r"\s*+-?[0-9]++(?:[:.,][0-9:.,-]*+\s*+-->|\s*+-->\s*+[0-9]++\s*+$)")
_COUNTER = re.compile(r"\s*+([0-9]{1,9})\s*+")
_GUID = re.compile(r"\s*+\{?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?(?:/[0-9-]{1,30})?\s*+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Timing:
    """When a cue is shown. `doubtful`: a time was written that is none, and is left out."""

    start_ms: int | None
    end_ms: int | None
    doubtful: bool = False


@dataclass(frozen=True, slots=True)
class Cue:
    """A timing and the numbered lines below it; both times are None for lines above the first timing."""

    line: int
    timing: Timing
    lines: list[tuple[int, str]]


FindTiming: TypeAlias = Callable[[str, int], Timing | None]
"""From a line and its number to the timing it holds, if it holds one."""


def is_timing(line: str) -> bool:
    return "-->" in line and (_TIMING.match(line) is not None or _ODD_TIMING.match(line) is not None)


def arrow_timing(line: str, number: int) -> Timing | None:
    """Return the timing of a line like `00:01.000 --> 00:02.000`.

    Raises IngestError for a line that starts like a timing and is none.
    """
    if "-->" not in line:
        return None
    match = _TIMING.match(line)
    if match is not None:
        return timing_of(milliseconds(match.groups()[:4]), milliseconds(match.groups()[4:]))
    odd = _ODD_TIMING.match(line)
    if odd is not None:
        return Timing(_readable(odd[1]), _readable(odd[2]), doubtful=True)
    if _BROKEN_TIMING.match(line) is None:
        return None
    raise IngestError(f"The times of the cue in line {number} cannot be read.", code=Code.INGEST_MALFORMED)


def timing_of(start_ms: int, end_ms: int) -> Timing:
    """Return the timing without a time that is larger than any recording."""
    return Timing(
        start_ms if start_ms <= MAX_INTEGER else None,
        end_ms if end_ms <= MAX_INTEGER else None,
        doubtful=max(start_ms, end_ms) > MAX_INTEGER,
    )


def read_cues(
    lines: Sequence[str], first: int = 0, *, named: bool, find_timing: FindTiming = arrow_timing
) -> list[Cue]:
    """Return the cues from line index `first` on; lines above the first timing form a cue without times.

    `named`: a line between a blank one and a timing is an identifier. A number or a GUID directly above a timing is
    an identifier wherever the file's first cue has such a one.
    """
    timed = {at: found for at in range(first, len(lines)) if (found := find_timing(lines[at], at + 1)) is not None}
    ends = list(_ends(lines, timed, first, named=named))
    ends.append(len(lines))
    lead = Cue(first + 1, Timing(None, None), _content(lines, first, ends[0]))
    cues = [lead] if lead.lines else []
    for (at, timing), end in zip(timed.items(), ends[1:], strict=True):
        cues.append(Cue(at + 1, timing, _content(lines, at + 1, end)))
    return cues


def _ends(lines: Sequence[str], timed: Mapping[int, Timing], first: int, *, named: bool) -> Iterable[int]:
    """Yield for each timing the index of the line at which what stands above it ends."""
    top = next(iter(timed), first)
    top_name = lines[top - 1] if top > first else ""
    counted, by_guid = _COUNTER.fullmatch(top_name) is not None, _GUID.fullmatch(top_name) is not None
    count, before = None, first - 1
    for at in timed:
        above = at - 1
        text = lines[above].strip() if above >= first and above not in timed else ""
        after_blank = above - 1 < first or not lines[above - 1].strip()
        counter = _COUNTER.fullmatch(text) if counted else None
        if counter is not None:
            # A number that breaks the count right below somebody's words belongs to them.
            number = int(counter[1])
            is_name = after_blank or above - 1 in timed or count is None or number == count + 1
            count = number if is_name else count
        else:
            habit = bool(top_name.strip()) or any(lines[each].strip() for each in range(before + 1, above))
            is_name = bool(text) and (
                (by_guid and _GUID.fullmatch(text) is not None) or (named and after_blank and habit)
            )
        yield above if is_name else at
        before = at


def _content(lines: Sequence[str], start: int, end: int) -> list[tuple[int, str]]:
    return [(at + 1, lines[at]) for at in range(start, end) if lines[at].strip()]


def _readable(written: str) -> int | None:
    match = _ONE_TIME.fullmatch(written)
    found = milliseconds(match.groups()) if match is not None else None
    return None if found is None or found > MAX_INTEGER else found


def milliseconds(groups: Sequence[str | None]) -> int:
    """Return the time of hours, minutes, seconds and a fraction; what is None counts as zero."""
    hours, minutes, seconds, fraction = groups
    whole = (int(hours or 0) * 60 + int(minutes or 0)) * 60 + int(seconds or 0)
    return whole * 1000 + int((fraction or "0").ljust(3, "0"))
