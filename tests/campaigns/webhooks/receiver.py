"""A program that takes messages: a real HTTP server on 127.0.0.1, which remembers all it was sent."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any


@dataclass(frozen=True, slots=True)
class Message:
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass
class Receiver:
    """Answers with the statuses in turn, the last one again and again; `hang` keeps every sender waiting.

    `trickle` sends a byte of an endless header as often as somebody reads.
    """

    statuses: list[int] = field(default_factory=lambda: [200])
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    hang: bool = False
    trickle: bool = False
    seen: list[Message] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/hook?from=notarius"

    def __enter__(self) -> Receiver:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                receiver._take(self)

            def log_message(self, *args: Any) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()
        return self

    def __exit__(self, *args: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _take(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers["Content-Length"]))
        at = min(len(self.seen), len(self.statuses) - 1)
        self.seen.append(Message(handler.path, dict(handler.headers), body))
        try:
            if self.trickle:
                handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
                while not self.released.wait(0.05):
                    handler.wfile.write(b"x")
                    handler.wfile.flush()
                return
            if self.hang:
                self.released.wait(60)
                return
            handler.send_response(self.statuses[at])
            for name, value in self.headers.items():
                handler.send_header(name, value)
            handler.send_header("Content-Length", str(len(self.body)))
            handler.end_headers()
            handler.wfile.write(self.body)
        except OSError:
            # The sender has hung up, which is what some of the tests are about.
            return
