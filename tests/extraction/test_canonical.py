from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.canonical import bytes_digest, canonical_json, digest

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param({"b": 1, "a": [None, True]}, b'{"a":[null,true],"b":1}', id="sorted-without-space"),
        pytest.param(["Ysolde Mär", "”"], '["Ysolde Mär","”"]'.encode(), id="not-escaped"),
        pytest.param({"b": {"d": 1, "c": 2}}, b'{"b":{"c":2,"d":1}}', id="sorted-inside"),
        pytest.param((1, 2), b"[1,2]", id="tuple"),
        pytest.param({}, b"{}", id="empty"),
    ],
)
def test_canonical_json_has_one_spelling(value: Any, expected: bytes) -> None:
    assert canonical_json(value) == expected


@pytest.mark.parametrize("value", [0.5, [1.0], {"a": {"b": (2.5,)}}], ids=["bare", "in-list", "deep"])
def test_canonical_json_refuses_floats(value: Any) -> None:
    with pytest.raises(TypeError, match="floats"):
        canonical_json(value)


@pytest.mark.parametrize("value", [{1: "a"}, object(), "\ud800", 2**64], ids=["key", "object", "surrogate", "huge"])
def test_canonical_json_refuses_what_is_no_json(value: Any) -> None:
    with pytest.raises(TypeError):
        canonical_json(value)


@given(values)
def test_canonical_json_agrees_with_the_standard_library(value: Any) -> None:
    # Both sort by code point: UTF-8 keeps that order.
    expected = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    assert json.loads(canonical_json(value)) == value
    assert len(canonical_json(value)) <= len(json.dumps(value))
    assert json.loads(expected) == json.loads(canonical_json(value))


@given(st.dictionaries(st.text(), values, min_size=1, max_size=5), st.randoms())
def test_digest_ignores_the_order_of_keys(value: Mapping[str, Any], random: Any) -> None:
    shuffled = dict(random.sample(list(value.items()), len(value)))

    assert digest(shuffled) == digest(value)


def test_digest_is_the_hash_of_the_canonical_bytes() -> None:
    assert digest({"b": 1, "a": 2}) == hashlib.sha256(b'{"a":2,"b":1}').hexdigest()
    assert digest({"b": 1, "a": 2}) == bytes_digest(b'{"a":2,"b":1}')


@pytest.mark.parametrize(("one", "other"), [([1, 2], [2, 1]), (None, 0), (1, "1"), (True, 1), ({}, [])])
def test_digest_tells_different_values_apart(one: Any, other: Any) -> None:
    assert digest(one) != digest(other)
