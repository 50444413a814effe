"""The check of single fields. Which of them are at fault is each family's own rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from extraction.framework import Code, Finding, Scope, Validator, rejection

T = TypeVar("T")


def shape_validator(faults: Callable[[T], Iterable[str]]) -> Validator[T]:
    """Return the validator that rejects each field that `faults` names of a record."""

    def validate_shape(records: Sequence[T], scope: Scope) -> list[Finding]:
        """Return a rejection for each field at fault."""
        return [
            rejection(Code.RECORD_SHAPE, f"record[{number}].{field}")
            for number, record in enumerate(records)
            for field in faults(record)
        ]

    return validate_shape
