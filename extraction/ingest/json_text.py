"""JSON from outside: bounded in depth before it is parsed, refused where it could not be stored."""

from __future__ import annotations

import json
import re
from typing import TypeAlias

import orjson
from pydantic import ValidationError

from extraction.codes import Code
from extraction.errors import IngestError

ParsedJson: TypeAlias = "bool | int | float | str | list[ParsedJson] | dict[str, ParsedJson] | None"

# Strings and everything else that is no bracket. It never gives back, so that any input takes one pass.
_NO_BRACKETS = re.compile(r'"(?:[^"\\]++|\\.?)*+"?|[^"\[\]{}]++', re.DOTALL)
_CONSTANTS = re.compile(r'"(?:[^"\\]++|\\.?)*+"?|(?<![\w.+-])NaN(?![\w.])|(?<![\w.+-])-?Infinity(?![\w.])', re.DOTALL)
_LONGEST_INTEGER = 18
_LOOKS_LIKE_JSON = re.compile(r"\s*+(?:\{\s*+(?:[\"}]|\Z)|\[\s*+(?:[\[{\]\"]|\Z))")


def looks_like_json(text: str) -> bool:
    """Tell whether the text opens like a JSON object or a list of objects; `[00:01] Name: …` does not.

    A lone opening bracket is what is left of a file that was cut.
    """
    return _LOOKS_LIKE_JSON.match(text) is not None


def parse_json(text: str, max_depth: int) -> ParsedJson:
    """Return the parsed value. `NaN` and `Infinity`, which Python's own writer leaves unquoted, become such numbers.

    Raises IngestError for a nesting deeper than `max_depth`, malformed JSON, and halves of surrogate pairs.
    """
    _refuse_depth(text, max_depth)
    strict = _CONSTANTS.sub(_stand_in, text) if "NaN" in text or "Infinity" in text else text
    try:
        parsed: ParsedJson = orjson.loads(strict)
    except orjson.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        if "surrogate" in error.msg:
            raise IngestError(
                f"A string holds half of a surrogate pair, which is no character: {where}.", code=Code.INGEST_ENCODING
            ) from None
        raise IngestError(f"The file is not valid JSON: {where}.", code=Code.INGEST_MALFORMED) from None
    # The strict parser has found everything else to be sound; the lenient one only adds the numbers that are none.
    return parsed if strict == text else _lenient(text)


def describe(error: ValidationError, place: str) -> str:
    """Return one sentence on the first fault, naming the place and a field of ours but no value of the file."""
    first = error.errors(include_input=False, include_url=False, include_context=False)[0]
    field = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        return f"{place} has a field that the format does not know."
    if first["type"] == "missing":
        return f"{place} lacks the field `{field}`."
    return f"{place} has a wrong value in `{field}`." if field else f"{place} is not an object."


def faulty_field(error: ValidationError) -> str:
    """Return the top field of the first fault, empty where the whole value is wrong."""
    location = error.errors(include_input=False, include_url=False, include_context=False)[0]["loc"]
    return str(location[0]) if location else ""


def _stand_in(found: re.Match[str]) -> str:
    """Return a string as it is, and a number as long as the constant, so that columns stay what they are."""
    constant = found.group()
    return constant if constant.startswith('"') else "0." + "0" * (len(constant) - 2)


def _lenient(text: str) -> ParsedJson:
    parsed: ParsedJson = json.loads(text, parse_int=_integer, strict=False)
    return parsed


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _LONGEST_INTEGER else float(digits)


def _refuse_depth(text: str, max_depth: int) -> None:
    if text.count("[") + text.count("{") <= max_depth:
        return
    depth = 0
    for bracket in _NO_BRACKETS.sub("", text):
        depth += 1 if bracket in "[{" else -1
        if depth > max_depth:
            raise IngestError(
                f"The JSON is nested deeper than {max_depth} levels; no transcript needs that.",
                code=Code.INGEST_TOO_DEEP,
            )
