"""Text of others written into Markdown so that it stays text: no markup, no link, no tag, no block of its own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

from campaigns.exports.files import safe_name

# What begins markup anywhere in a line; entities and tags are written as entities, which every reader shows.
SIGNS = re.compile(r"([\\`*_{}\[\]|~=$%^#@])")
# What makes a link of a bare address, and a field of `key:: value`.
ADDRESS = re.compile(r"(?<=:):|:(?=//)|(?<=www)\.", re.IGNORECASE)
LINE_START = re.compile(r"^([-+]|\d+(?=[.)]))")
UNPRINTABLE = re.compile(r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
SURROGATES = re.compile(r"[\ud800-\udfff]")


def plain(text: str) -> str:
    """Return the text in one line, as nothing but text."""
    line = " ".join(text.split())
    escaped = SIGNS.sub(r"\\\1", line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))
    return LINE_START.sub(_start, ADDRESS.sub(r"\\\g<0>", escaped))


def link(path: str, text: str = "", *, block: str = "", in_table: bool = False) -> str:
    """Return a wikilink to a note, or to a block of it, shown as the text."""
    bar = r"\|" if in_table else "|"
    shown = f"{bar}{safe_name(text)}" if text else ""
    return f"[[{path}{f'#^{block}' if block else ''}{shown}]]"


def front_matter(fields: Iterable[tuple[str, str | int | Sequence[str] | Sequence[int] | None]]) -> str:
    """Return the fields as YAML: each value as JSON, which YAML reads as it is."""
    lines = [f"{name}: {_yaml(value)}" for name, value in fields]
    return "\n".join(["---", *lines, "---", ""])


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table; cells are Markdown already. Nothing where there are no rows."""
    body = [f"| {' | '.join(row)} |" for row in rows]
    return [f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}", *body, ""] if body else []


def _start(found: re.Match[str]) -> str:
    sign = found.group()
    # A number and its dot begin a list; the sign after it is what can be escaped.
    return f"{sign}\\" if sign.isdigit() else f"\\{sign}"


def _yaml(value: str | int | Sequence[str] | Sequence[int] | None) -> str:
    # Obsidian makes a link of two brackets in a property too.
    text = json.dumps(value, ensure_ascii=False).replace("[[", "[ [").replace("<", "\\u003c")
    return SURROGATES.sub("\ufffd", UNPRINTABLE.sub(lambda found: f"\\u{ord(found.group()):04x}", text))
