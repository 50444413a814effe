"""An OpenAI-compatible endpoint without a model, to measure what the client costs and how well it keeps it busy.

    python -m bench.endpoint --latency 0.5 --jitter 0.6 --limit 8

It answers the two prompts of the NPC lane: an extraction with every generated name of the passage at the unit that
says it, a reconciliation with no group. With `--answers FILE` it gives the prepared answers of that file instead. How
long a call takes depends on its prompt alone, so every run of the same transcript has the same delays. With `--fault`
every fiftieth call, or as `--every` says, goes wrong. `--cache` counts what a prefix cache would serve and says so in
each reply's usage. `GET /counts` says what came in since the start,
`POST /reset` forgets it, and what the cache holds.
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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from bench.prefix_cache import Metering, PrefixCache
from bench.transcripts import npc_names

FIRST_UNIT = re.compile(r"TRANSCRIPT:\n\[(\d+)\] ")
UNIT_LINE = re.compile(r"^\[(\d+)\] [^:\n]*: (.*)$", re.MULTILINE)
NAMES = frozenset(npc_names(50))
FULL_NAME = re.compile(r"\b[A-Z][a-z]+ [A-Z][a-z]+\b")
TRANSCRIPT = "TRANSCRIPT:"
MAX_HEAD = 65_536


class Fault(StrEnum):
    """What comes of a call that goes wrong. HANG: nothing at all until the client gives up."""

    ERROR = "500"
    DROP = "drop"
    MALFORMED = "malformed"
    TRUNCATED = "truncated"
    EMPTY = "empty"
    HANG = "hang"


@dataclass(frozen=True, slots=True)
class Behaviour:
    """`jitter` is the sigma of a log-normal factor on the latency whose mean is 1; `limit` 0 holds any number.

    `fault` happens to every call whose number `every` divides.
    """

    latency: float = 0.0
    jitter: float = 0.0
    limit: int = 0
    retry_after: float = 1.0
    cache: Metering | None = None
    fault: Fault | None = None
    every: int = 50

    def delay(self, body: bytes) -> float:
        """Return the seconds that this request takes."""
        if not self.jitter:
            return self.latency
        seed = int.from_bytes(hashlib.sha256(body).digest()[:8])
        factor = random.Random(seed).lognormvariate(-(self.jitter**2) / 2, self.jitter)  # noqa: S311 - what a measurement draws is no secret
        return self.latency * factor


@dataclass(slots=True)
class Counts:
    """What came in. `delays` holds the seconds of each call that was not refused, in the order in which they arrived;
    None for one that hangs, which lasts as long as the client bears it. `held` is how long they all were here in truth:
    more, where this process had to wait for a processor."""

    calls: int = 0
    refused: int = 0
    in_flight: int = 0
    peak: int = 0
    prompt_words: int = 0
    first_at: float = 0.0
    last_at: float = 0.0
    held: float = 0.0
    delays: list[float | None] = field(default_factory=list)


class Answers:
    """Prepared answers: a list of {"unit", "task", "json"}, found by the passage's first unit and the task's words.

    An answer without a unit is for every request with its task.
    """

    def __init__(self, given: Sequence[Mapping[str, Any]]) -> None:
        self._at: dict[int | None, list[Mapping[str, Any]]] = {}
        for answer in given:
            self._at.setdefault(answer["unit"], []).append(answer)

    def find(self, text: str) -> dict[str, Any]:
        first = FIRST_UNIT.search(text)
        unit = None if first is None else int(first.group(1))
        found: dict[str, Any] = next(answer["json"] for answer in self._at.get(unit, []) if answer["task"] in text)
        return found


class Endpoint:
    def __init__(self, behaviour: Behaviour, answers: Answers | None = None) -> None:
        self.behaviour = behaviour
        self.answers = answers
        self._forget()

    def _forget(self) -> None:
        self.counts = Counts()
        self.cache = PrefixCache(self.behaviour.cache or Metering.WORDS)

    async def connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection until its other end goes away."""
        try:
            while request := await _next_request(reader):
                answer = await self.respond(*request, reader)
                if answer is None:
                    break
                status, value = answer
                writer.write(_http(status, json.dumps(value).encode(), self.behaviour.retry_after))
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            # A client that was killed: that is one of the measurements.
            pass
        finally:
            writer.close()

    async def respond(self, path: str, body: bytes, reader: asyncio.StreamReader) -> tuple[int, object] | None:
        """Return status and value, or None where the connection is to end without an answer."""
        counts = self.counts
        if path == "/counts":
            shown = {name: getattr(counts, name) for name in Counts.__slots__}
            return 200, shown
        if path == "/reset":
            self._forget()
            return 200, {}
        if path != "/v1/chat/completions":
            return 404, {"error": {"message": "no such path", "type": "not_found_error"}}
        if self.behaviour.limit and counts.in_flight >= self.behaviour.limit:
            counts.refused += 1
            return 429, {"error": {"message": "too many calls at once", "type": "rate_limit_exceeded"}}
        counts.calls += 1
        counts.in_flight += 1
        counts.peak = max(counts.peak, counts.in_flight)
        counts.first_at = counts.first_at or time.time()
        came = time.perf_counter()
        fault = None if counts.calls % self.behaviour.every else self.behaviour.fault
        try:
            if fault is Fault.HANG:
                counts.delays.append(None)
                await reader.read()
                return None
            return await self._take(body, fault)
        finally:
            counts.in_flight -= 1
            counts.last_at = time.time()
            counts.held += time.perf_counter() - came

    async def _take(self, body: bytes, fault: Fault | None) -> tuple[int, object] | None:
        delay = self.behaviour.delay(body)
        self.counts.delays.append(delay)
        due = asyncio.get_running_loop().time() + delay
        request = json.loads(body)
        tokens = self.cache.tokens(request)
        prefixes = self.cache.prefixes(request, tokens) if self.behaviour.cache else []
        value = self._completion(request, len(tokens), self.cache.served(prefixes))
        # What the answer took to make is part of the delay, so that the delays are exact.
        await asyncio.sleep(max(0.0, due - asyncio.get_running_loop().time()))
        self.cache.answered(prefixes)
        return _gone_wrong(fault, value) if fault else (200, value)

    def _completion(self, request: dict[str, Any], tokens: int, cached: int) -> dict[str, Any]:
        messages = [str(message["content"]) for message in request["messages"]]
        self.counts.prompt_words += sum(len(text.split()) for text in messages)
        text = json.dumps(self._reply(request, messages))
        usage: dict[str, Any] = {"prompt_tokens": tokens, "completion_tokens": len(self.cache.split(text))}
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        return {
            "id": f"chatcmpl-{self.counts.calls}",
            "object": "chat.completion",
            "created": 0,
            "model": request["model"],
            "choices": [choice],
            "usage": usage | {"total_tokens": sum(usage.values()), "prompt_tokens_details": {"cached_tokens": cached}},
        }

    def _reply(self, request: dict[str, Any], messages: Sequence[str]) -> dict[str, Any]:
        if self.answers is not None:
            return self.answers.find("\n\n".join(messages))
        shape = request.get("response_format", {}).get("json_schema", {}).get("name", "")
        return {"npcs": named_in(messages[-1])} if shape == "npcs" else {"duplicate_groups": []}


