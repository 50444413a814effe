"""Loops of a recogniser that lost the speech: the same words again and again. They are counted, never taken out."""

from __future__ import annotations

from collections.abc import Sequence

from extraction.source.documents import SourceUnit

_LEAST_PHRASES = 4
_LEAST_WORDS = 6
_LONGEST_PERIOD = 2
_LONGEST_PHRASE = 12
_LEAST_IN_ONE = 24
_SHARE_IN_ONE = 0.8


def repeated_units(units: Sequence[SourceUnit]) -> int:
    """Return how many units are part of a loop.

    A loop is a unit, or two in turn, said at least four times without a break by the same speakers; six times for a
    single word, which people do repeat. A long unit that says one phrase over and over is one by itself.
    """
    said = [(unit.speaker, " ".join(unit.text.casefold().split())) for unit in units]
    in_loop = [_loops_by_itself(text) for _, text in said]
    for period in range(1, _LONGEST_PERIOD + 1):
        start = 0
        for at in range(period, len(said) + 1):
            if at < len(said) and said[at] == said[at - period]:
                continue
            first, end = start, at
            start = at - period + 1
            needed = _LEAST_PHRASES if any(" " in text for _, text in said[first : first + period]) else _LEAST_WORDS
            if end - first >= needed * period:
                in_loop[first:end] = [True] * (end - first)
    return sum(in_loop)


def _loops_by_itself(text: str) -> bool:
    words = text.split()
    if len(words) < _LEAST_IN_ONE:
        return False
    return any(
        sum(now == before for now, before in zip(words[period:], words, strict=False))
        >= _SHARE_IN_ONE * (len(words) - period)
        for period in range(1, _LONGEST_PHRASE + 1)
        if len(words) >= _LEAST_PHRASES * period
    )
