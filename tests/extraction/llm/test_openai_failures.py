"""Requests no retry would help, and requests that get no answer: how often each is made, and how it ends."""

from __future__ import annotations

import socket

import pytest

from extraction.codes import Code
from extraction.errors import ProviderUnavailable, RequestRefused
from extraction.llm.boundary import Message, Role
from extraction.llm.openai_client import OpenAIClient
from extraction.llm.profiles import Profile, ProviderKind
from tests.extraction.llm.support import GOOD, KEY, USER_TEXT, Pauses, Recorder, profile, request
from tests.extraction.llm.wire import GOOD_TEXT, ends_in, wire
from tests.loopback import DROP, HANG, Reply, answer, chat, failure

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
