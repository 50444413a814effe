from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.canonical import JsonValue
from extraction.codes import Code
from extraction.errors import InvalidCompletion
from extraction.llm import reading
from extraction.llm.profiles import OutputMode
from extraction.llm.reading import MAX_DEPTH, decode_reply
from extraction.llm.schema import narrow, response_schema
from tests.extraction.llm.support import GOOD, Keepers

SCHEMA = response_schema(Keepers)
TEXT = json.dumps(GOOD)
STRICT, OBJECT, PROMPT = OutputMode.JSON_SCHEMA, OutputMode.JSON_OBJECT, OutputMode.PROMPT
BRACED = json.dumps({"keepers": [{"name": 'a "}" {b', "rank": "first", "note": "\\", "seen": []}]})


def code_of(text: str, mode: OutputMode = PROMPT, schema: dict[str, JsonValue] | None = None) -> Code:
    with pytest.raises(InvalidCompletion) as caught:
        decode_reply(text, schema or SCHEMA, mode)
    return caught.value.code


@pytest.mark.parametrize("mode", list(OutputMode))
@pytest.mark.parametrize(
    "text", [TEXT, f"\n  {TEXT}\n\n", json.dumps(GOOD, indent=3)], ids=["plain", "padded", "indented"]
)
def test_decode_reply_plain_json_in_every_mode(mode: OutputMode, text: str) -> None:
    assert decode_reply(text, SCHEMA, mode) == GOOD


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"```json\n{TEXT}\n```", id="fence"),
        pytest.param(f"```\n{TEXT}\n```" + "\n" * 300, id="fence-and-endless-lines"),
        pytest.param(f"```json\n{TEXT}", id="fence-left-open"),
        pytest.param(f"Sure! The keepers [see 7]:\n{TEXT}\nAnything else?", id="prose-around"),
    ],
)
@pytest.mark.parametrize("mode", [OBJECT, PROMPT])
def test_decode_reply_one_object_in_prose_in_the_weaker_modes(mode: OutputMode, text: str) -> None:
    assert decode_reply(text, SCHEMA, mode) == GOOD


def test_decode_reply_braces_inside_strings_do_not_count() -> None:
    assert decode_reply(f"Look: {BRACED} there.", SCHEMA, PROMPT) == json.loads(BRACED)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"{TEXT}\n{TEXT}", id="two-objects"),
        pytest.param(f"As {{name}} said: {TEXT}", id="a-brace-in-the-prose"),
        pytest.param(f"{TEXT} }}", id="a-brace-too-many"),
        pytest.param(f"}} {TEXT}", id="a-brace-before"),
        pytest.param(TEXT[:-1], id="a-brace-missing"),
        pytest.param(f"Here: [{TEXT}]", id="an-object-in-a-list"),
        pytest.param("The keeper is Wickern.", id="prose"),
        pytest.param("{keepers: none}", id="not-json"),
        pytest.param("[1, 2", id="cut-list"),
    ],
)
def test_decode_reply_does_not_guess(text: str) -> None:
    assert code_of(text) is Code.LLM_NOT_JSON


@pytest.mark.parametrize("text", ["", "   ", "\n" * 500])
def test_decode_reply_blank_is_empty(text: str) -> None:
    assert code_of(text) is Code.LLM_EMPTY


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param("1" * 5000, Code.LLM_NOT_JSON, id="integer-of-5000-digits"),
        pytest.param("1e400", Code.LLM_NOT_JSON, id="infinity"),
        pytest.param("NaN", Code.LLM_NOT_JSON, id="nan"),
        pytest.param("[" * 100_000, Code.LLM_NOT_JSON, id="100000-deep"),
        pytest.param("[" * 900 + "]" * 900, Code.LLM_SCHEMA_MISMATCH, id="900-deep"),
        pytest.param('"\\ud800"', Code.LLM_NOT_JSON, id="lone-surrogate"),
        pytest.param(TEXT.replace("Wickern", "Wick\\u0000ern"), Code.LLM_SCHEMA_MISMATCH, id="nul"),
        pytest.param(TEXT.replace(": 7", ": 7.0"), Code.LLM_SCHEMA_MISMATCH, id="float-for-an-id"),
        pytest.param(TEXT.replace(": 7", ": true"), Code.LLM_SCHEMA_MISMATCH, id="true-for-an-id"),
        pytest.param("null", Code.LLM_SCHEMA_MISMATCH, id="null"),
    ],
)
def test_decode_reply_hostile_value_is_refused(text: str, code: Code) -> None:
    assert code_of(text, STRICT) is code


