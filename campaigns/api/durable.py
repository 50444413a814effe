"""The durable JSON Schemas of the artifacts, as components of the OpenAPI document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

import orjson
from django.conf import settings

from campaigns.api.answers import JSON
from campaigns.api.schemas import Family

MEDIA_TYPE = "application/vnd.notarius.dnd.{}.v1+json"
FAMILIES: tuple[str, ...] = get_args(Family)
REF = "#/components/schemas/"


def name_of(family: str) -> str:
    return "".join(part.capitalize() for part in family.split("-")) + "Artifact"


def components() -> dict[str, Any]:  # Any: JSON Schemas
    """Return every family's published schema, its definitions beside it under names of their own."""
    found: dict[str, Any] = {}
    for family in FAMILIES:
        schema = orjson.loads(
            (settings.ASSETS_DIR / "dnd" / family.replace("-", "_") / "artifact.schema.json").read_bytes()
        )
        name = name_of(family)
        names = {f"#/$defs/{inner}": f"{REF}{name}{inner.removesuffix('Model')}" for inner in schema.get("$defs", {})}
        for inner, definition in schema.pop("$defs", {}).items():
            found[f"{name}{inner.removesuffix('Model')}"] = led(definition, names)
        # The document has one dialect, and its components are named by their place.
        found[name] = led({key: value for key, value in schema.items() if key not in ("$id", "$schema")}, names)
    return found


def led(schema: Any, names: Mapping[str, str]) -> Any:
    """Return the schema with its references leading to where its definitions stand now."""
    if isinstance(schema, dict):
        return {
            key: names.get(value, value) if key == "$ref" and isinstance(value, str) else led(value, names)
            for key, value in schema.items()
        }
    return [led(one, names) for one in schema] if isinstance(schema, list) else schema


ARTIFACT = {
    "description": "The durable JSON, each family under its own media type.",
    "content": {
        JSON: {"schema": {"oneOf": [{"$ref": REF + name_of(family)} for family in FAMILIES]}},
        **{MEDIA_TYPE.format(family): {"schema": {"$ref": REF + name_of(family)}} for family in FAMILIES},
    },
}
