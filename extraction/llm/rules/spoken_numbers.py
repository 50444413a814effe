"""Numbers as they stand in a transcript: "19", "nineteen", "twenty-two"."""

from __future__ import annotations

_UNITS = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_VALUES = {word: value for value, word in enumerate(_UNITS)} | {
    word: 10 * value for value, word in enumerate(_TENS, start=2)
}

_DIGIT = "|".join(_UNITS[1:10])
_TEN = "|".join(_TENS)
NUMBER = rf"(?:\d{{1,3}}|(?:{_TEN})(?:[- ](?:{_DIGIT}))?|{'|'.join(reversed(_UNITS))})"
"""A pattern for one spoken number, for use between word boundaries in lower-case text."""


def value_of(spoken: str) -> int:
    """Return the value of what NUMBER matched."""
    if spoken.isdigit():
        return int(spoken)
    return sum(_VALUES[part] for part in spoken.replace("-", " ").split())
