"""Artifacts for people who may see what was approved, and no words of the table.

Free text of a record, whoever wrote it, may repeat what was said. Nobody in particular gets the facts: names, kinds,
levels, rounds and where the evidence is. What the shape requires is filled with the record's own kind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import orjson

from extraction.canonical import canonical_json

Record: TypeAlias = Mapping[str, Any]


def _scene(record: Record) -> dict[str, Any]:
    return {**record, "title": record["primary_mode"]}


def _item_occurrence(record: Record) -> dict[str, Any]:
    return {**record, "detail": None}


def _spell(record: Record) -> dict[str, Any]:
    return {**record, "outcome": None}


def _turn(record: Record) -> dict[str, Any]:
    actions = [{**action, "declaration": action["category"], "resolution": None} for action in record["actions"]]
    return {**record, "summary": record["turn_kind"], "actions": actions}


def _event(record: Record) -> dict[str, Any]:
    return {**record, "detail": record["kind"]}


WORDLESS: Mapping[str, Callable[[Record], dict[str, Any]]] = {
    "scenes": _scene,
    "item-occurrences": _item_occurrence,
    "spells": _spell,
    "combat-turns": _turn,
    "enemy-events": _event,
}


def wordless(family: str, record: Record) -> dict[str, Any]:
    """Return the record without free text; it satisfies the same schema."""
    shown = WORDLESS.get(family)
    return dict(record) if shown is None else shown(record)


def free_text(family: str, record: Record) -> list[str]:
    """Return what of the record is free text: whatever `wordless` takes away."""
    if family == "combat-turns":
        spoken = [said for action in record["actions"] for said in (action["declaration"], action["resolution"])]
        return [text for text in (record["summary"], *spoken) if text]
    bare = wordless(family, record)
    return [text for name, text in record.items() if text and text != bare[name]]


def without_words(family: str, payload: str) -> bytes:
    """Return the artifact's canonical JSON without free text; it satisfies the same schema."""
    artifact: dict[str, Any] = orjson.loads(payload)
    key = records_key(artifact)
    artifact[key] = [wordless(family, record) for record in artifact[key]]
    return canonical_json(artifact)


def records_key(artifact: Mapping[str, Any]) -> str:
    """Return the name under which the artifact has its records."""
    return next(name for name in artifact if name not in ("schema", "source"))
