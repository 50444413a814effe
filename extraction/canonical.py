"""Canonical JSON and digests: one spelling of a value, so that equal values have equal hashes on every machine."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import orjson

JsonValue: TypeAlias = "bool | int | str | Sequence[JsonValue] | Mapping[str, JsonValue] | None"


def canonical_json(value: JsonValue) -> bytes:
    """Return UTF-8 JSON with sorted keys and no white space.

    Raises TypeError for a float: two spellings of one number would give two digests.
    """
    _refuse_floats(value)
    return orjson.dumps(value, default=_plain, option=orjson.OPT_SORT_KEYS)


def digest(value: JsonValue) -> str:
    """Return the SHA-256 of the value's canonical JSON as 64 hexadecimal characters."""
    return hashlib.sha256(canonical_json(value)).hexdigest()


def bytes_digest(data: bytes) -> str:
    """Return the SHA-256 of the exact bytes as 64 hexadecimal characters."""
    return hashlib.sha256(data).hexdigest()


def _plain(value: object) -> dict[str, JsonValue]:
    """Return a read-only mapping as one that the encoder takes."""
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is no JSON value")


def _refuse_floats(value: object) -> None:
    if isinstance(value, float):
        raise TypeError("canonical JSON holds no floats")
    if isinstance(value, Mapping):
        for item in value.values():
            _refuse_floats(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            _refuse_floats(item)
