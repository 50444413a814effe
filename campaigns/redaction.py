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


def without_words(family: str, payload: str) -> bytes:
    """Return the artifact's canonical JSON without free text; it satisfies the same schema."""
    artifact: dict[str, Any] = orjson.loads(payload)
    wordless = WORDLESS.get(family)
    if wordless is not None:
        key = next(name for name in artifact if name not in ("schema", "source"))
        artifact[key] = [wordless(record) for record in artifact[key]]
    return canonical_json(artifact)
