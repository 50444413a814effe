"""An OpenAI-compatible endpoint without a model, to measure what the client costs and how well it keeps it busy.

    python -m bench.endpoint --latency 0.5 --jitter 0.6 --limit 8

It answers the two prompts of the NPC lane: an extraction with every generated name of the passage at the unit that
says it, a reconciliation with no group. How long a call takes depends on its prompt alone, so every run of the same
transcript has the same delays. `GET /counts` says what came in since the start.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import random
import re
import sys
import time
from dataclasses import dataclass, field
from typing import Any

from bench.transcripts import npc_names

UNIT_LINE = re.compile(r"^\[(\d+)\] [^:\n]*: (.*)$", re.MULTILINE)
NAMES = frozenset(npc_names(50))
FULL_NAME = re.compile(r"\b[A-Z][a-z]+ [A-Z][a-z]+\b")
TRANSCRIPT = "TRANSCRIPT:"
MAX_HEAD = 65_536


@dataclass(frozen=True, slots=True)
class Behaviour:
    """`jitter` is the sigma of a log-normal factor on the latency whose mean is 1; `limit` 0 holds any number."""

    latency: float = 0.0
    jitter: float = 0.0
    limit: int = 0
    retry_after: float = 1.0

    def delay(self, body: bytes) -> float:
        """Return the seconds that this request takes."""
        if not self.jitter:
            return self.latency
        seed = int.from_bytes(hashlib.sha256(body).digest()[:8])
        factor = random.Random(seed).lognormvariate(-(self.jitter**2) / 2, self.jitter)  # noqa: S311 - no secret
        return self.latency * factor


@dataclass(slots=True)
class Counts:
    """What came in. `delays` holds the seconds of each answered call in the order in which they arrived."""

    calls: int = 0
    refused: int = 0
    in_flight: int = 0
    peak: int = 0
    prompt_words: int = 0
    first_at: float = 0.0
    last_at: float = 0.0
    delays: list[float] = field(default_factory=list)


class Endpoint:
    def __init__(self, behaviour: Behaviour) -> None:
        self.behaviour = behaviour
        self.counts = Counts()

    async def connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection until its other end goes away."""
        try:
            while request := await _next_request(reader):
                path, body = request
                status, value = await self.respond(path, body)
                writer.write(_http(status, json.dumps(value).encode(), self.behaviour.retry_after))
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            # A client that was killed: that is one of the measurements.
            pass
        finally:
            writer.close()

    async def respond(self, path: str, body: bytes) -> tuple[int, object]:
        counts = self.counts
        if path == "/counts":
            shown = {name: getattr(counts, name) for name in Counts.__slots__}
            return 200, shown
        if path != "/v1/chat/completions":
            return 404, {"error": {"message": "no such path", "type": "not_found_error"}}
        if self.behaviour.limit and counts.in_flight >= self.behaviour.limit:
            counts.refused += 1
            return 429, {"error": {"message": "too many calls at once", "type": "rate_limit_exceeded"}}
        counts.calls += 1
        counts.in_flight += 1
        counts.peak = max(counts.peak, counts.in_flight)
        counts.first_at = counts.first_at or time.time()
        delay = self.behaviour.delay(body)
        counts.delays.append(delay)
        due = asyncio.get_running_loop().time() + delay
        try:
            value = self._completion(json.loads(body))
            # What the answer took to make is part of the delay, so that the delays are exact.
            await asyncio.sleep(max(0.0, due - asyncio.get_running_loop().time()))
        finally:
            counts.in_flight -= 1
            counts.last_at = time.time()
        return 200, value

    def _completion(self, request: dict[str, Any]) -> dict[str, Any]:
        messages = [str(message["content"]) for message in request["messages"]]
        words = sum(len(text.split()) for text in messages)
        self.counts.prompt_words += words
        shape = request.get("response_format", {}).get("json_schema", {}).get("name", "")
        reply: dict[str, Any] = {"npcs": _named_in(messages[-1])} if shape == "npcs" else {"duplicate_groups": []}
        text = json.dumps(reply)
        usage = {"prompt_tokens": words, "completion_tokens": len(text.split())}
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        return {
            "id": f"chatcmpl-{self.counts.calls}",
            "object": "chat.completion",
            "created": 0,
            "model": request["model"],
            "choices": [choice],
            "usage": usage | {"total_tokens": sum(usage.values())},
        }


def _named_in(message: str) -> list[dict[str, Any]]:
    passage = message.partition(TRANSCRIPT)[2]
    found: dict[str, list[dict[str, int]]] = {}
    for unit, text in UNIT_LINE.findall(passage):
        for name in NAMES.intersection(FULL_NAME.findall(text)):
            found.setdefault(name, []).append({"start_unit_id": int(unit), "end_unit_id": int(unit)})
    return [{"name": name, "source_refs": refs} for name, refs in found.items()]


async def _next_request(reader: asyncio.StreamReader) -> tuple[str, bytes] | None:
    """Return path and body, or None where the connection ended."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.split("\r\n")
    sizes = [line.partition(":")[2] for line in lines if line.lower().startswith("content-length:")]
    parts = first.split(" ")
    return (parts[1], await reader.readexactly(int(sizes[0]) if sizes else 0)) if len(parts) > 1 else None


def _http(status: int, body: bytes, retry_after: float) -> bytes:
    retry = f"Retry-After: {retry_after:g}\r\n" if status == 429 else ""
    head = f"HTTP/1.1 {status} -\r\nContent-Type: application/json\r\n{retry}Content-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


async def serve(behaviour: Behaviour, port: int) -> None:
    server = await asyncio.start_server(Endpoint(behaviour).connection, "127.0.0.1", port, limit=MAX_HEAD, backlog=512)
    sys.stdout.write(f"ready http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1\n")
    sys.stdout.flush()
    await server.serve_forever()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds a call takes")
    parser.add_argument("--jitter", type=float, default=0.0, help="sigma of a log-normal factor on it")
    parser.add_argument("--limit", type=int, default=0, help="calls held at once; more get HTTP 429")
    parser.add_argument("--retry-after", type=float, default=1.0, help="seconds, in the 429's header")
    given = parser.parse_args()
    asyncio.run(serve(Behaviour(given.latency, given.jitter, given.limit, given.retry_after), given.port))


if __name__ == "__main__":
    main()
