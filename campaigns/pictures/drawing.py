"""A picture and the few marks it is made of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from html import escape

# A list rather than one family: whoever draws the file takes the first that the machine has.
FONTS = "Noto Sans, DejaVu Sans, Liberation Sans, Arial, Helvetica, sans-serif"
TEXT = 13
SMALL = 11
PAPER = "#ffffff"
# Signs of an average face are this wide, in parts of the font's size; a file's reader may have any font.
SIGN, WIDE_SIGN = 0.56, 1.05
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Tone(Enum):
    """A colour by its use: the class on a page, and what a file shows."""

    INK = "#23292e"
    QUIET = "#5a646c"
    RULE = "#d9d3c5"
    BAND = "#f3f0e8"
    MARK = "#1f5a74"
    ACCENT = "#b97d10"

    @property
    def sign(self) -> str:
        return f"p-{self.name.lower()}"


@dataclass(frozen=True, slots=True)
class Table:
    """What the picture shows, for people who cannot or do not want to look at it."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawn picture. `name` is made of letters and hyphens alone: it stands in ids and addresses."""

    name: str
    title: str
    description: str
    width: int
    height: int
    body: str
    table: Table

    def inline(self) -> str:
        """Return the SVG for a page, which has its own paper."""
        return self._svg(self.body)

    def file(self) -> str:
        """Return the SVG as a file of its own, on white."""
        paper = element("rect", width=self.width, height=self.height, fill=PAPER)
        return '<?xml version="1.0" encoding="UTF-8"?>\n' + self._svg(paper + self.body)

    def _svg(self, body: str) -> str:
        label, more = f"{self.name}-title", f"{self.name}-desc"
        told = element("title", escaped(self.title), id=label) + element("desc", escaped(self.description), id=more)
        return element(
            "svg",
            told + body,
            xmlns="http://www.w3.org/2000/svg",
            class_="picture",
            role="img",
            aria_labelledby=f"{label} {more}",
            viewBox=f"0 0 {self.width} {self.height}",
            width=self.width,
            height=self.height,
            font_family=FONTS,
            font_size=TEXT,
        )


def escaped(said: str) -> str:
    """Return the text for use in SVG; signs that XML does not have are left out."""
    return escape(NOT_XML.sub("", said))


def element(tag: str, content: str = "", /, **attributes: str | float | None) -> str:
    """Return one element around content that is SVG already. `class_` is `class`, other underscores are hyphens."""
    given = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escaped(_written(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    return f"<{tag}{given}>{content}</{tag}>" if content else f"<{tag}{given}/>"


def filled(tag: str, tone: Tone, content: str = "", /, **attributes: str | float | None) -> str:
    return element(tag, content, class_=tone.sign, fill=tone.value, **attributes)


def stroked(tag: str, tone: Tone, width: float = 1, **attributes: str | float | None) -> str:
    return element(tag, class_=f"{tone.sign}-line", fill="none", stroke=tone.value, stroke_width=width, **attributes)


def words(
    x: float,
    y: float,
    said: str,
    *,
    tone: Tone = Tone.INK,
    size: float = TEXT,
    anchor: str | None = None,
    room: float | None = None,
    turned: float | None = None,
) -> str:
    """Return a line of text from (x, y); cut to `room`, it still tells the whole when pointed at."""
    shown = said if room is None else fit(said, room, size)
    whole = element("title", escaped(said)) if shown != said else ""
    return filled(
        "text",
        tone,
        whole + escaped(shown),
        x=x,
        y=y,
        font_size=None if size == TEXT else size,
        text_anchor=anchor,
        transform=None if not turned else f"rotate({_written(turned)} {_written(x)} {_written(y)})",
    )


def width_of(said: str, size: float = TEXT) -> float:
    """Return about how wide the text is."""
    return size * sum(WIDE_SIGN if ord(sign) > 0x2E80 else SIGN for sign in said)


def fit(said: str, room: float, size: float = TEXT) -> str:
    """Return the text, cut with an ellipsis where it is wider than the room."""
    if width_of(said, size) <= room:
        return said
    kept = said
    while kept and width_of(kept + "…", size) > room:
        kept = kept[:-1]
    return kept.rstrip() + "…"


def names_of(names: Sequence[str], most: int = 5) -> str:
    """Return the names as a phrase: all of a few, the first of many."""
    shown, rest = list(names[:most]), len(names) - most
    if rest > 0:
        return f"{', '.join(shown)} and {rest} more"
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1] if shown else "")))


def _written(value: str | float) -> str:
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return str(value)
