"""The real SDK against a server on loopback: what is sent, what is kept, and how each failure ends."""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from extraction.codes import Code
from extraction.errors import InvalidCompletion, LlmError, ProviderUnavailable, RequestRefused
from extraction.llm.boundary import Message, Role, StructuredCompletion, StructuredRequest, Usage
from extraction.llm.openai_client import SCHEMA_NOTE, OpenAIClient, build_payload, preload
from extraction.llm.profiles import OutputMode, Profile, ProviderKind
from tests.extraction.llm.support import GOOD, KEY, SYSTEM_TEXT, USER_TEXT, Pauses, Recorder, profile, request
from tests.loopback import DROP, HANG, Reply, RequestJson, ScriptedServer, answer, chat, failure

GOOD_TEXT = json.dumps(GOOD)


@dataclass
class Wire:
    server: ScriptedServer
    client: OpenAIClient
    record: Recorder
    pauses: Pauses

    def ask(self, asked: StructuredRequest | None = None) -> StructuredCompletion:
        return self.client.complete(asked or request(), self.record)


@contextmanager
def wire(*replies: Reply, server: ScriptedServer | None = None, **changes: Any) -> Iterator[Wire]:
    with server or ScriptedServer(*replies) as running:
        pauses = Pauses()
        client = OpenAIClient(profile(running.base_url, **changes), pause=pauses)
        try:
            yield Wire(running, client, Recorder(), pauses)
        finally:
            running.release()
            client.close()


def ends_in(kind: type[LlmError], code: Code, *replies: Reply, **changes: Any) -> Wire:
    """Ask once; check the error's type and code, and that neither text, chain nor exchange label leaks anything."""
    with wire(*replies, **changes) as w, pytest.raises(kind) as caught:
        w.ask()
    assert caught.value.code is code
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    text = f"{caught.value}{caught.value!r}"
    assert not any(word in text for word in (KEY, SYSTEM_TEXT, USER_TEXT, "canary", "Canary"))
    assert w.record.outcomes == [code.value] * len(w.record.exchanges)
    return w


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


# --- answers that cannot be used: each kind of fault seen with real models, by an input of ours

REPEATED = {"keepers": GOOD["keepers"] * 6}
CUT = GOOD_TEXT[:40]
PROSE = "The canary keeper is Wickern, I believe."


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        pytest.param(chat(PROSE), Code.LLM_NOT_JSON, id="prose"),
        pytest.param(chat(f"```json\n{GOOD_TEXT}\n```"), Code.LLM_NOT_JSON, id="fence-in-strict-mode"),
        pytest.param(chat(CUT), Code.LLM_NOT_JSON, id="cut-but-said-to-be-whole"),
        pytest.param(chat(CUT, finish_reason="length"), Code.LLM_TRUNCATED, id="cut"),
        pytest.param(chat(GOOD_TEXT, finish_reason="length"), Code.LLM_TRUNCATED, id="whole-but-said-to-be-cut"),
        pytest.param(chat('{"keepers": [' + "\n" * 400, finish_reason="length"), Code.LLM_TRUNCATED, id="white-space"),
        pytest.param(
            chat('{"keepers": 1' + "1" * 500, finish_reason="length"), Code.LLM_TRUNCATED, id="runaway-integer"
        ),
        pytest.param(chat(GOOD_TEXT.replace("7", "1" * 600)), Code.LLM_NOT_JSON, id="runaway-integer-closed"),
        pytest.param(chat(GOOD_TEXT.replace("7", "1" * 30)), Code.LLM_SCHEMA_MISMATCH, id="integer-beyond-64-bits"),
        pytest.param(chat(GOOD_TEXT.replace("7", "1e400")), Code.LLM_NOT_JSON, id="infinite"),
        pytest.param(chat(""), Code.LLM_EMPTY, id="empty"),
        pytest.param(chat(" \n\t"), Code.LLM_EMPTY, id="blank"),
        pytest.param(chat(None), Code.LLM_EMPTY, id="null"),
        pytest.param(chat(None, finish_reason="length"), Code.LLM_TRUNCATED, id="null-cut"),
        pytest.param(chat(None, tool_calls=[{"id": "c"}], finish_reason="tool_calls"), Code.LLM_EMPTY, id="tool-call"),
        pytest.param(chat(None, refusal="I will not, canary."), Code.LLM_REFUSAL, id="refusal"),
        pytest.param(chat(GOOD_TEXT, finish_reason="content_filter"), Code.LLM_REFUSAL, id="content-filter"),
        pytest.param(Reply(body=b'{"choices": []}'), Code.LLM_EMPTY, id="no-choice"),
        pytest.param(Reply(body=b'{"choices": [{"finish_reason": "stop"}]}'), Code.LLM_EMPTY, id="no-message"),
        pytest.param(Reply(body=b'{"choices": ["canary"]}'), Code.LLM_EMPTY, id="choice-is-text"),
        pytest.param(answer({"keepers": [{"canary": 1}]}), Code.LLM_SCHEMA_MISMATCH, id="other-fields"),
        pytest.param(answer({**GOOD, "canary": []}), Code.LLM_SCHEMA_MISMATCH, id="extra-field"),
        pytest.param(chat(GOOD_TEXT.replace(": 7", ': "u007"')), Code.LLM_SCHEMA_MISMATCH, id="id-as-text"),
        pytest.param(answer([GOOD]), Code.LLM_SCHEMA_MISMATCH, id="list-at-root"),
    ],
)
def test_complete_unusable_answer_is_invalid_completion(reply: Reply, code: Code) -> None:
    w = ends_in(InvalidCompletion, code, reply)

    assert w.server.calls == 1
    assert w.record.exchanges[0].reply == reply.body


