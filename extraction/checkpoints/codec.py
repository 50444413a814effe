"""Stored stage results as bytes. A value that cannot be read counts as absent: the call is made again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import orjson

from extraction.canonical import JsonValue

FORMAT = 1


@dataclass(frozen=True, slots=True)
class StoredReply:
    """A model's decoded reply. `data` is None where every attempt ended in an invalid completion.

    `settled` replies were accepted as they are; one that is not was an accepted fallback after `budget` attempts,
    and holds only while the configured budget is not larger.
    """

    data: JsonValue
    attempts: int
    budget: int
    settled: bool

    def holds_for(self, budget: int) -> bool:
        return self.settled or budget <= self.budget


def encode(reply: StoredReply) -> bytes:
    return orjson.dumps(
        {
            "format": FORMAT,
            "data": reply.data,
            "attempts": reply.attempts,
            "budget": reply.budget,
            "settled": reply.settled,
        }
    )


def decode(value: bytes | None) -> StoredReply | None:
    """Return the stored reply, or None where there is none of this format."""
    if value is None:
        return None
    try:
        stored = orjson.loads(value)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(stored, Mapping) or stored.get("format") != FORMAT or "data" not in stored:
        return None
    attempts, budget, settled = stored.get("attempts"), stored.get("budget"), stored.get("settled")
    if not isinstance(attempts, int) or not isinstance(budget, int) or not isinstance(settled, bool):
        return None
    return StoredReply(stored["data"], attempts, budget, settled)
