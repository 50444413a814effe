"""HTML as a balanced stream of elements and words: one pass, bounded in depth, scripts and styles left out.

Own code, as html.parser of the standard library needs minutes for 160 kB of unclosed tags and no other parser is
installed. It knows what logs need: attributes of classes, void elements, implied ends, character references.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from extraction.codes import Code
from extraction.errors import IngestError
from extraction.ingest.wording import unescape_entities

MAX_DEPTH = 200

_TAG = re.compile(
    r"<(?P<close>/?)(?P<name>[a-zA-Z][a-zA-Z0-9:-]{0,40}+)(?P<attributes>(?:[\s/](?:[^<>\"']++|\"[^\"]*+\"|'[^']*+')*+)?+)>"
)
_DECLARATION = re.compile(r"<[!?][^<>]*+>")
_CLASS = re.compile(r"(?<![^\s/\"'])class\s*=\s*(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'>]++))", re.IGNORECASE)
_END_OF = {name: re.compile(f"</{name}[^<>]*>", re.IGNORECASE) for name in ("script", "style")}
_VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"]
)
_DROPPED = frozenset(
    [
        "head",
        "title",
        "noscript",
        "template",
        "svg",
        "iframe",
        "object",
        "button",
        "select",
        "textarea",
        "audio",
        "video",
    ]
)
# An element of these kinds ends one of the same group that is open directly above it.
_ENDS_BEFORE = {"p": "p", "li": "li", "tr": "tr", "td": "td th", "th": "td th", "dt": "dt dd", "dd": "dt dd"}
_ENDS_P = frozenset(
    [
        "div",
        "p",
        "ul",
        "ol",
        "table",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "blockquote",
        "pre",
        "section",
        "article",
        "hr",
    ]
)
BLOCKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "br",
        "caption",
        "dd",
        "div",
        "dl",
        "dt",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "html",
        "li",
        "main",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "ul",
    ]
)


@dataclass(frozen=True, slots=True)
class Opened:
    line: int
    name: str
    classes: frozenset[str]


@dataclass(frozen=True, slots=True)
class Closed:
    name: str


@dataclass(frozen=True, slots=True)
class Words:
    line: int
    text: str


Event: TypeAlias = Opened | Closed | Words


def events(text: str) -> Iterator[Event]:
    """Yield elements and words in order; each `Opened` has its `Closed`, also for void elements.

    Raises IngestError for a comment, script or style that is never closed, and for elements nested too deep.
    """
    tree = _Tree()
    kept = at = line = counted = 0
    while (sign := text.find("<", at)) >= 0:
        tag = _TAG.match(text, sign)
        other = None if tag is not None else _declaration_end(text, sign)
        if tag is None and other is None:
            at = sign + 1
            continue
        if sign > kept:
            yield from tree.words(line + 1, text[kept:sign])
        line, counted = line + text.count("\n", counted, sign), sign
        if tag is not None:
            yield from tree.tag(line + 1, tag)
        kept = at = _after(other, line + 1) if tag is None else _after(_content_end(text, tag), line + 1)
        line, counted = line + text.count("\n", counted, at), at
    if kept < len(text):
        yield from tree.words(line + 1, text[kept:])
    yield from tree.end()


def _declaration_end(text: str, sign: int) -> int | None:
    """Return where a comment or declaration ends, -1 for a comment that does not, None for neither."""
    if text.startswith("<!--", sign):
        end = text.find("-->", sign + 4)
        return end + 3 if end >= 0 else -1
    declaration = _DECLARATION.match(text, sign)
    return declaration.end() if declaration is not None else None


def _content_end(text: str, tag: re.Match[str]) -> int:
    """Return where to go on after a tag: behind the end of a script or style, -1 if there is none."""
    end_of = _END_OF.get(tag["name"].lower()) if not tag["close"] else None
    if end_of is None:
        return tag.end()
    end = end_of.search(text, tag.end())
    return end.end() if end is not None else -1


def _after(found: int | None, line: int) -> int:
    if found is None or found < 0:
        raise IngestError(f"A comment, script or style in line {line} is never closed.", code=Code.INGEST_MALFORMED)
    return found


class _Tree:
    """The elements that are open. What stands inside a dropped one is not passed on."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self._dropped_from: int | None = None

    def words(self, line: int, text: str) -> Iterator[Event]:
        if self._dropped_from is None:
            yield Words(line, unescape_entities(text))

    def tag(self, line: int, tag: re.Match[str]) -> Iterator[Event]:
        name = tag["name"].lower()
        if name in _END_OF:
            return
        if tag["close"]:
            yield from self._close(name)
            return
        yield from self._imply_ends(name)
        if len(self._open) >= MAX_DEPTH:
            raise IngestError(
                f"The HTML is nested deeper than {MAX_DEPTH} elements in line {line}; no log needs that.",
                code=Code.INGEST_TOO_DEEP,
            )
        if self._dropped_from is None and name in _DROPPED:
            self._dropped_from = len(self._open)
        self._open.append(name)
        if self._dropped_from is None:
            yield Opened(line, name, _classes(tag["attributes"]))
        if name in _VOID:
            yield from self._pop()

    def end(self) -> Iterator[Event]:
        while self._open:
            yield from self._pop()

    def _imply_ends(self, name: str) -> Iterator[Event]:
        if name == "body":
            yield from self._close("head")
        if not self._open:
            return
        top = self._open[-1]
        if top in _ENDS_BEFORE.get(name, "").split() or (top == "p" and name in _ENDS_P):
            yield from self._pop()

    def _close(self, name: str) -> Iterator[Event]:
        """Close the nearest such element and all in it; an end that has no beginning is passed over."""
        if name not in self._open:
            return
        while self._open[-1] != name:
            yield from self._pop()
        yield from self._pop()

    def _pop(self) -> Iterator[Event]:
        name = self._open.pop()
        if self._dropped_from is None:
            yield Closed(name)
        elif len(self._open) == self._dropped_from:
            self._dropped_from = None


def _classes(attributes: str) -> frozenset[str]:
    found = _CLASS.search(attributes) if attributes else None
    if found is None:
        return frozenset()
    return frozenset(next(value for value in found.groups() if value is not None).split())
