"""Any OpenAI-compatible endpoint, through Chat Completions. The only file that imports the SDK, and that lazily.

Importing the SDK takes over a second and 50 MB, so a process that makes no call does not pay for it. Its pydantic
models are not used: the reply's bytes are kept as they came and read here.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, cast

import orjson

from extraction.canonical import JsonValue
from extraction.codes import Code
from extraction.errors import InvalidCompletion, LlmError, RequestRefused
from extraction.llm.boundary import (
    Exchange,
    ExchangeSink,
    Message,
    StructuredCompletion,
    StructuredRequest,
    Usage,
)
from extraction.llm.mapping import protocol_error, provider_errors, refusal_error, timeout_error, truncated_error
from extraction.llm.profiles import OutputMode, Profile, ProviderKind
from extraction.llm.reading import MAX_REPLY_BYTES, decode_reply
from extraction.llm.schedule import CallGate, call_with_retries, closed_error, stopped_error

if TYPE_CHECKING:
    import ssl

    from openai import APIResponse, OpenAI

CONNECT_TIMEOUT_S = 5.0
KEEPALIVE_S = 30.0
# The SDK refuses to start without a key; local servers take any.
NO_KEY = "none"
# JSON escapes may make the HTTP body several times as long as the text in it.
MAX_BODY_BYTES = 2 * MAX_REPLY_BYTES
# Raised when the payload changes for an unchanged profile and request, so that fingerprints change with it.
WIRE = "chat-completions.v1"
# A count above this is no count of tokens, and more than a database column holds.
MOST_TOKENS = 10**12
SCHEMA_NOTE = "Answer with one JSON object that satisfies this JSON Schema, and with nothing else:"


def preload() -> None:
    """Import the SDK now, so that worker processes forked later share its memory and start at once."""
    import httpx2
    import openai

    # A first client loads what both libraries import only then: the transport, TLS, the chat's resources.
    with httpx2.Client(verify=_trust_store()) as http:
        _ = openai.OpenAI(api_key=NO_KEY, base_url="http://127.0.0.1", http_client=http).chat.completions.create


@cache
def _trust_store() -> ssl.SSLContext:
    """Return the certificates that are trusted; reading them costs as much as a dozen calls, so it is done once."""
    import httpx2

    return httpx2.create_ssl_context()


@dataclass(slots=True)
class Trip:
    """What is known of one round trip, filled in while it happens. No `request`: nothing was sent."""

    request: bytes = b""
    reply: bytes = b""
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    request_id: str = ""
    latency_ms: int = 0


@dataclass(slots=True)
class Session:
    """What one process holds: a process forked later must not share its connections or its locks."""

    gate: CallGate
    sdk: OpenAI | None = None
    users: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


class OpenAIClient:
    """A StructuredClient for one profile; one connection pool and one call gate per process. Safe for threads.

    `pause` replaces the sleep before a retry, which otherwise ends when the client is closed.
    """

    def __init__(self, profile: Profile, *, pause: Callable[[float], None] | None = None) -> None:
        if not profile.base_url or not profile.model:
            raise RequestRefused("An openai profile needs a base URL and a model.", code=Code.LLM_CONFIGURATION)
        self.profile = profile
        self._pause = pause
        self._sessions: dict[int, Session] = {}

    def __repr__(self) -> str:
        return f"OpenAIClient({self.profile.name!r})"

    @property
    def identity(self) -> Mapping[str, JsonValue]:
        return {**self.profile.meaning(), "wire": WIRE}

    @property
    def closed(self) -> bool:
        return self._current().gate.closed.is_set()

    def complete(self, request: StructuredRequest, record: ExchangeSink) -> StructuredCompletion:
        payload = build_payload(request, self.profile)
        session = self._current()
        sdk = self._open(session)
        try:
            if request.stopped():
                raise stopped_error()
            return call_with_retries(
                lambda: self._round_trip(session.gate, sdk, payload, request, record),
                tries=self.profile.tries,
                pause=self._pause or session.gate.pause,
                rest=self._pause or session.gate.rest,
                tally=request.tally,
                stopped=request.stopped,
            )
        finally:
            self._let_go(session)

    def close(self) -> None:
        """End every wait at once and refuse new calls. Connections close when the calls in flight have ended."""
        session = self._current()
        session.gate.close()
        with session.lock:
            self._close_if_idle(session)

    def _round_trip(
        self,
        gate: CallGate,
        sdk: OpenAI,
        payload: Mapping[str, object],
        request: StructuredRequest,
        record: ExchangeSink,
    ) -> StructuredCompletion:
        trip, outcome = Trip(), "ok"

        def make() -> None:
            if request.stopped():
                raise stopped_error()
            call(sdk, payload, trip, timeout_s=self.profile.timeout_s)

        try:
            # The seat is given back before the reply is read and kept: the provider is free again.
            gate.seated(make)
            return read_reply(trip, request, self.profile)
        except LlmError as error:
            outcome = error.code.value
            raise
        finally:
            if trip.request:
                record(self._exchange(trip, request.prompt_id, outcome))

    def _exchange(self, trip: Trip, prompt_id: str, outcome: str) -> Exchange:
        return Exchange(
            prompt_id=prompt_id,
            request=trip.request,
            reply=trip.reply,
            outcome=outcome,
            usage=trip.usage,
            latency_ms=trip.latency_ms,
            model=trip.model or self.profile.model,
            provider=ProviderKind.OPENAI.value,
            provider_request_id=trip.request_id,
        )

    def _current(self) -> Session:
        # setdefault is one step, so threads that meet here agree without a lock that a fork could copy while held.
        return self._sessions.setdefault(os.getpid(), Session(CallGate(self.profile.concurrency)))

    def _open(self, session: Session) -> OpenAI:
        with session.lock:
            if session.gate.closed.is_set():
                raise closed_error()
            if session.sdk is None:
                session.sdk = _connect(self.profile)
            session.users += 1
            return session.sdk

    def _let_go(self, session: Session) -> None:
        with session.lock:
            session.users -= 1
            self._close_if_idle(session)

    def _close_if_idle(self, session: Session) -> None:
        # Closing sockets under a thread that reads from them could hand their numbers to a stranger.
        if session.gate.closed.is_set() and session.users == 0 and session.sdk is not None:
            session.sdk.close()
            session.sdk = None


def _connect(profile: Profile) -> OpenAI:
    import httpx2
    import openai

    timeout = httpx2.Timeout(profile.timeout_s, connect=min(CONNECT_TIMEOUT_S, profile.timeout_s))
    limits = httpx2.Limits(
        max_connections=profile.concurrency,
        max_keepalive_connections=profile.concurrency,
        keepalive_expiry=KEEPALIVE_S,
    )
    with provider_errors():
        return openai.OpenAI(
            api_key=profile.api_key.get_secret_value() if profile.api_key else NO_KEY,
            base_url=profile.base_url,
            max_retries=0,
            timeout=timeout,
            # A redirect would carry the transcript to an address nobody configured.
            http_client=httpx2.Client(verify=_trust_store(), timeout=timeout, limits=limits, follow_redirects=False),
        )


def build_payload(request: StructuredRequest, profile: Profile) -> dict[str, object]:
    """Return the body of a Chat Completions request. Options the profile leaves open are not sent."""
    messages = request.messages
    payload: dict[str, object] = {"model": profile.model}
    if profile.structured_output is OutputMode.JSON_SCHEMA:
        shape = {"name": request.schema_name, "strict": True, "schema": request.schema}
        payload["response_format"] = {"type": "json_schema", "json_schema": shape}
    else:
        messages = _with_schema_note(messages, request.schema)
    if profile.structured_output is OutputMode.JSON_OBJECT:
        payload["response_format"] = {"type": "json_object"}
    payload["messages"] = [{"role": message.role.value, "content": message.content} for message in messages]
    options = {
        "temperature": profile.temperature,
        "seed": profile.seed,
        profile.token_limit_field.value: profile.max_tokens,
    }
    return payload | {name: value for name, value in options.items() if value is not None}


def _with_schema_note(messages: tuple[Message, ...], schema: Mapping[str, JsonValue]) -> tuple[Message, ...]:
    """Return the messages with the schema as text at the very end.

    It differs from task to task: at the end it leaves the passage before it a prefix that all tasks share.
    """
    *before, last = messages
    note = f"{SCHEMA_NOTE}\n{orjson.dumps(schema).decode()}"
    return (*before, Message(last.role, f"{last.content}\n\n{note}"))


def call(sdk: OpenAI, payload: Mapping[str, object], trip: Trip, *, timeout_s: float) -> None:
    """Make the round trip and fill `trip` with the exact bytes both ways, also when it fails.

    The body is read piecewise, so that neither an endless one nor one that trickles can hold the thread or the memory.
    """
    # The SDK's overloads spell out every literal of every option; the payload is plain JSON.
    create = cast(
        "Callable[..., AbstractContextManager[APIResponse[object]]]",
        sdk.chat.completions.with_streaming_response.create,
    )
    # What goes in extra_body is sent as it is. The SDK would compare each message with each of its message types, and
    # walk the whole schema, for every call: that is half of its work.
    extra = {name: value for name, value in payload.items() if name != "model"}
    began = time.monotonic()
    with provider_errors():
        try:
            with create(model=payload["model"], messages=(), extra_body=extra) as response:
                trip.request = response.http_request.content
                trip.request_id = response.headers.get("x-request-id") or ""
                _read_body(response, trip, began + timeout_s)
        except Exception as error:
            _keep_bytes(error, trip)
            raise
        finally:
            trip.latency_ms = round((time.monotonic() - began) * 1000)


def _read_body(response: APIResponse[object], trip: Trip, deadline: float) -> None:
    pieces: list[bytes] = []
    size = 0
    try:
        for piece in response.iter_bytes():
            size += len(piece)
            if size > MAX_BODY_BYTES:
                raise InvalidCompletion(f"The reply is larger than {MAX_BODY_BYTES:,} bytes.", code=Code.LLM_TOO_LARGE)
            pieces.append(piece)
            if time.monotonic() > deadline:
                raise timeout_error()
    finally:
        trip.reply = b"".join(pieces)


def _keep_bytes(error: Exception, trip: Trip) -> None:
    import httpx2
    import openai

    if isinstance(error, (openai.APIError, httpx2.RequestError)):
        trip.request = error.request.content
    if isinstance(error, openai.APIStatusError):
        trip.reply = error.response.content
        trip.request_id = error.request_id or ""


def read_reply(trip: Trip, request: StructuredRequest, profile: Profile) -> StructuredCompletion:
    """Return the completion in the reply's bytes. Raises InvalidCompletion where it cannot be used."""
    body = _chat_completion(trip.reply)
    trip.usage = _usage(body.get("usage"))
    trip.model = _text(body.get("model")).replace("\0", "")
    choices = body["choices"]
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise InvalidCompletion("The provider answered without a choice.", code=Code.LLM_EMPTY)
    reason = choice.get("finish_reason")
    if message.get("refusal") or reason == "content_filter":
        raise refusal_error()
    if reason == "length":
        raise truncated_error()
    text = _text(message.get("content"))
    data = decode_reply(text, request.schema, profile.structured_output)
    return StructuredCompletion(data=data, text=text, usage=trip.usage, model=trip.model or profile.model)


def _chat_completion(reply: bytes) -> dict[str, object]:
    try:
        body = orjson.loads(reply)
    except orjson.JSONDecodeError:
        body = None
    # Some gateways answer 200 with an error object; a login page is no JSON at all.
    if not isinstance(body, dict) or not isinstance(body.get("choices"), list):
        raise protocol_error()
    return body


def _usage(value: object) -> Usage:
    counts = value if isinstance(value, dict) else {}
    details = counts.get("prompt_tokens_details")
    return Usage(
        prompt_tokens=_count(counts.get("prompt_tokens")),
        cached_tokens=_count(details.get("cached_tokens")) if isinstance(details, dict) else None,
        completion_tokens=_count(counts.get("completion_tokens")),
    )


def _count(value: object) -> int | None:
    is_count = isinstance(value, int) and not isinstance(value, bool)
    return value if is_count and isinstance(value, int) and 0 <= value <= MOST_TOKENS else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
