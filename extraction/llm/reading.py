"""From the text a model wrote to JSON that satisfies the request's schema: one reading for every provider."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import cast

import orjson
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from extraction.canonical import JsonValue, canonical_json
from extraction.codes import Code
from extraction.errors import InvalidCompletion
from extraction.llm.profiles import OutputMode

MAX_REPLY_BYTES = 8 * 2**20
MAX_DEPTH = 64
MAX_VIOLATIONS = 20
SHOWN_VIOLATIONS = 3

_BRACES = re.compile(r'[{}"\\]')


def decode_reply(text: str, schema: Mapping[str, JsonValue], mode: OutputMode) -> JsonValue:
    """Return the decoded reply, which satisfies `schema`.

    Raises InvalidCompletion with a text that names codes, counts and places of the schema, never what the model wrote.
    Outside the strict mode, prose around exactly one JSON object is passed over; nothing is guessed or mended.
    """
    if len(text) > MAX_REPLY_BYTES or len(text.encode("utf-8", "surrogatepass")) > MAX_REPLY_BYTES:
        raise InvalidCompletion(f"The reply is larger than {MAX_REPLY_BYTES:,} bytes.", code=Code.LLM_TOO_LARGE)
    if not text.strip():
        raise InvalidCompletion("The model answered nothing.", code=Code.LLM_EMPTY)
    value = _parse(text, lenient=mode is not OutputMode.JSON_SCHEMA)
    _refuse_hostile(value)
    _validate(value, schema)
    return value


def _parse(text: str, *, lenient: bool) -> JsonValue:
    try:
        return cast(JsonValue, orjson.loads(text))
    except orjson.JSONDecodeError:
        inner = _only_object(text) if lenient else None
    if inner is not None:
        try:
            return cast(JsonValue, orjson.loads(inner))
        except orjson.JSONDecodeError:
            pass
    hint = "" if lenient else " If the endpoint ignores json_schema, try structured_output json_object or prompt."
    raise InvalidCompletion(f"The reply is not one JSON object.{hint}", code=Code.LLM_NOT_JSON)


def _only_object(text: str) -> str | None:
    """Return the one balanced `{...}` of a text that has no other brace, or None."""
    start = text.find("{")
    end = _closing_brace(text, start)
    if start < 0 or end is None:
        return None
    before, after = text[:start].rstrip(), text[end + 1 :].lstrip()
    if "}" in before or "{" in after or "}" in after:
        return None
    # An object inside an unfinished list or beside another value is not the whole answer.
    if before.endswith(("[", ",", ":")) and after.startswith(("]", ",")):
        return None
    return text[start : end + 1]


def _closing_brace(text: str, start: int) -> int | None:
    depth, quoted, skip = 0, False, -1
    for match in _BRACES.finditer(text, max(start, 0)):
        at, sign = match.start(), match.group()
        if at == skip:
            continue
        if sign == "\\":
            skip = at + 1
        elif sign == '"':
            quoted = not quoted
        elif not quoted:
            depth += 1 if sign == "{" else -1
            if depth == 0:
                return at
    return None


def _refuse_hostile(value: JsonValue) -> None:
    """Refuse what no schema of ours allows and later stages could choke on: deep nesting and NUL characters."""
    level: list[object] = [value]
    for _ in range(MAX_DEPTH):
        if any(isinstance(item, str) and "\0" in item for item in level):
            raise InvalidCompletion("The reply holds a NUL character.", code=Code.LLM_SCHEMA_MISMATCH)
        level = list(_children(level))
        if not level:
            return
    raise InvalidCompletion(f"The reply is nested deeper than {MAX_DEPTH} levels.", code=Code.LLM_SCHEMA_MISMATCH)


def _children(level: list[object]) -> Iterator[object]:
    for item in level:
        if isinstance(item, dict):
            yield from item.values()
        elif isinstance(item, list):
            yield from item


def _validate(value: JsonValue, schema: Mapping[str, JsonValue]) -> None:
    errors = list(islice(_validator(canonical_json(schema)).iter_errors(value), MAX_VIOLATIONS))
    if not errors:
        return
    count = f"{MAX_VIOLATIONS} or more" if len(errors) == MAX_VIOLATIONS else str(len(errors))
    places = list(dict.fromkeys(_place(error) for error in errors))[:SHOWN_VIOLATIONS]
    raise InvalidCompletion(
        f"The reply does not satisfy the schema: {count} violations, at {', '.join(places)}.",
        code=Code.LLM_SCHEMA_MISMATCH,
    )


def _place(error: ValidationError) -> str:
    """Return where in the *schema* the rule stands: its keys are ours, the reply's are not."""
    return "/" + "/".join(str(part) for part in error.absolute_schema_path)


def _is_integer(checker: object, instance: object) -> bool:
    # JSON Schema calls 3.0 an integer; no value of ours is a float, and a runaway integer decodes to one.
    return isinstance(instance, int) and not isinstance(instance, bool)


_TYPES = Draft202012Validator.TYPE_CHECKER.redefine("integer", _is_integer)
_StrictValidator = extend(Draft202012Validator, type_checker=_TYPES)  # type: ignore[no-untyped-call]  # no stub


@lru_cache(maxsize=64)
def _validator(schema: bytes) -> Draft202012Validator:
    # Chunks with a unit id enum each have a schema of their own, hence the bound.
    return cast(Draft202012Validator, _StrictValidator(orjson.loads(schema)))