def _gone_wrong(fault: Fault, completion: dict[str, Any]) -> tuple[int, object] | None:
    """Return what is answered in place of the completion, None for nothing."""
    choice = completion["choices"][0]
    match fault:
        case Fault.ERROR:
            return 500, {"error": {"message": "something broke", "type": "server_error"}}
        case Fault.MALFORMED:
            choice["message"]["content"] = "Here is what I found: " + choice["message"]["content"][:-1]
        case Fault.TRUNCATED:
            choice["message"]["content"] = choice["message"]["content"][:-1]
            choice["finish_reason"] = "length"
        case Fault.EMPTY:
            choice["message"]["content"] = ""
        case Fault.DROP | Fault.HANG:
            return None
    return 200, completion


def named_in(message: str) -> list[dict[str, Any]]:
    """Return a record for each generated name of the message's passage, citing the units that say it."""
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


async def serve(behaviour: Behaviour, answers: Answers | None, port: int) -> None:
    served = Endpoint(behaviour, answers)
    server = await asyncio.start_server(served.connection, "127.0.0.1", port, limit=MAX_HEAD, backlog=512)
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
    parser.add_argument("--fault", type=Fault, choices=list(Fault), help="what some calls come to")
    parser.add_argument("--every", type=int, default=50, help="how many calls have one that goes wrong")
    parser.add_argument("--cache", type=Metering, choices=list(Metering), help="count what a prefix cache would serve")
    parser.add_argument("--answers", type=Path, help="prepared answers as bench.costs writes them")
    given = parser.parse_args()
    behaviour = Behaviour(
        given.latency, given.jitter, given.limit, given.retry_after, given.cache, given.fault, given.every
    )
    answers = None if given.answers is None else Answers(json.loads(given.answers.read_text(encoding="utf-8")))
    asyncio.run(serve(behaviour, answers, given.port))


if __name__ == "__main__":
    main()
