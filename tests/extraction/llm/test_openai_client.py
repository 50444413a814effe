"""The real SDK against a server on loopback: what is sent, what comes back, and what is kept of both."""

from __future__ import annotations

import json

import pytest

from extraction.llm.boundary import Message, Role, StructuredCompletion, Usage
from extraction.llm.openai_client import SCHEMA_NOTE, build_payload
from extraction.llm.profiles import OutputMode
from tests.extraction.llm.support import GOOD, KEY, SYSTEM_TEXT, USER_TEXT, profile, request
from tests.extraction.llm.wire import GOOD_TEXT, wire
from tests.loopback import answer, chat


def test_complete_returns_decoded_json_and_counts() -> None:
    reply = chat(
        GOOD_TEXT, usage={"prompt_tokens": 50, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 32}}
    )
    with wire(reply) as w:
        done = w.ask()

    assert done == StructuredCompletion(GOOD, GOOD_TEXT, Usage(50, 32, 7), "test-model")


def test_complete_keeps_the_exact_bytes_both_ways() -> None:
    reply = chat(GOOD_TEXT, headers={"X-Request-Id": "req-81"})
    with wire(reply) as w:
        w.ask()
    exchange = w.record.exchanges[0]

    assert exchange.request == w.server.requests[0].body
    assert exchange.reply == reply.body
    assert (exchange.outcome, exchange.provider, exchange.model) == ("ok", "openai", "test-model")
    assert exchange.provider_request_id == "req-81"
    assert exchange.prompt_id == "test/keepers"
    assert USER_TEXT in exchange.request.decode()


def test_complete_sends_the_key_as_header_and_nowhere_else() -> None:
    with wire(answer(GOOD)) as w:
        w.ask()

    assert w.server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY.encode() not in w.server.requests[0].body
    assert KEY not in repr(w.record.exchanges)


def test_complete_works_without_a_key() -> None:
    with wire(answer(GOOD), api_key=None) as w:
        done = w.ask()

    assert done.data == GOOD


def test_reprs_hold_neither_key_nor_text() -> None:
    with wire(answer(GOOD)) as w:
        shown = repr(w.client) + repr(w.client.profile) + str(w.client.profile) + repr(w.client.identity)

    assert KEY not in shown


def test_complete_uses_one_connection_for_calls_in_turn() -> None:
    with wire(answer(GOOD)) as w:
        for _ in range(5):
            w.ask()

    assert (w.server.calls, w.server.connections) == (5, 1)


def test_complete_missing_usage_is_none() -> None:
    with wire(chat(GOOD_TEXT, usage=None)) as w:
        done = w.ask()

    assert done.usage == Usage(None, None, None)


@pytest.mark.parametrize(
    "usage", ["many", {"prompt_tokens": "12", "completion_tokens": -1, "prompt_tokens_details": []}]
)
def test_complete_odd_usage_is_none(usage: object) -> None:
    with wire(chat(GOOD_TEXT, usage=usage)) as w:
        done = w.ask()

    assert done.usage == Usage(None, None, None)


# --- what is sent


def test_payload_strict_schema_stands_in_response_format() -> None:
    asked = request(unit_ids=[7, 3])
    with wire(answer(GOOD), temperature=0.2, seed=5, max_tokens=400) as w:
        w.ask(asked)
    body = w.server.requests[0].json

    assert body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "keepers", "strict": True, "schema": asked.schema},
    }
    assert [m["content"] for m in body["messages"]] == [SYSTEM_TEXT, USER_TEXT]
    assert (body["temperature"], body["seed"], body["max_tokens"]) == (0.2, 5, 400)


def test_payload_leaves_out_open_options() -> None:
    with wire(answer(GOOD)) as w:
        w.ask()

    assert set(w.server.requests[0].json) == {"model", "messages", "response_format"}


def test_payload_is_the_same_bytes_each_time() -> None:
    with wire(answer(GOOD)) as w:
        w.ask()
        w.ask()

    assert w.server.requests[0].body == w.server.requests[1].body


@pytest.mark.parametrize(
    ("mode", "format_sent"),
    [(OutputMode.JSON_OBJECT, {"type": "json_object"}), (OutputMode.PROMPT, None)],
)
def test_payload_weaker_mode_appends_the_schema_to_the_last_message(
    mode: OutputMode, format_sent: dict[str, str] | None
) -> None:
    asked = request()
    with wire(answer(GOOD), structured_output=mode) as w:
        w.ask(asked)
    body = w.server.requests[0].json
    last = body["messages"][-1]["content"]

    assert body.get("response_format") == format_sent
    assert json.loads(last.partition(SCHEMA_NOTE)[2]) == asked.schema
    assert [m["role"] for m in body["messages"]] == ["system", "user"]


def test_payload_weaker_mode_leaves_what_stands_before_the_task_as_it_is() -> None:
    """A provider's prefix cache serves the passage to the next task only if nothing of the schema precedes it."""
    asked = request(messages=(Message(Role.SYSTEM, SYSTEM_TEXT), Message(Role.USER, USER_TEXT)))
    payload = build_payload(asked, profile("http://127.0.0.1:1/v1", structured_output=OutputMode.PROMPT))
    messages = payload["messages"]

    assert isinstance(messages, list)
    assert messages[0] == {"role": "system", "content": SYSTEM_TEXT}
    assert messages[1]["content"].startswith(USER_TEXT)


def test_payload_names_the_token_limit_as_the_profile_says() -> None:
    asked = profile("http://127.0.0.1:1/v1", max_tokens=64, token_limit_field="max_completion_tokens")

    assert "max_tokens" not in build_payload(request(), asked)
    assert build_payload(request(), asked)["max_completion_tokens"] == 64
