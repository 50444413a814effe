"""What a provider's prefix cache would have served of a request, by OpenAI's published rule.

An exact prefix in steps of 128 tokens, nothing under 1,024, the reply schema before the messages, and an entry usable
only after an earlier call with that prefix was answered. No tokenizer works for every model, so tokens are counted in
one of two ways: words of the messages (the schema tells caches apart but counts nothing), or pieces of four characters
of schema and messages, which is what English and JSON come to.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

STEP, LEAST = 128, 1_024
PIECE = 4


class Metering(StrEnum):
    WORDS = "words"
    PIECES = "pieces"


class PrefixCache:
    """Remembers the prefixes of answered requests, for ever: nothing ages."""

    def __init__(self, metering: Metering) -> None:
        self._metering = metering
        self._answered: set[bytes] = set()

    def tokens(self, request: Mapping[str, Any]) -> list[str]:
        """Return the request's tokens in the order in which the cache compares them."""
        texts = [str(message["content"]) for message in request["messages"]]
        return self.split("\n".join(texts if self._metering is Metering.WORDS else [_shape(request), *texts]))

    def split(self, text: str) -> list[str]:
        if self._metering is Metering.WORDS:
            return text.split()
        return [text[at : at + PIECE] for at in range(0, len(text), PIECE)]

    def prefixes(self, request: Mapping[str, Any], tokens: Sequence[str]) -> list[bytes]:
        """Return a digest for each whole number of steps that the request begins with, shortest first."""
        sofar = hashlib.sha256(_shape(request).encode())
        found = []
        for at in range(0, len(tokens) - STEP + 1, STEP):
            sofar.update("\0".join(tokens[at : at + STEP]).encode() + b"\1")
            found.append(sofar.digest())
        return found

    def served(self, prefixes: Sequence[bytes]) -> int:
        """Return how many leading tokens an earlier answered request also began with; 0 where they are too few."""
        steps = next((at for at, prefix in enumerate(prefixes) if prefix not in self._answered), len(prefixes))
        return steps * STEP if steps * STEP >= LEAST else 0

    def answered(self, prefixes: Sequence[bytes]) -> None:
        self._answered.update(prefixes)


def _shape(request: Mapping[str, Any]) -> str:
    return json.dumps(request.get("response_format"), separators=(",", ":"))
