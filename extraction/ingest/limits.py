"""How large a transcript may be. The caller sets the bounds; these defaults suit one long evening of play."""

from __future__ import annotations

from dataclasses import dataclass

MAX_INTEGER = 2**31 - 1
"""The largest unit id and the largest time in milliseconds (596 hours) a transcript may hold."""


@dataclass(frozen=True, slots=True)
class Limits:
    max_bytes: int = 64 * 1024 * 1024
    max_units: int = 300_000
    max_unit_chars: int = 20_000
    max_speaker_chars: int = 200
    max_title_chars: int = 300
    max_json_depth: int = 64
    max_archive_entries: int = 500
    max_archive_bytes: int = 128 * 1024 * 1024
    max_archive_ratio: int = 60


DEFAULT_LIMITS = Limits()
