"""Keep a reply within the lengths its schema allows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from extraction.canonical import JsonValue

_Schema = Mapping[str, JsonValue]


def bounded(value: JsonValue, schema: _Schema) -> JsonValue:
    """Return the value with every array cut to its `maxItems`; follows local references, leaves the rest alone."""
    return _cut(value, schema, schema)


def _cut(value: JsonValue, schema: JsonValue | None, root: _Schema) -> JsonValue:
    here = _resolved(schema, root)
    if isinstance(value, Mapping):
        properties = here.get("properties")
        known = properties if isinstance(properties, Mapping) else {}
        return {key: _cut(item, known.get(key), root) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        most = here.get("maxItems")
        kept = value[:most] if isinstance(most, int) else value
        return [_cut(item, here.get("items"), root) for item in kept]
    return value


def _resolved(schema: JsonValue | None, root: _Schema) -> _Schema:
    """Return the schema a local reference points to, or the schema itself; empty where there is none."""
    target: JsonValue | None = schema
    seen: set[str] = set()
    while isinstance(target, Mapping) and isinstance(reference := target.get("$ref"), str) and reference not in seen:
        seen.add(reference)
        target = root
        for step in reference.removeprefix("#").strip("/").split("/"):
            target = target.get(step) if step and isinstance(target, Mapping) else target
    return target if isinstance(target, Mapping) else {}
