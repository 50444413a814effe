"""Recorded replies: a run that was recorded once can be repeated without a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import orjson
from pydantic import BaseModel, ConfigDict, ValidationError

from extraction.canonical import JsonValue, digest
from extraction.codes import Code
from extraction.errors import LlmError, RequestRefused
from extraction.llm.boundary import Exchange, ExchangeSink, StructuredCompletion, StructuredRequest, Usage
from extraction.llm.profiles import OutputMode, ProviderKind
from extraction.llm.reading import MAX_REPLY_BYTES, decode_reply

MAX_FILE_BYTES = 256 * 2**20
# JSON escapes may double the length of a text.
MAX_LINE_BYTES = 2 * MAX_REPLY_BYTES


class Recording(BaseModel):
    """One line of a recordings file: the reply's raw text under the key of the request it answered."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    key: str
    prompt_id: str
    text: str
    model: str = ""
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    completion_tokens: int | None = None


def recording_key(request: StructuredRequest) -> str:
    """Return the digest of what a model is shown: prompt id, messages and schema."""
    messages = [[message.role.value, message.content] for message in request.messages]
    return digest([request.prompt_id, messages, request.schema])


def recording_of(request: StructuredRequest, completion: StructuredCompletion) -> Recording:
    """Return the line that lets ReplayClient answer the request again."""
    usage = completion.usage
    return Recording(
        key=recording_key(request),
        prompt_id=request.prompt_id,
        text=completion.text,
        model=completion.model,
        prompt_tokens=usage.prompt_tokens,
        cached_tokens=usage.cached_tokens,
        completion_tokens=usage.completion_tokens,
    )


def dump(recordings: Iterable[Recording]) -> bytes:
    """Return the recordings as JSON Lines, one a line."""
    return b"".join(orjson.dumps(recording.model_dump(), option=orjson.OPT_APPEND_NEWLINE) for recording in recordings)


def load_recordings(path: Path) -> dict[str, Recording]:
    """Return the recordings of a file by key; of two with one key the later counts.

    Raises RequestRefused for a file that is missing, too large or malformed.
    """
    recordings: dict[str, Recording] = {}
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise _unusable(f"is larger than {MAX_FILE_BYTES:,} bytes")
        with path.open("rb") as lines:
            for number, line in enumerate(iter(lambda: lines.readline(MAX_LINE_BYTES + 1), b""), start=1):
                if len(line) > MAX_LINE_BYTES:
                    raise _unusable(f"has a line longer than {MAX_LINE_BYTES:,} bytes: line {number}")
                if line.strip():
                    recording = _parse(line, number)
                    recordings[recording.key] = recording
    except OSError:
        raise _unusable("cannot be read") from None
    return recordings


def _parse(line: bytes, number: int) -> Recording:
    try:
        return Recording.model_validate(orjson.loads(line))
    except (orjson.JSONDecodeError, ValidationError):
        raise _unusable(f"is malformed in line {number}") from None


def _unusable(reason: str) -> RequestRefused:
    return RequestRefused(f"The profile's recordings file {reason}.", code=Code.LLM_CONFIGURATION)


class ReplayClient:
    """A StructuredClient that answers from recordings and asks nobody."""

    def __init__(
        self, recordings: Path | Mapping[str, Recording], *, mode: OutputMode = OutputMode.JSON_SCHEMA
    ) -> None:
        self._recordings = load_recordings(recordings) if isinstance(recordings, Path) else dict(recordings)
        self._mode = mode
        self._digest = digest(sorted([key, recording.text] for key, recording in self._recordings.items()))

    @property
    def identity(self) -> Mapping[str, JsonValue]:
        return {
            "provider": ProviderKind.REPLAY.value,
            "structured_output": self._mode.value,
            "recordings": self._digest,
        }

    def complete(self, request: StructuredRequest, record: ExchangeSink) -> StructuredCompletion:
        recording, outcome = self._recordings.get(recording_key(request)), "ok"
        try:
            if recording is None:
                raise RequestRefused("This request is not among the recordings.", code=Code.LLM_NOT_RECORDED)
            data = decode_reply(recording.text, request.schema, self._mode)
            return StructuredCompletion(data, recording.text, _usage(recording), recording.model)
        except LlmError as error:
            outcome = error.code.value
            raise
        finally:
            record(
                Exchange(
                    prompt_id=request.prompt_id,
                    request=orjson.dumps([[message.role.value, message.content] for message in request.messages]),
                    reply=recording.text.encode() if recording else b"",
                    outcome=outcome,
                    usage=_usage(recording) if recording else Usage(),
                    model=recording.model if recording else "",
                    provider=ProviderKind.REPLAY.value,
                )
            )


def _usage(recording: Recording) -> Usage:
    return Usage(recording.prompt_tokens, recording.cached_tokens, recording.completion_tokens)
