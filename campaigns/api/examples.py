"""Examples to copy: each a thing to do, in three languages. The tests run every one of them as it stands."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from django.conf import settings

LANGUAGES = {"curl": "curl", "python": "Python", "javascript": "JavaScript"}
TITLES = {
    "people": ("Who is she?", "The people of a campaign, page by page, and one of them with the words that prove her."),
    "poll": ("What is new?", "Ask again and again, and pay only for what has changed."),
    "upload": ("Hand in a session", "Upload a transcript and start a run, safely even if the line drops."),
    "review": ("Review from a script", "Rename a record of a version that waits, then approve what came of it."),
}


@dataclass(frozen=True, slots=True)
class Snippet:
    language: str
    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Example:
    key: str
    title: str
    sentence: str
    snippets: tuple[Snippet, ...]


@lru_cache(maxsize=1)
def all_of() -> tuple[Example, ...]:
    return tuple(
        Example(key, *titles, tuple(Snippet(language, label, _text(key, language)) for language, label in named))
        for key, titles in TITLES.items()
        for named in [LANGUAGES.items()]
    )


def _text(key: str, language: str) -> str:
    return (settings.ASSETS_DIR / "api" / f"{key}.{language}").read_text(encoding="utf-8")