@pytest.mark.parametrize(("depth", "fine"), [(MAX_DEPTH - 1, True), (MAX_DEPTH, True), (MAX_DEPTH + 1, False)])
def test_decode_reply_depth_limit(depth: int, fine: bool) -> None:
    text, anything = "[" * depth + "]" * depth, dict[str, JsonValue]()
    if fine:
        assert decode_reply(text, anything, STRICT) is not None
    else:
        assert code_of(text, STRICT, {"type": "array"}) is Code.LLM_SCHEMA_MISMATCH


def test_decode_reply_size_limit_counts_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_REPLY_BYTES", 10)

    assert decode_reply('"éééé"', {"type": "string"}, STRICT) == "éééé"
    assert code_of('"ééééé"', STRICT, {"type": "string"}) is Code.LLM_TOO_LARGE


@pytest.mark.parametrize("text", ["{" * 500_000, '{"' + "{" * 500_000, "{}" * 250_000], ids=["open", "quoted", "pairs"])
def test_decode_reply_half_a_million_braces_end_in_one_pass(text: str) -> None:
    """Scanning anew from each brace would not end within anybody's patience."""
    assert code_of(text) is Code.LLM_NOT_JSON


def test_decode_reply_error_names_places_of_the_schema_only() -> None:
    wrong = {"keepers": [{"canary": "canary", "name": ["canary"], "rank": "canary", "note": None, "seen": []}]}
    with pytest.raises(InvalidCompletion) as caught:
        decode_reply(json.dumps(wrong), SCHEMA, STRICT)

    assert "canary" not in str(caught.value)
    assert "3 violations" in str(caught.value)
    assert "/properties/keepers/items/properties/rank/enum" in str(caught.value)


def test_decode_reply_error_stays_short_however_wrong_the_reply() -> None:
    wrong = {"keepers": [{"name": number} for number in range(5000)]}
    with pytest.raises(InvalidCompletion) as caught:
        decode_reply(json.dumps(wrong), SCHEMA, STRICT)

    assert "20 or more violations" in str(caught.value)
    assert len(str(caught.value)) < 400


def test_decode_reply_uses_the_schema_it_is_given() -> None:
    narrowed = narrow(SCHEMA, unit_ids=[3], max_records=None)

    assert decode_reply(TEXT, SCHEMA, STRICT) == GOOD
    assert code_of(TEXT, STRICT, narrowed) is Code.LLM_SCHEMA_MISMATCH


JSON_TEXT = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(st.text() | st.binary().map(lambda raw: raw.decode("latin-1")), st.sampled_from(list(OutputMode)))
def test_decode_reply_any_text_ends_in_a_value_or_invalid_completion(text: str, mode: OutputMode) -> None:
    try:
        value = decode_reply(text, SCHEMA, mode)
    except InvalidCompletion as error:
        assert error.retryable
    else:
        assert isinstance(value, dict)


@given(JSON_TEXT, st.text(alphabet="abc `\n", max_size=20), st.text(alphabet="abc `\n", max_size=20))
def test_decode_reply_any_value_that_does_not_fit_is_refused(value: JsonValue, before: str, after: str) -> None:
    with pytest.raises(InvalidCompletion):
        decode_reply(before + json.dumps({"value": value}) + after, SCHEMA, PROMPT)
