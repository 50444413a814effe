"""How names and words are compared: without case and accents, and a name without the article before it."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from extraction.identity import comparison_key

ARTICLES = re.compile(r"^(?:the|a|an) ")


def plain(text: str) -> str:
    """Return the text without case and accents."""
    if text.isascii():
        return text.casefold()
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(letter for letter in folded if not unicodedata.combining(letter))


@lru_cache(maxsize=50_000)
def name_key(name: str) -> str:
    """Return what two spellings of one name have in common; empty where nothing is left."""
    return ARTICLES.sub("", plain(comparison_key(name)))
