"""What gives a component its meaning, as one digest.

In it: module key and version, policy ids, prompt and reply schema, the profile's meaning, provider identity,
validator chain, bound references by content. Not in it: URLs, keys, concurrency, timeouts, retries
(contracts, Fingerprints).
"""

from __future__ import annotations

from collections.abc import Mapping

from extraction.canonical import JsonValue, digest


def component_fingerprint(parts: Mapping[str, JsonValue]) -> str:
    """Return the digest of everything that gives a component its meaning."""
    return digest(["component.v1", parts])


def checkpoint_key(fingerprint: str, *inputs: JsonValue) -> str:
    """Return the key of a stage's result: the component's fingerprint and the digest of its input."""
    return digest(["checkpoint.v1", fingerprint, list(inputs)])
