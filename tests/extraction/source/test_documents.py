from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.canonical import JsonValue, canonical_json, digest
from extraction.source.documents import SourceDocument, SourceUnit, units_digest

UNITS = (
    SourceUnit(40, "Mara", "The Heron\u2019s caf\u00e9, \u201cshut\u201d.", 1000, 2500),
    SourceUnit(7, None, "A door\nslams."),
)
# SHA-256 of the UTF-8 bytes of this one line, made with hashlib apart from the code under test.
CANONICAL = (
    '[{"end_ms":2500,"speaker":"Mara","start_ms":1000,"text":"The Heron\u2019s caf\u00e9, \u201cshut\u201d."'
    ',"unit_id":40},'
    '{"end_ms":null,"speaker":null,"start_ms":null,"text":"A door\\nslams.","unit_id":7}]'
)
GOLDEN = "17eaeced5a5a31e8d0de9ac23e063e4b35ca84ec1cdb4b9c01c5575c4749bc77"

characters = st.characters(exclude_categories=["Cs"])
scalars = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(characters, max_size=12)
json_values: st.SearchStrategy[JsonValue] = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(characters, max_size=6), inner, max_size=4),
    max_leaves=12,
)


def test_units_digest_golden_vector() -> None:
    assert units_digest(UNITS) == GOLDEN
    assert hashlib.sha256(CANONICAL.encode()).hexdigest() == GOLDEN


def test_document_digest_ignores_name_and_title() -> None:
    document = SourceDocument("glass-tithe.s1.t1", UNITS, "A title")

    assert document.digest == SourceDocument("other.s9.t4", UNITS).digest == GOLDEN


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param((UNITS[1], UNITS[0]), id="order"),
        pytest.param(UNITS[:1], id="count"),
        pytest.param((replace(UNITS[0], unit_id=41), UNITS[1]), id="unit-id"),
        pytest.param((replace(UNITS[0], speaker=None), UNITS[1]), id="speaker"),
        pytest.param((replace(UNITS[0], text="The Heron."), UNITS[1]), id="text"),
        pytest.param((replace(UNITS[0], start_ms=1001), UNITS[1]), id="start"),
        pytest.param((replace(UNITS[0], end_ms=None), UNITS[1]), id="end"),
    ],
)
def test_units_digest_sees_every_field(changed: tuple[SourceUnit, ...]) -> None:
    assert units_digest(changed) != GOLDEN


def test_scope_leaves_out_the_revision() -> None:
    assert SourceDocument("the.tall-tale.s12.t3", ()).scope == "the.tall-tale.s12"


def test_canonical_json_golden_vector() -> None:
    value: JsonValue = {"b": [1, None, True], "a": {"\u00e9": "\u201c \t", "Z": -5}}

    assert canonical_json(value) == '{"a":{"Z":-5,"\u00e9":"\u201c \\t"},"b":[1,null,true]}'.encode()


@given(json_values)
def test_canonical_json_agrees_with_the_standard_library(value: JsonValue) -> None:
    expected = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    assert canonical_json(value) == expected.encode()


@given(st.dictionaries(st.text(characters, max_size=6), scalars, max_size=8), st.randoms(use_true_random=False))
def test_digest_ignores_key_order(value: dict[str, JsonValue], random: Random) -> None:
    keys = list(value)
    random.shuffle(keys)

    assert digest({key: value[key] for key in keys}) == digest(value)


@pytest.mark.parametrize("value", [1.0, [1, 2.5], {"a": {"b": [float("nan")]}}, (0.5,)])
def test_canonical_json_refuses_floats_at_any_depth(value: JsonValue) -> None:
    with pytest.raises(TypeError):
        canonical_json(value)
