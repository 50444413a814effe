"""JSON in the shape of each recogniser's, with anything missing, doubled, of another type or out of bounds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

from extraction.ingest import Format
from tests.extraction.ingest.recognisers import INPUTS
from tests.fuzz.outcomes import read_or_refused
from tests.fuzz.shaped import ShapedTarget

MOST_ITEMS = 4
KINDS_OF_ITEMS = 3

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.sampled_from(
    ["", " ", "None", "nan", ".", "?!", "\u3002", "\0", "\u202e", "-1", "1e999", "PT5S", "<v x>", "{{x}}", "\U0001f409"]
)
numbers = (
    st.integers(-2, 9)
    | st.floats()
    | st.sampled_from([0.5, 1e300, -1e300, 2**31, 2**63, 10**30, -(10**30), 2147483.647])
)
scalars = st.none() | st.booleans() | texts | numbers
anything = st.recursive(
    scalars, lambda inside: st.lists(inside, max_size=2) | st.dictionaries(texts, inside, max_size=2), max_leaves=4
)


def like(value: Any) -> st.SearchStrategy[Any]:
    """Return JSON of the value's shape: the same fields or fewer, more or fewer items, other values, other types."""
    if isinstance(value, dict):
        fields = {key: like(inside) for key, inside in value.items()}
        shaped: st.SearchStrategy[Any] = st.fixed_dictionaries({}, optional=fields) | st.fixed_dictionaries(fields)
    elif isinstance(value, list):
        kinds = [like(item) for item in value[:KINDS_OF_ITEMS]]
        shaped = st.lists(st.one_of(kinds), max_size=MOST_ITEMS) if kinds else st.just([])
    elif isinstance(value, str):
        shaped = st.just(value) | texts
    else:
        shaped = st.just(value) | numbers
    return st.integers(0, 19).flatmap(lambda dice: anything if dice == 0 else shaped)


def strings(value: Any) -> Iterator[str]:
    """Yield every string inside the JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from strings(item)


def _invented(drawn: tuple[Any, Format | None]) -> set[str]:
    value, named = drawn
    transcript = read_or_refused(json.dumps(value).encode(), named)
    # A bare number or list of words is plain text to the reader, with its brackets and quotes.
    if transcript is None or transcript.format is Format.TEXT:
        return set()
    letters = {letter for text in strings(value) for letter in text}
    return {letter for unit in transcript.units for letter in unit.text} - letters - {" "}


TARGETS = tuple(
    ShapedTarget(name, st.tuples(like(template), st.sampled_from([None, format])), _invented)
    for name, (template, format) in INPUTS.items()
)
