"""Answers of any content that has a schema's shape: what a model may say when nobody checks what it means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from extraction.canonical import JsonValue

NAMES = (
    "Ottilie", "OTTILIE", "the warden", "Hask", "old  Hask", "Zorvathra", "<script>alert(1)</script>", "=HYPERLINK(1)",
    "{{ settings }}", "../../etc/passwd", "Berrin", "\u202egnp.exe", "a" * 400, "\u200b", "\ud800",
)  # fmt: skip
UNITS = (100, 99, 95, 94, 89, 88, 0, -1, 9_999, 2**63)


def answers(schema: Mapping[str, Any]) -> st.SearchStrategy[JsonValue]:
    """Return answers of the schema's shape, their texts and numbers from hostile lists and at random."""
    return _of(schema, schema.get("$defs", {}))


def _of(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> st.SearchStrategy[JsonValue]:
    if "$ref" in schema:
        return _of(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    if "anyOf" in schema:
        return st.one_of([_of(one, definitions) for one in schema["anyOf"]])
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    match schema["type"]:
        case "object":
            return st.fixed_dictionaries({name: _of(one, definitions) for name, one in schema["properties"].items()})
        case "array":
            return st.lists(_of(schema["items"], definitions), max_size=4)
        case "integer":
            return st.sampled_from(UNITS) | st.integers(88, 101)
        case "null":
            return st.none()
        case "boolean":
            return st.booleans()
        case "string":
            return st.sampled_from(NAMES) | st.text(max_size=12)
    raise AssertionError(f"the replies have a type that is not known here: {schema['type']}")
