"""Reply schemas: from a private pydantic model to what strict structured output takes, and narrower per request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from pydantic import BaseModel

from extraction.canonical import JsonValue
from extraction.errors import InternalError

UNIT_ID_FIELDS = frozenset({"start_unit_id", "end_unit_id"})
# Selectors repeat what they were given, which need not lie in the passage and may be long: they are not narrowed.
SELECTOR_FIELDS = frozenset({"registry_refs"})
# A record may cite several places, so lists inside a record get more room than there may be records.
NESTED_FACTOR = 2

_NOISE = frozenset({"title", "default"})
# Of an object it is the docstring of its class, which speaks to programmers; of a field it is meant for the model.
_DOCSTRING = "description"
_KEYWORDS = frozenset(
    {"type", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "description"}
    | {"minItems", "maxItems", "minimum", "maximum"}
)
_TYPES = frozenset({"object", "array", "string", "integer", "boolean", "null"})

Schema = dict[str, JsonValue]


def response_schema(model: type[BaseModel]) -> Schema:
    """Return the model's JSON Schema as strict structured output takes it: closed, all required, no references.

    Raises InternalError for what cannot be said that way: open objects, tuples, tagged unions, floats, text lengths,
    recursion.
    """
    source = model.model_json_schema()
    definitions = source.pop("$defs", {})
    schema = _Strict(definitions).closed(source, ())
    problems = lint_strict(schema)
    if problems:
        raise InternalError(f"{model.__name__} does not fit strict structured output: {'; '.join(problems)}")
    return schema


def narrow(schema: Mapping[str, JsonValue], *, unit_ids: Sequence[int] | None, max_records: int | None) -> Schema:
    """Return a copy in which unit ids are an enum of `unit_ids` and lists are bounded; None leaves that part open.

    Lists that are properties of the root hold at most `max_records`, those inside a record twice as many. Selectors
    stay as they are.
    """
    if unit_ids is not None and not unit_ids:
        raise InternalError("An enum of unit ids needs at least one id.")
    if max_records is not None and max_records < 1:
        raise InternalError("max_records must be at least 1.")
    return _narrowed(schema, list(unit_ids) if unit_ids is not None else None, max_records)


def lint_strict(schema: Mapping[str, JsonValue]) -> list[str]:
    """Return what of the schema strict structured output would refuse, as `place: reason`; empty if nothing."""
    problems = [] if schema.get("type") == "object" else ["/: the root must be an object"]
    for place, node in _nodes(schema, ""):
        problems += [f"{place or '/'}: {reason}" for reason in _node_problems(node)]
    return problems


class _Strict:
    """Closes a pydantic schema: references resolved, noise dropped, literals as enums."""

    def __init__(self, definitions: Mapping[str, Mapping[str, JsonValue]]) -> None:
        self._definitions = definitions

    def closed(self, node: Mapping[str, JsonValue], within: tuple[str, ...]) -> Schema:
        if "$ref" in node:
            return self._resolved(node, within)
        noise = _NOISE | {_DOCSTRING} if node.get("type") == "object" else _NOISE
        result: Schema = {key: value for key, value in node.items() if key not in noise}
        if "const" in result:
            result["enum"] = [result.pop("const")]
        if isinstance(node.get("properties"), Mapping):
            properties = cast(Mapping[str, Mapping[str, JsonValue]], node["properties"])
            result["properties"] = {name: self.closed(part, within) for name, part in properties.items()}
            result["required"] = list(properties)
            result.setdefault("additionalProperties", False)
        if isinstance(node.get("items"), Mapping):
            result["items"] = self.closed(cast(Mapping[str, JsonValue], node["items"]), within)
        if "anyOf" in node:
            options = cast(Sequence[Mapping[str, JsonValue]], node["anyOf"])
            result["anyOf"] = [self.closed(option, within) for option in options]
        return result

    def _resolved(self, node: Mapping[str, JsonValue], within: tuple[str, ...]) -> Schema:
        name = str(node["$ref"]).rpartition("/")[2]
        if name in within:
            raise InternalError(f"{name} contains itself; strict structured output needs a finite schema.")
        beside = {key: value for key, value in node.items() if key != "$ref" and key not in _NOISE}
        return self.closed(self._definitions[name], (*within, name)) | beside


def _narrowed(node: Mapping[str, JsonValue], unit_ids: list[int] | None, limit: int | None, depth: int = 0) -> Schema:
    result: Schema = dict(node)
    if node.get("type") == "array" and limit is not None:
        most = limit if depth == 0 else limit * NESTED_FACTOR
        given = node.get("maxItems")
        result["maxItems"] = min(given, most) if isinstance(given, int) else most
    if isinstance(node.get("items"), Mapping):
        result["items"] = _narrowed(cast(Mapping[str, JsonValue], node["items"]), unit_ids, limit, depth + 1)
    if "anyOf" in node:
        options = cast(Sequence[Mapping[str, JsonValue]], node["anyOf"])
        result["anyOf"] = [_narrowed(option, unit_ids, limit, depth) for option in options]
    if isinstance(node.get("properties"), Mapping):
        properties = cast(Mapping[str, Mapping[str, JsonValue]], node["properties"])
        result["properties"] = {
            name: _narrowed_property(name, part, unit_ids, limit, depth) for name, part in properties.items()
        }
    return result


def _narrowed_property(
    name: str, node: Mapping[str, JsonValue], unit_ids: list[int] | None, limit: int | None, depth: int
) -> Schema:
    if name in SELECTOR_FIELDS:
        return dict(node)
    if name in UNIT_ID_FIELDS and unit_ids is not None:
        return _unit_id(node, unit_ids)
    return _narrowed(node, unit_ids, limit, depth)


def _unit_id(node: Mapping[str, JsonValue], unit_ids: list[int] | None) -> Schema:
    if "anyOf" in node:
        options = cast(Sequence[Mapping[str, JsonValue]], node["anyOf"])
        return {**node, "anyOf": [_unit_id(option, unit_ids) for option in options]}
    return {**node, "enum": unit_ids} if node.get("type") == "integer" else dict(node)


def _nodes(node: object, place: str) -> Iterator[tuple[str, Mapping[str, JsonValue]]]:
    if not isinstance(node, Mapping):
        return
    yield place, node
    properties = node.get("properties")
    for name, part in properties.items() if isinstance(properties, Mapping) else ():
        yield from _nodes(part, f"{place}/properties/{name}")
    yield from _nodes(node.get("items"), f"{place}/items")
    options = node.get("anyOf")
    for at, option in enumerate(options) if isinstance(options, list) else ():
        yield from _nodes(option, f"{place}/anyOf/{at}")


def _node_problems(node: Mapping[str, JsonValue]) -> Iterator[str]:
    for key in sorted(node.keys() - _KEYWORDS):
        yield f"keyword {key} is not supported"
    kind = node.get("type")
    if "anyOf" not in node and kind not in _TYPES:
        yield "has no supported type"
    if kind == "object":
        properties = node.get("properties")
        if not isinstance(properties, Mapping):
            yield "an object needs named properties"
        elif node.get("required") != list(properties):
            yield "every property must be required"
        if node.get("additionalProperties") is not False:
            yield "an object must be closed"
    if kind == "array" and not isinstance(node.get("items"), Mapping):
        yield "an array needs items"
