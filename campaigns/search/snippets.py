"""A few words around what was found, marked, as HTML that holds nothing but those marks."""

from __future__ import annotations

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from campaigns.search.queries import Query
from campaigns.search.words import Word, words_of

BEFORE = 60
LONGEST = 240
ELLIPSIS = "…"


def snippet(text: str, query: Query) -> SafeString:
    """Return the text around the first word that was found; all of it where it is short."""
    words = list(words_of(text))
    marked = sorted(query.marks(words))
    first, last = _window(text, words, marked)
    pieces, at = [ELLIPSIS if first else ""], first
    for each in marked:
        word = words[each]
        if word.start < at or word.end > last:
            continue
        pieces += [escape(text[at : word.start]), "<mark>", escape(text[word.start : word.end]), "</mark>"]
        at = word.end
    pieces += [escape(text[at:last]), ELLIPSIS if last < len(text) else ""]
    return mark_safe("".join(pieces))  # noqa: S308 - every piece of text was escaped just above; the marks are ours


def _window(text: str, words: list[Word], marked: list[int]) -> tuple[int, int]:
    """Return where the snippet starts and ends: at whole words, the first mark near its start."""
    if len(text) <= LONGEST:
        return 0, len(text)
    around = words[marked[0]].start if marked else 0
    wanted = max(min(around - BEFORE, len(text) - LONGEST), 0)
    starts = [word.start for word in words if wanted <= word.start <= around]
    first = (starts[0] if starts else wanted) if wanted else 0
    ends = [word.end for word in words if around < word.end <= first + LONGEST]
    return first, ends[-1] if ends and first + LONGEST < len(text) else min(first + LONGEST, len(text))
