"""What an assistant hears of arguments that do not fit: which parameter, and what it must be, never what was given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from extraction.codes import Code

RULES = {
    "missing": "is missing",
    "string_type": "must be text",
    "string_unicode": "must be text",
    "string_too_long": "must have at most {max_length} characters",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
}
NUMBERS = "must be a whole number"
OTHER = "is not what this tool takes"


def sentence_of(refused: ValidationError) -> str:
    """Return one sentence about all the parameters that were refused, with its code."""
    told = [_clause(error) for error in refused.errors(include_url=False, include_input=False)]
    return f"{'; '.join(told)}. ({Code.REQUEST_INVALID})"


def _clause(error: Mapping[str, Any]) -> str:
    kind = error["type"]
    rule = RULES.get(kind, NUMBERS if kind.startswith("int_") else OTHER)
    # Only the first place is a parameter: what follows may be a key of theirs.
    return f"`{error['loc'][0]}` {rule.format(**error.get('ctx', {}))}"
