from __future__ import annotations

import pytest

from extraction.canonical import JsonValue
from extraction.llm.rules.bounds import bounded

_LIST: JsonValue = {"type": "array", "maxItems": 2, "items": {"type": "array", "maxItems": 1}}


@pytest.mark.parametrize(
    ("value", "schema", "expected"),
    [
        pytest.param([[1, 2], [3], [4]], _LIST, [[1], [3]], id="nested"),
        pytest.param({"a": [[1, 2]]}, {"properties": {"a": _LIST}}, {"a": [[1]]}, id="property"),
        pytest.param([[1, 2]], {"$ref": "#/$defs/L", "$defs": {"L": _LIST}}, [[1]], id="reference"),
        pytest.param([1, 2, 3], {"type": "array"}, [1, 2, 3], id="unbounded"),
        pytest.param("text", {"maxItems": 1}, "text", id="no-array"),
        pytest.param([1], {"$ref": "#/nowhere"}, [1], id="reference-to-nothing"),
        pytest.param([1], {"$defs": {"L": {"$ref": "#/$defs/L"}}, "$ref": "#/$defs/L"}, [1], id="circular-reference"),
    ],
)
def test_bounded_cuts_arrays_to_their_maximum(
    value: JsonValue, schema: dict[str, JsonValue], expected: JsonValue
) -> None:
    assert bounded(value, schema) == expected