def test_complete_id_outside_the_enum_is_invalid_completion() -> None:
    with wire(answer(GOOD)) as w, pytest.raises(InvalidCompletion) as caught:
        w.ask(request(unit_ids=[3, 40]))

    assert caught.value.code is Code.LLM_SCHEMA_MISMATCH


def test_complete_more_records_than_allowed_is_invalid_completion() -> None:
    with wire(answer(REPEATED)) as w, pytest.raises(InvalidCompletion) as caught:
        w.ask(request(max_records=5))

    assert caught.value.code is Code.LLM_SCHEMA_MISMATCH


def test_complete_record_repeated_up_to_the_bound_passes_unchanged() -> None:
    """Repetition is valid by the schema; the lane's merge makes one record of it."""
    with wire(answer(REPEATED)) as w:
        done = w.ask(request(max_records=6))

    assert done.data == REPEATED


def test_complete_usage_of_an_unusable_answer_is_kept() -> None:
    w = ends_in(InvalidCompletion, Code.LLM_TRUNCATED, chat(CUT, finish_reason="length"))

    assert w.record.exchanges[0].usage == Usage(120, None, 9)


def test_complete_fence_in_weaker_mode_is_read() -> None:
    fenced = f"Here you are:\n```json\n{GOOD_TEXT}\n```\n" + "\n" * 50
    with wire(chat(fenced), structured_output=OutputMode.PROMPT) as w:
        done = w.ask()

    assert (done.data, done.text) == (GOOD, fenced)


def test_complete_endless_body_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("extraction.llm.openai_client.MAX_BODY_BYTES", 1000)
    w = ends_in(InvalidCompletion, Code.LLM_TOO_LARGE, chat(" " * 5000))

    assert len(w.record.exchanges[0].reply) <= 1000


# --- requests no retry would help


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        pytest.param(failure(401, message=f"Bad key {KEY}"), Code.LLM_AUTHENTICATION, id="wrong-key"),
        pytest.param(failure(403, message="canary"), Code.LLM_AUTHENTICATION, id="forbidden"),
        pytest.param(
            failure(404, code="model_not_found", message="canary"), Code.LLM_UNKNOWN_MODEL, id="unknown-model"
        ),
        pytest.param(failure(400, message="canary: bad schema"), Code.LLM_BAD_REQUEST, id="bad-request"),
        pytest.param(failure(422, message="canary"), Code.LLM_BAD_REQUEST, id="unprocessable"),
        pytest.param(failure(400, code="context_length_exceeded"), Code.LLM_CONTEXT_OVERFLOW, id="overflow-by-code"),
        pytest.param(failure(400, type="exceed_context_size_error"), Code.LLM_CONTEXT_OVERFLOW, id="overflow-by-type"),
        pytest.param(failure(413), Code.LLM_CONTEXT_OVERFLOW, id="too-large"),
        pytest.param(failure(429, code="insufficient_quota", message="canary"), Code.LLM_QUOTA, id="quota"),
        pytest.param(failure(402), Code.LLM_QUOTA, id="payment"),
        pytest.param(
            Reply(status=307, headers={"Location": "http://127.0.0.1:9/"}), Code.LLM_CONFIGURATION, id="moved"
        ),
    ],
)
def test_complete_refused_request_is_not_repeated(reply: Reply, code: Code) -> None:
    w = ends_in(RequestRefused, code, reply)

    assert w.server.calls == 1
    assert w.record.exchanges[0].request == w.server.requests[0].body
    assert w.record.exchanges[0].reply == reply.body
    assert w.pauses.seconds == []


