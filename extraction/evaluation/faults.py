"""What is wrong with a file that somebody wrote or brought along, in one sentence that quotes no value of it."""

from __future__ import annotations

import re

from pydantic import ValidationError

from extraction.codes import Code
from extraction.errors import InputError

FIELD = re.compile(r"^[a-zA-Z][a-zA-Z0-9_/-]{0,39}$")


def refusal(file: str, place: str, reason: str) -> InputError:
    """Return the error for a fault of the evaluation's own files."""
    return InputError(f"{file}: {place}: {reason}." if place else f"{file}: {reason}.", code=Code.EVALUATION_INVALID)


def first_fault(file: str, error: ValidationError, within: str = "") -> InputError:
    """Return the error for the first fault that pydantic found; a place is `lanes.dnd/npcs.records[3].name`."""
    fault = error.errors(include_input=False, include_url=False, include_context=False)[0]
    place = ".".join(part for part in (within, place_of(fault["loc"])) if part)
    if fault["type"] == "json_invalid":
        return refusal(file, place, fault["msg"].replace("Invalid JSON", "this is not valid JSON", 1))
    if fault["type"] == "extra_forbidden":
        return refusal(file, place, "the format knows no such field")
    if fault["type"] == "missing":
        return refusal(file, place, "the field is missing")
    return refusal(file, place, fault["msg"][:1].lower() + fault["msg"][1:])


def place_of(steps: tuple[int | str, ...]) -> str:
    """Return the way to a value; a key that is no plain word is not repeated."""
    place = ""
    for step in steps:
        if isinstance(step, int):
            place += f"[{step}]"
        else:
            place += ("." if place else "") + (step if FIELD.match(step) else "(some key)")
    return place
