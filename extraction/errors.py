"""The errors of the extraction package.

    NotariusError                      has a stable `code`; its text holds no content of a transcript or a reply
    ├── InputError                     a user's file, setting or request is wrong: say what, where, what to do
    │   ├── IngestError                a transcript cannot be read
    │   ├── PromptError                a prompt asset or its materials are wrong
    │   └── PipelineError              a pipeline file is wrong, or a slot has nothing to bind
    ├── LlmError
    │   ├── InvalidCompletion          an answer came and cannot be used: ask again while the budget lasts
    │   ├── ProviderUnavailable        no answer came: operational, never an accepted fallback
    │   └── RequestRefused             no retry would help: credentials, model name, request, configuration
    ├── LaneFailed                     a lane ended without an artifact
    ├── RunCancelled                   somebody stopped the run
    ├── RunPaused                      the run waits: what was in flight is kept, and the rest is asked later
    ├── LeaseLost                      another worker holds this lane now: stop, write nothing
    └── InternalError                  a bug of ours

`retryable` says whether the same stage may be tried again from the same input; nothing else decides that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from extraction.codes import Code
from extraction.findings import Finding


class NotariusError(Exception):
    code: Code = Code.INTERNAL
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, code: Code | None = None) -> None:
        super().__init__(message)
        if code is not None:
            self.code = code


class InputError(NotariusError):
    code = Code.INGEST_MALFORMED


class IngestError(InputError):
    pass


class PromptError(InputError):
    code = Code.PROMPT_INVALID


class PipelineError(InputError):
    code = Code.PIPELINE_INVALID


class LlmError(NotariusError):
    pass


class InvalidCompletion(LlmError):
    code = Code.LLM_NOT_JSON
    retryable = True


class ProviderUnavailable(LlmError):
    """`retry_after` is the provider's own wish in seconds, None where it named none."""

    code = Code.LLM_CONNECTION

    def __init__(self, message: str, *, code: Code | None = None, retry_after: float | None = None) -> None:
        super().__init__(message, code=code)
        self.retry_after = retry_after


class RequestRefused(LlmError):
    code = Code.LLM_BAD_REQUEST


class LaneFailed(NotariusError):
    """`findings` say what was wrong where, content-safe."""

    code = Code.EXTRACT_INVALID

    def __init__(self, message: str, *, code: Code | None = None, findings: Sequence[Finding] = ()) -> None:
        super().__init__(message, code=code)
        self.findings = tuple(findings)


class RunCancelled(NotariusError):
    code = Code.RUN_CANCELLED


class RunPaused(NotariusError):
    code = Code.RUN_PAUSED


class LeaseLost(NotariusError):
    code = Code.RUN_LEASE_LOST


class InternalError(NotariusError):
    code = Code.INTERNAL