def test_client_needs_address_and_model() -> None:
    with pytest.raises(RequestRefused) as caught:
        OpenAIClient(Profile(provider=ProviderKind.RULES))

    assert caught.value.code is Code.LLM_CONFIGURATION


# --- no answer


@pytest.mark.parametrize(
    ("first", "outcome"),
    [
        pytest.param(failure(500, message="canary"), Code.LLM_SERVER_ERROR, id="500"),
        pytest.param(failure(503, type="unavailable_error"), Code.LLM_SERVER_ERROR, id="503-loading"),
        pytest.param(failure(408), Code.LLM_SERVER_ERROR, id="408"),
        pytest.param(DROP, Code.LLM_CONNECTION, id="dropped"),
        pytest.param(Reply(body=chat(GOOD_TEXT).body, cut=60), Code.LLM_CONNECTION, id="dropped-in-the-body"),
        pytest.param(Reply(status=500, body=b"canary" * 20, cut=60), Code.LLM_CONNECTION, id="dropped-in-an-error"),
        pytest.param(Reply(body=b"<html>canary</html>"), Code.LLM_SERVER_ERROR, id="a-web-page"),
        pytest.param(Reply(body=b'{"error": {"message": "canary"}}'), Code.LLM_SERVER_ERROR, id="error-with-200"),
    ],
)
def test_complete_tries_again_after_no_answer(first: Reply, outcome: Code) -> None:
    with wire(first, answer(GOOD)) as w:
        done = w.ask()

    assert done.data == GOOD
    assert w.record.outcomes == [outcome.value, "ok"]
    assert w.record.exchanges[0].request == w.server.requests[0].body
    assert len(w.pauses.seconds) == 1


def test_complete_waits_as_long_as_the_provider_asks() -> None:
    with wire(failure(429, headers={"Retry-After": "0.2"}), answer(GOOD)) as w:
        done = w.ask()

    assert done.data == GOOD
    assert w.record.outcomes == [Code.LLM_RATE_LIMITED.value, "ok"]
    assert 0.2 <= w.pauses.seconds[0] <= 0.25


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        pytest.param(failure(500, message="canary"), Code.LLM_SERVER_ERROR, id="500"),
        pytest.param(failure(429, headers={"Retry-After": "0"}), Code.LLM_RATE_LIMITED, id="429"),
        pytest.param(DROP, Code.LLM_CONNECTION, id="dropped"),
    ],
)
def test_complete_gives_up_after_its_tries(reply: Reply, code: Code) -> None:
    w = ends_in(ProviderUnavailable, code, reply)

    assert w.server.calls == len(w.record.exchanges) == 3


def test_complete_long_retry_after_is_handed_on_at_once() -> None:
    with wire(failure(429, headers={"Retry-After": "3600"})) as w, pytest.raises(ProviderUnavailable) as caught:
        w.ask()

    assert caught.value.retry_after == 3600
    assert (w.server.calls, w.pauses.seconds) == (1, [])


def test_complete_hang_ends_at_the_timeout() -> None:
    w = ends_in(ProviderUnavailable, Code.LLM_TIMEOUT, HANG, timeout_s=0.2, tries=1)

    assert w.record.exchanges[0].request == w.server.requests[0].body
    assert w.record.exchanges[0].reply == b""


def test_complete_trickle_ends_at_the_timeout() -> None:
    """Each byte comes well within the socket's own timeout; the call as a whole does not."""
    slow = Reply(body=chat(GOOD_TEXT).body, trickle=0.05)
    w = ends_in(ProviderUnavailable, Code.LLM_TIMEOUT, slow, timeout_s=0.3, tries=1)

    assert slow.body.startswith(w.record.exchanges[0].reply)


