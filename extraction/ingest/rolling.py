"""Captions that roll: a line moves up and is shown again while the next is spoken, as YouTube's automatic ones do.

Whether a file rolls is decided for the file as a whole, because in all others a line said twice was said twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from extraction.ingest.cues import Cue

_WORD_STAMP = re.compile(r"<(?:[0-9]{1,4}:)?[0-9]{1,2}:[0-9]{2}\.[0-9]{3}>\s*<c")
_BRIEF_MS = 100
_LEAST_ROLLS = 2


def unrolled(cues: list[Cue], shown_text: Callable[[str], str]) -> tuple[list[Cue], list[int]]:
    """Return the cues without the lines that only repeat what the cue before showed, and the numbers of those lines.

    `shown_text` gives what a reader sees of a line. A file that does not roll comes back as it is.
    """
    shown = [[text for _, line in cue.lines if (text := shown_text(line))] for cue in cues]
    repeats = [_repeated(cue, shown[at - 1], shown[at]) if at else 0 for at, cue in enumerate(cues)]
    if not _rolls(cues, shown, repeats):
        return cues, []
    kept: list[Cue] = []
    again: list[int] = []
    for at, cue in enumerate(cues):
        count = repeats[at]
        if count and count == len(shown[at]) and not _follows(cues[at - 1], cue):
            count = 0
        repeated = [number for number, _ in _first_shown(cue, count, shown_text)]
        again.extend(repeated)
        left = [(number, line) for number, line in cue.lines if number not in set(repeated)]
        if left or not repeated:
            kept.append(replace(cue, lines=left))
    return kept, again


def _repeated(cue: Cue, before: list[str], now: list[str]) -> int:
    """Return how many lines at the top of a cue are the last ones of the cue before."""
    if not now or not (cue.lines[0][0] == cue.line + 1 or _is_brief(cue)):
        # A blank upper row says that nothing has rolled up into it.
        return 0
    most = min(len(before), len(now))
    return next((count for count in range(most, 0, -1) if before[-count:] == now[:count]), 0)


def _rolls(cues: list[Cue], shown: list[list[str]], repeats: list[int]) -> bool:
    rolled = sum(
        count > 0 and (len(now) > count or _is_brief(cue)) for cue, now, count in zip(cues, shown, repeats, strict=True)
    )
    if any(_WORD_STAMP.search(line) for cue in cues for _, line in cue.lines):
        return rolled > 0
    pairs = sum(bool(now) for now in shown) - 1
    return rolled >= _LEAST_ROLLS and 2 * rolled >= pairs


def _first_shown(cue: Cue, count: int, shown_text: Callable[[str], str]) -> Iterator[tuple[int, str]]:
    for number, line in cue.lines:
        if count and shown_text(line):
            yield number, line
            count -= 1


def _is_brief(cue: Cue) -> bool:
    start_ms, end_ms = cue.timing.start_ms, cue.timing.end_ms
    return start_ms is not None and end_ms is not None and 0 <= end_ms - start_ms <= _BRIEF_MS


def _follows(before: Cue, cue: Cue) -> bool:
    end_ms, start_ms = before.timing.end_ms, cue.timing.start_ms
    return end_ms is not None and start_ms is not None and start_ms <= end_ms + _BRIEF_MS
