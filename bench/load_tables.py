"""A table for `load`: a game master's program that uploads a session, has it read, approves it, and begins anew."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from threading import Event
from typing import Any

from bench.processes import Stopped

LOOK_S = 3.0
PATIENCE_S = 300.0
BOUNDARY = "bench-load-boundary"
UNENDED = frozenset({"queued", "running"})
JSON = "application/json"


@dataclass
class Table:
    """`runs` are as they were seen last, `errors` what was not answered as it should; `numbers` give new sessions."""

    host: str
    slug: str
    token: str
    transcript: bytes
    numbers: Iterator[int]
    runs: list[dict[str, Any]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def begin(self) -> int:
        """Upload a new session and start all lanes over it; return its number."""
        number = next(self.numbers)
        self._ask("POST", f"{self._session(number)}/transcripts", *_multipart(self.transcript))
        self.runs.append(self._ask("POST", f"{self._session(number)}/runs", b"{}"))
        return number

    def go_on(self, stop: Event) -> None:
        """Watch the run and begin another whenever one has ended, until told to stop."""
        while not stop.wait(LOOK_S):
            try:
                self._look()
            except (Stopped, OSError, HTTPException) as error:
                self.errors.append(f"table: {error}")

    def _look(self) -> None:
        run = self.runs[-1] = self._ask("GET", f"/runs/{self.runs[-1]['id']}")
        if run["state"] not in UNENDED:
            self._approve(run["session"])
            self.begin()

    def _approve(self, number: int) -> None:
        artifacts = self._ask("GET", f"{self._session(number)}/artifacts?status=latest")["items"]
        for artifact in artifacts:
            self._ask("POST", f"/artifact-versions/{artifact['latest_id']}/approve")

    def _session(self, number: int) -> str:
        return f"/campaigns/{self.slug}/sessions/{number}"

    def _ask(self, method: str, path: str, body: bytes = b"", content_type: str = JSON) -> Any:
        connection = HTTPConnection(self.host, timeout=PATIENCE_S)
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": content_type}
        try:
            connection.request(method, f"/api/v1{path}", body, headers)
            answer = connection.getresponse()
            value = json.loads(answer.read())
            if answer.status >= 300:
                raise Stopped(f"{method} {path.rpartition('/')[2]} answered {answer.status} {value.get('code', '')}")
            return value
        finally:
            connection.close()


def _multipart(content: bytes) -> tuple[bytes, str]:
    """Return a form with the transcript as its file, and the form's content type."""
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="bench.json"\r\n\r\n'
    return head.encode() + content + f"\r\n--{BOUNDARY}--\r\n".encode(), f"multipart/form-data; boundary={BOUNDARY}"
