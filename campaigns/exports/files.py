"""What an export consists of, and names of files that every system takes and that tell nothing they should not."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from campaigns.library.sight import Sight

LONGEST = 80
# Windows keeps these for devices, whatever follows after a dot.
RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)
# Forbidden on one system or another, or of a meaning in Obsidian's links.
FORBIDDEN = re.compile(r'[\\/:*?"<>|#^\[\]%`]+')
INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


@dataclass(frozen=True, slots=True)
class ExportFile:
    """One file; `path` is relative, with slashes, of safe names."""

    path: str
    data: bytes


Progress: TypeAlias = "Callable[[int, int], None]"
"""Called with how many steps are done and how many there are."""

Format: TypeAlias = "Callable[[Sight, Progress], Iterator[ExportFile]]"
"""Yields the files of an export, each once."""


def safe_name(text: str, fallback: str = "unnamed") -> str:
    """Return the text as the name of a file without its suffix: one line, no path, nothing invisible."""
    spaced = "".join(" " if unicodedata.category(each) in INVISIBLE else each for each in text)
    plain = unicodedata.normalize("NFC", FORBIDDEN.sub(" ", spaced))
    name = " ".join(plain.split())[:LONGEST].strip(" .")
    if not name:
        return fallback
    return f"{name} (name)" if RESERVED.fullmatch(name) else name


@dataclass(slots=True)
class Names:
    """Names within one folder, each given once: systems that do not tell large from small letters keep them apart."""

    _taken: set[str] = field(default_factory=set)

    def of(self, text: str, fallback: str = "unnamed") -> str:
        """Return a safe name that was not given before."""
        name, number = safe_name(text, fallback), 1
        chosen = name
        while chosen.casefold() in self._taken:
            number += 1
            chosen = f"{name} ({number})"
        self._taken.add(chosen.casefold())
        return chosen
