"""A scripted OpenAI-compatible server on 127.0.0.1, for tests of what really goes over the wire.

    with ScriptedServer(chat('{"npcs": []}')) as server:
        ...  # server.base_url, server.requests, server.calls, server.peak_in_flight

It answers from a queue (the last reply repeats) or from a responder `(request_json) -> Reply`.
"""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, TypeAlias

RequestJson: TypeAlias = dict[str, Any]

# How long a server with a limit waits for the call it is to turn away: a client that never sends it fails its test.
LONGEST_WAIT_S = 30.0


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer. `drop` closes the connection without one; `hang` keeps it open until the server is released.

    `cut` announces the whole body and sends only that many bytes of it; `trickle` sends a piece every so many seconds.
    """

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    drop: bool = False
    hang: bool = False
    cut: int | None = None
    trickle: float | None = None


Responder: TypeAlias = Callable[[RequestJson], Reply]

DROP = Reply(drop=True)
HANG = Reply(hang=True)
USAGE = {"prompt_tokens": 120, "completion_tokens": 9, "total_tokens": 129}


def chat(
    content: str | None, *, finish_reason: str = "stop", headers: Mapping[str, str] | None = None, **extra: Any
) -> Reply:
    """Return a chat completion. `extra` joins the message (`refusal`) or, for `usage` and `model`, the body."""
    body: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": extra.pop("model", "test-model"),
        "usage": extra.pop("usage", USAGE),
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": content, **extra}, "finish_reason": finish_reason}
        ],
    }
    if body["usage"] is None:
        del body["usage"]
    return Reply(body=json.dumps(body).encode(), headers=headers or {})


def answer(value: object) -> Reply:
    """Return a chat completion whose content is the value as JSON."""
    return chat(json.dumps(value))


def failure(status: int, *, headers: Mapping[str, str] | None = None, **error: Any) -> Reply:
    """Return an error body as OpenAI and llama.cpp write it."""
    return Reply(status=status, body=json.dumps({"error": error}).encode(), headers=headers or {})


@dataclass(frozen=True, slots=True)
class Seen:
    """One request as it arrived."""

    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> RequestJson:
        value: RequestJson = json.loads(self.body)
        return value


class ScriptedServer:
    """`limit` answers 429 to calls beyond that many in flight; `latency` is how long an accepted call takes.

    A server with a limit holds its first answers until it has turned one call away: however slow the machine is, the
    limit is met.
    """

    def __init__(
        self,
        *replies: Reply,
        responder: Responder | None = None,
        latency: float = 0.0,
        limit: int | None = None,
        retry_after: str = "0.1",
        host: str = "127.0.0.1",
    ) -> None:
        self.requests: list[Seen] = []
        self.calls = 0
        self.refused = 0
        self.in_flight = 0
        self.peak_in_flight = 0
        self.connections = 0
        self.released = threading.Event()
        self._full = threading.Event()
        self._replies = list(replies)
        self._responder = responder
        self._latency = latency
        self._limit = limit
        self._retry_after = retry_after
        self._lock = threading.Lock()
        self._http = _HttpServer(self, host)
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02})

    @property
    def port(self) -> int:
        return int(self._http.server_address[1])

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def enqueue(self, *replies: Reply) -> None:
        with self._lock:
            self._replies.extend(replies)

    def release(self) -> None:
        """Let the calls that hang end without an answer."""
        self.released.set()

    def __enter__(self) -> ScriptedServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
        self._http.shutdown()
        self._thread.join()
        self._http.end_connections()
        self._http.server_close()

    def answer(self, seen: Seen) -> Reply:
        """Return the reply to a request, counting it; refuse it with 429 where the limit is reached."""
        with self._lock:
            self.requests.append(seen)
            if self._limit is not None and self.in_flight >= self._limit:
                self.refused += 1
                self._full.set()
                return failure(429, headers={"Retry-After": self._retry_after}, type="rate_limit_exceeded")
            self.calls += 1
            self.in_flight += 1
            self.peak_in_flight = max(self.peak_in_flight, self.in_flight)
        try:
            reply = self._scripted(seen)
            if self._limit is not None:
                self._full.wait(LONGEST_WAIT_S)
            if self._latency:
                time.sleep(self._latency)
            if reply.hang:
                self.released.wait()
            return reply
        finally:
            with self._lock:
                self.in_flight -= 1

    def _scripted(self, seen: Seen) -> Reply:
        if seen.path != "/v1/chat/completions":
            return failure(404, message="no such path", type="not_found_error")
        if self._responder is not None:
            return self._responder(seen.json)
        with self._lock:
            if not self._replies:
                return failure(500, message="nothing is scripted")
            return self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]


class _HttpServer(ThreadingHTTPServer):
    # Joined at the end, so that no thread and no socket outlives a test.
    daemon_threads = False
    block_on_close = True
    request_queue_size = 128

    def __init__(self, scripted: ScriptedServer, host: str) -> None:
        self.scripted = scripted
        self._open: set[socket.socket] = set()
        self._guard = threading.Lock()
        super().__init__((host, 0), _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._guard:
            self._open.add(request)
            self.scripted.connections += 1
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._guard:
            self._open.discard(request)
        super().shutdown_request(request)

    def end_connections(self) -> None:
        with self._guard:
            for connection in self._open:
                # The other side may have hung up already.
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay silent where the client went away: tests do that on purpose."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _HttpServer

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        reply = self.server.scripted.answer(Seen(self.path, headers, body))
        if reply.drop or reply.hang:
            self.close_connection = True
            return
        self.send_response(reply.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply.body)))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self._send(reply)

    def _send(self, reply: Reply) -> None:
        if reply.cut is not None:
            self.wfile.write(reply.body[: reply.cut])
            self.close_connection = True
        elif reply.trickle is not None:
            for at in range(len(reply.body)):
                if self.server.scripted.released.wait(reply.trickle):
                    return
                self.wfile.write(reply.body[at : at + 1])
        else:
            self.wfile.write(reply.body)

    def log_message(self, format: str, *args: Any) -> None:
        """Keep the test output clean."""
