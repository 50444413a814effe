from __future__ import annotations

import copy
import json
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from extraction.errors import InternalError
from extraction.llm.schema import lint_strict, narrow, response_schema
from tests.extraction.llm.support import Keepers

SEEN = {
    "type": "object",
    "properties": {"start_unit_id": {"type": "integer"}, "end_unit_id": {"type": "integer"}},
    "required": ["start_unit_id", "end_unit_id"],
    "additionalProperties": False,
}
KEEPER = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "rank": {"type": "string", "enum": ["first", "second"]},
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "seen": {"type": "array", "items": SEEN},
    },
    "required": ["name", "rank", "note", "seen"],
    "additionalProperties": False,
}


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")


class WithLiteral(Closed):
    title: Literal["only"]
    default: str = "x"
    one: Annotated[int, Field(ge=1, le=9, description="How many.")]


class Told(Closed):
    """Words to whoever reads the code."""

    one: WithLiteral
    many: Annotated[list[Leaf], Field(description="Which.")]


class Leaf(Closed):
    """Words to whoever reads the code."""

    kind: Literal["leaf"]


class Branch(Closed):
    kind: Literal["branch"]


class PlainUnion(Closed):
    part: Leaf | Branch | None


class Recursive(Closed):
    inner: Recursive | None


class TaggedUnion(Closed):
    part: Annotated[Leaf | Branch, Field(discriminator="kind")]


class OpenMap(Closed):
    part: dict[str, int]


class Pair(Closed):
    part: tuple[int, str]


class Fraction(Closed):
    part: float


class Anything(Closed):
    part: Any


class Untyped(Closed):
    part: list  # type: ignore[type-arg]  # the untyped list is the case


class Bounded(Closed):
    part: Annotated[str, Field(min_length=1)]


class Extra(BaseModel):
    model_config = ConfigDict(extra="allow")
    part: int


def test_response_schema_is_closed_flat_and_quiet() -> None:
    assert response_schema(Keepers) == {
        "type": "object",
        "properties": {"keepers": {"type": "array", "items": KEEPER}},
        "required": ["keepers"],
        "additionalProperties": False,
    }


def test_response_schema_keeps_the_order_of_fields() -> None:
    schema = response_schema(Keepers)
    text = json.dumps(schema)

    assert [text.index(f'"{name}": {{') for name in ("name", "rank", "note", "seen")] == sorted(
        text.index(f'"{name}": {{') for name in ("name", "rank", "note", "seen")
    )


def test_response_schema_properties_named_like_keywords_stay() -> None:
    schema = response_schema(WithLiteral)

    assert schema["required"] == ["title", "default", "one"]
    assert schema["properties"] == {
        "title": {"type": "string", "enum": ["only"]},
        "default": {"type": "string"},
        "one": {"type": "integer", "minimum": 1, "maximum": 9, "description": "How many."},
    }


def test_response_schema_has_what_fields_say_to_a_model_and_no_docstring() -> None:
    text = json.dumps(response_schema(Told))

    assert "How many." in text
    assert "Which." in text
    assert "Words" not in text


def test_response_schema_plain_union_is_any_of() -> None:
    part = response_schema(PlainUnion)["properties"]

    assert isinstance(part, dict)
    assert set(part["part"]) == {"anyOf"}
    assert lint_strict(response_schema(PlainUnion)) == []


@pytest.mark.parametrize(
    "model",
    [TaggedUnion, OpenMap, Pair, Fraction, Anything, Untyped, Bounded, Extra, Recursive],
    ids=lambda m: m.__name__,
)
def test_response_schema_refuses_what_strict_mode_cannot_say(model: type[BaseModel]) -> None:
    with pytest.raises(InternalError):
        response_schema(model)


def test_lint_strict_names_place_and_reason() -> None:
    broken = copy.deepcopy(response_schema(Keepers))
    items: Any = broken["properties"]
    items["keepers"]["items"]["required"] = ["name"]
    items["keepers"]["items"]["properties"]["name"]["pattern"] = "x"

    assert lint_strict(broken) == [
        "/properties/keepers/items: every property must be required",
        "/properties/keepers/items/properties/name: keyword pattern is not supported",
    ]


def test_lint_strict_wants_an_object_at_the_root() -> None:
    assert lint_strict({"type": "array", "items": {"type": "string"}}) == ["/: the root must be an object"]


def keeper(schema: Any) -> Any:
    return schema["properties"]["keepers"]["items"]["properties"]


def test_narrow_puts_unit_ids_as_enum_in_the_order_given() -> None:
    seen = keeper(narrow(response_schema(Keepers), unit_ids=[40, 3, 7], max_records=None))["seen"]

    assert seen["items"]["properties"] == {
        "start_unit_id": {"type": "integer", "enum": [40, 3, 7]},
        "end_unit_id": {"type": "integer", "enum": [40, 3, 7]},
    }
    assert "maxItems" not in seen


def test_narrow_bounds_records_and_their_evidence() -> None:
    schema: Any = narrow(response_schema(Keepers), unit_ids=None, max_records=5)

    assert schema["properties"]["keepers"]["maxItems"] == 5
    assert keeper(schema)["seen"]["maxItems"] == 10
    assert keeper(schema)["seen"]["items"] == SEEN


class Optional(Closed):
    names: Annotated[list[str], Field(max_length=3)]
    start_unit_id: int | None
    end_unit_id: str


def test_narrow_keeps_a_smaller_bound_and_reaches_nullable_ids() -> None:
    schema: Any = narrow(response_schema(Optional), unit_ids=[1], max_records=9)

    assert schema["properties"]["names"]["maxItems"] == 3
    assert schema["properties"]["start_unit_id"] == {"anyOf": [{"type": "integer", "enum": [1]}, {"type": "null"}]}
    assert schema["properties"]["end_unit_id"] == {"type": "string"}


@given(st.lists(st.integers(1, 9999), min_size=1, max_size=5) | st.none(), st.integers(1, 50) | st.none())
def test_narrow_leaves_its_input_alone_and_stays_strict(unit_ids: list[int] | None, max_records: int | None) -> None:
    schema = response_schema(Keepers)
    before = copy.deepcopy(schema)
    narrowed = narrow(schema, unit_ids=unit_ids, max_records=max_records)

    assert schema == before
    assert lint_strict(narrowed) == []
    assert (narrowed == before) == (unit_ids is None and max_records is None)


@pytest.mark.parametrize(("unit_ids", "max_records"), [([], None), (None, 0)])
def test_narrow_refuses_bounds_nothing_could_satisfy(unit_ids: list[int] | None, max_records: int | None) -> None:
    with pytest.raises(InternalError):
        narrow(response_schema(Keepers), unit_ids=unit_ids, max_records=max_records)


class Span(Closed):
    start_unit_id: int
    end_unit_id: int


class Place(Closed):
    registry_refs: list[Span]
    source_refs: list[Span]


class Places(Closed):
    places: list[Place]


def test_narrow_leaves_selectors_as_they_are() -> None:
    """A selector names the ranges of a registry, which need not lie in the passage and may be many."""
    schema: Any = response_schema(Places)
    narrowed: Any = narrow(schema, unit_ids=[3, 40], max_records=2)
    whole = schema["properties"]["places"]["items"]["properties"]
    place = narrowed["properties"]["places"]["items"]["properties"]

    assert place["registry_refs"] == whole["registry_refs"]
    assert place["source_refs"]["maxItems"] == 4
    assert place["source_refs"]["items"]["properties"]["start_unit_id"]["enum"] == [3, 40]
