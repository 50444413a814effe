"""A client that answers from a script: for tests, demonstrations and dry runs. It ships beside the real one."""

from __future__ import annotations

import threading
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from typing import TypeAlias

import orjson

from extraction.canonical import JsonValue
from extraction.codes import Code
from extraction.errors import LlmError, RequestRefused
from extraction.llm.boundary import Exchange, ExchangeSink, StructuredCompletion, StructuredRequest, Usage
from extraction.llm.profiles import OutputMode
from extraction.llm.reading import decode_reply

# A JSON value, the raw text of a reply, or an error to raise.
ScriptedReply: TypeAlias = "JsonValue | Exception"
Answer: TypeAlias = Callable[[StructuredRequest], JsonValue]

MODEL = "scripted"


class ScriptedClient:
    """Answers each prompt id from its queue, else by `answer`. Replies are read exactly as a provider's are.

    A string is the raw text of a reply, so junk can be scripted; `requests` holds what was asked, in order. Asking more
    than was scripted is RequestRefused.
    """

    def __init__(self, answer: Answer | None = None, *, mode: OutputMode = OutputMode.JSON_SCHEMA) -> None:
        self.requests: list[StructuredRequest] = []
        self._answer = answer
        self._mode = mode
        self._queues: defaultdict[str, deque[ScriptedReply]] = defaultdict(deque)
        self._lock = threading.Lock()

    @property
    def identity(self) -> Mapping[str, JsonValue]:
        return {"provider": MODEL, "structured_output": self._mode.value}

    def enqueue(self, prompt_id: str, *replies: ScriptedReply) -> None:
        """Add replies for the prompt, in the order they will be given."""
        with self._lock:
            self._queues[prompt_id].extend(replies)

    def complete(self, request: StructuredRequest, record: ExchangeSink) -> StructuredCompletion:
        text, outcome = "", "ok"
        try:
            reply = self._next(request)
            if isinstance(reply, Exception):
                raise reply
            text = reply if isinstance(reply, str) else orjson.dumps(reply).decode()
            data = decode_reply(text, request.schema, self._mode)
            return StructuredCompletion(data=data, text=text, usage=Usage(), model=MODEL)
        except LlmError as error:
            outcome = error.code.value
            raise
        finally:
            record(
                Exchange(
                    prompt_id=request.prompt_id,
                    request=orjson.dumps([[message.role.value, message.content] for message in request.messages]),
                    reply=text.encode("utf-8", "surrogatepass"),
                    outcome=outcome,
                    model=MODEL,
                    provider=MODEL,
                )
            )

    def _next(self, request: StructuredRequest) -> ScriptedReply:
        with self._lock:
            self.requests.append(request)
            queue = self._queues[request.prompt_id]
            if queue:
                return queue.popleft()
        if self._answer is None:
            raise RequestRefused("Nothing more is scripted for this prompt.", code=Code.LLM_NOT_RECORDED)
        return self._answer(request)