def test_complete_unreachable_port_is_unavailable() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        client, record = OpenAIClient(profile(address, tries=2), pause=Pauses()), Recorder()
        with pytest.raises(ProviderUnavailable) as caught:
            client.complete(request(), record)
    client.close()

    assert caught.value.code is Code.LLM_CONNECTION
    assert len(record.exchanges) == 2
    assert USER_TEXT in record.exchanges[0].request.decode()


def test_complete_unencodable_text_is_refused() -> None:
    with wire(answer(GOOD)) as w, pytest.raises(RequestRefused) as caught:
        w.ask(request(messages=(Message(Role.USER, "canary \ud800"),)))

    assert "canary" not in str(caught.value)
    assert (w.server.calls, w.record.exchanges) == (0, [])


# --- threads and processes


def test_complete_many_threads_stay_bounded_at_the_providers_limit() -> None:
    """The server takes 8 at once; 16 threads ask. Refusals may not exceed the threads, and nothing is lost."""
    server = ScriptedServer(answer(GOOD), latency=0.05, limit=8, retry_after="0.2")
    with server:
        client, record = OpenAIClient(profile(server.base_url, concurrency=16, tries=5)), Recorder()
        with ThreadPoolExecutor(16) as pool:
            done = list(pool.map(lambda _: client.complete(request(), record).data, range(96)))
        client.close()

    assert done == [GOOD] * 96
    assert server.refused <= 16
    assert server.peak_in_flight == 8
    assert len(record.exchanges) == 96 + server.refused


def test_complete_keeps_as_many_connections_as_the_profile_allows() -> None:
    together = threading.Barrier(12)

    def respond(_: RequestJson) -> Reply:
        together.wait(60)
        return answer(GOOD)

    server = ScriptedServer(responder=respond)
    with server:
        client = OpenAIClient(profile(server.base_url, concurrency=12))
        for _ in range(2):
            with ThreadPoolExecutor(12) as pool:
                list(pool.map(lambda _: client.complete(request(), Recorder()), range(12)))
        client.close()

    assert server.peak_in_flight == server.connections == 12


def test_close_ends_a_wait_at_once() -> None:
    """The provider asks for two minutes; the thread that waits for them must not outlive the client."""
    failures: list[LlmError] = []
    with ScriptedServer(failure(429, headers={"Retry-After": "120"})) as server:
        client, asked = OpenAIClient(profile(server.base_url)), threading.Event()

        def wait_long() -> None:
            try:
                client.complete(request(), lambda exchange: asked.set())
            except LlmError as error:
                failures.append(error)

        thread = threading.Thread(target=wait_long)
        thread.start()
        asked.wait(5)
        client.close()
        thread.join(5)

    assert not thread.is_alive()
    assert [type(error) for error in failures] == [ProviderUnavailable]


def test_complete_stopped_while_it_waits_for_a_seat_makes_no_round_trip() -> None:
    """One seat, which another call holds until the waiting one is stopped."""
    arrived, waits, stopped = threading.Event(), threading.Event(), threading.Event()

    def once_stopped(asked: RequestJson) -> Reply:
        arrived.set()
        assert stopped.wait(20)
        return answer(GOOD)

    def looks() -> bool:
        waits.set()
        return stopped.is_set()

    server = ScriptedServer(responder=once_stopped)
    with wire(server=server, concurrency=1, timeout_s=30.0) as w, ThreadPoolExecutor(2) as pool:
        seated = pool.submit(w.ask)
        assert arrived.wait(20)
        waiting = pool.submit(w.ask, request(stopped=looks))
        assert waits.wait(20)
        stopped.set()
        assert seated.result().data == GOOD
        with pytest.raises(ProviderUnavailable):
            waiting.result()

    assert w.server.calls == len(w.record.exchanges) == 1


def test_complete_after_close_is_unavailable() -> None:
    with wire(answer(GOOD)) as w:
        w.client.close()
        with pytest.raises(ProviderUnavailable):
            w.ask()

    assert w.server.calls == 0


def test_client_used_before_a_fork_has_its_own_connections_after() -> None:
    preload()
    with wire(answer(GOOD)) as w:
        w.ask()
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.write(writing, b"ok" if w.ask().data == GOOD else b"no")
            os._exit(0)
        os.close(writing)
        told = os.read(reading, 2)
        os.close(reading)
        os.waitpid(child, 0)
        w.ask()

    assert told == b"ok"
    assert (w.server.calls, w.server.connections) == (3, 2)
