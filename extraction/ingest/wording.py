"""What may be done to the characters of a transcript: control characters go, words stay as they are."""

from __future__ import annotations

import html
import re
import unicodedata

_LONG = 1_000_000
_SPACES = "\x0b\x0c\x1c\x1d\x1e\x1f\x85\u2028\u2029"
# NUL is left for the readers to refuse: a file that has one is not text.
_CONTROLS = [
    chr(code) for code in range(1, 0xA0) if unicodedata.category(chr(code)) == "Cc" and chr(code) not in "\t\n"
]
_TABLE = {ord(char): " " if char in _SPACES else None for char in {*_CONTROLS, *_SPACES}}
_TO_CLEAN = re.compile(f"[{re.escape(''.join(map(chr, _TABLE)))}]")
_ENTITY = re.compile(r"&(?:[A-Za-z][A-Za-z0-9]{1,31}|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});")

# Signs that force or embed a direction of writing and can make a line look like another.
_DIRECTIONS = re.compile("[\u202a-\u202e\u2066-\u2069]")


def turns_direction(text: str) -> bool:
    """Tell whether a sign in the text changes the direction in which it is shown. Such signs are kept."""
    return _DIRECTIONS.search(text) is not None


def without_controls(text: str) -> str:
    """Return the text without control characters; every line end becomes LF, other separators become spaces."""
    if _TO_CLEAN.search(text) is None:
        return text
    return text.replace("\r\n", "\n").replace("\r", "\n").translate(_TABLE)


def one_line(text: str) -> str:
    """Return the text with every run of white space as one space and none at its ends."""
    cleaned = without_controls(text)
    if len(cleaned) <= _LONG:
        return " ".join(cleaned.split())
    # Its words one by one would take twenty times the memory of a text that is too long anyhow.
    for space in {char for char in set(cleaned) if char.isspace()}:
        cleaned = cleaned.replace(space, " ")
    while "  " in cleaned:
        cleaned = cleaned.replace("  ", " ")
    return cleaned.strip()


def unescape_entities(text: str) -> str:
    """Return the text with complete character references resolved; a bare ampersand is left alone."""
    return _ENTITY.sub(lambda found: html.unescape(found.group()), text) if "&" in text else text


def split_lines(text: str) -> list[str]:
    """Return the lines as an editor numbers them, without control characters: only CR, LF and CRLF end a line."""
    return without_controls(text).split("\n")
