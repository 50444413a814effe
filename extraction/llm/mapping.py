"""Foreign exceptions become our three types here, most specific class first. Texts are ours, never the provider's.

The table goes by class name, so that this module needs neither the SDK nor its HTTP library imported; a test fails when
the SDK gains a class that stands in no row.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeAlias

from extraction.codes import Code
from extraction.errors import InvalidCompletion, LlmError, ProviderUnavailable, RequestRefused

Translation: TypeAlias = Callable[[Exception], LlmError]

CONTEXT_WORDS = ("context length", "context size", "context window", "context_length", "context_size")
QUOTA_WORDS = ("insufficient_quota", "billing_hard_limit_reached")


@contextmanager
def provider_errors() -> Iterator[None]:
    """Turn exceptions of the SDK and its transport into InvalidCompletion, ProviderUnavailable or RequestRefused.

    Anything else passes: it is a bug of ours. The original is not chained, because its text may hold the reply.
    """
    try:
        yield
    except Exception as error:
        translation = translation_of(type(error))
        if translation is None:
            raise
        raise translation(error) from None


def translation_of(kind: type[BaseException]) -> Translation | None:
    """Return the row of the most specific class that has one, or None."""
    return next((TABLE[key] for cls in kind.__mro__ if (key := class_key(cls)) in TABLE), None)


def class_key(kind: type) -> str:
    """Return `<top package>.<class name>`, the key of TABLE."""
    return f"{kind.__module__.partition('.')[0]}.{kind.__name__}"


def status_error(
    status: int, *, words: str = "", headers: Mapping[str, str] | None = None, now: datetime | None = None
) -> LlmError:
    """Return our error for an HTTP status. `words` is the provider's error type, code and message, only looked at."""
    retry_after = retry_after_seconds(headers or {}, now or datetime.now(UTC))
    if status in (401, 403):
        return RequestRefused(
            f"The provider refused the credentials (HTTP {status}). Check the profile's API key.",
            code=Code.LLM_AUTHENTICATION,
        )
    if status == 402 or (status == 429 and any(word in words for word in QUOTA_WORDS)):
        return RequestRefused(
            f"The provider's quota is used up (HTTP {status}). Check the account's plan and billing.",
            code=Code.LLM_QUOTA,
        )
    if status == 404:
        return RequestRefused(
            "The provider knows no such model or address (HTTP 404). Check the profile's model and base URL.",
            code=Code.LLM_UNKNOWN_MODEL,
        )
    if status == 413 or (400 <= status < 500 and any(word in words.lower() for word in CONTEXT_WORDS)):
        return RequestRefused(
            f"The request is longer than the model's context (HTTP {status}). Use smaller chunks.",
            code=Code.LLM_CONTEXT_OVERFLOW,
        )
    if status == 429:
        return ProviderUnavailable(
            "The provider's rate limit is reached (HTTP 429).", code=Code.LLM_RATE_LIMITED, retry_after=retry_after
        )
    if status in (408, 409) or status >= 500:
        hint = " If it persists, the server may not know json_schema: try structured_output json_object."
        return ProviderUnavailable(
            f"The provider failed (HTTP {status}).{hint if status == 500 else ''}",
            code=Code.LLM_SERVER_ERROR,
            retry_after=retry_after,
        )
    if status < 400:
        return RequestRefused(
            f"The provider answered with a redirect (HTTP {status}). Set the final address as the base URL.",
            code=Code.LLM_CONFIGURATION,
        )
    return RequestRefused(
        f"The provider refused the request (HTTP {status}). It may not support an option of the profile.",
        code=Code.LLM_BAD_REQUEST,
    )


def retry_after_seconds(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the provider's wish from Retry-After (seconds or an HTTP date), None where it is absent or unreadable."""
    wish = headers.get("retry-after", "").strip()
    try:
        seconds = float(wish)
    except ValueError:
        seconds = _until(wish, now)
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _until(date: str, now: datetime) -> float:
    try:
        when = parsedate_to_datetime(date)
    except ValueError:
        return math.nan
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp() - now.timestamp()


def _by_status(error: Exception) -> LlmError:
    response = getattr(error, "response", None)
    body = getattr(error, "body", None)
    fields = [str(body.get(key, "")) for key in ("type", "code", "message")] if isinstance(body, dict) else []
    return status_error(
        int(getattr(error, "status_code", 500)),
        words=" ".join(fields),
        headers=getattr(response, "headers", None),
    )


def _timeout(error: Exception) -> LlmError:
    return timeout_error()


def timeout_error() -> ProviderUnavailable:
    return ProviderUnavailable("The provider did not answer within the profile's timeout.", code=Code.LLM_TIMEOUT)


def _connection(error: Exception) -> LlmError:
    return ProviderUnavailable(
        "The provider cannot be reached, or the connection broke. Check the profile's base URL and that it runs.",
        code=Code.LLM_CONNECTION,
    )


def _protocol(error: Exception) -> LlmError:
    return protocol_error()


def protocol_error() -> ProviderUnavailable:
    return ProviderUnavailable(
        "The endpoint answered something else than a chat completion. Check that the base URL is that of the API.",
        code=Code.LLM_SERVER_ERROR,
    )


def _configuration(error: Exception) -> LlmError:
    return RequestRefused(
        "The client library refused the profile's settings. Check base URL, model and key.", code=Code.LLM_CONFIGURATION
    )


def _encoding(error: Exception) -> LlmError:
    return RequestRefused("The request cannot be encoded as UTF-8.", code=Code.LLM_BAD_REQUEST)


def _truncated(error: Exception) -> LlmError:
    return truncated_error()


def truncated_error() -> InvalidCompletion:
    return InvalidCompletion(
        "The reply was cut at the token limit. Raise max_tokens or use smaller chunks.", code=Code.LLM_TRUNCATED
    )


def _refusal(error: Exception) -> LlmError:
    return refusal_error()


def refusal_error() -> InvalidCompletion:
    return InvalidCompletion("The model or the provider's content filter refused to answer.", code=Code.LLM_REFUSAL)


TABLE: Mapping[str, Translation] = {
    "openai.APITimeoutError": _timeout,
    "openai.APIConnectionError": _connection,
    "openai.APIResponseValidationError": _protocol,
    "openai.BadRequestError": _by_status,
    "openai.OAuthError": _by_status,
    "openai.AuthenticationError": _by_status,
    "openai.PermissionDeniedError": _by_status,
    "openai.NotFoundError": _by_status,
    "openai.ConflictError": _by_status,
    "openai.UnprocessableEntityError": _by_status,
    "openai.RateLimitError": _by_status,
    "openai.InternalServerError": _by_status,
    "openai.APIStatusError": _by_status,
    "openai.APIError": _protocol,
    "openai.LengthFinishReasonError": _truncated,
    "openai.ContentFilterFinishReasonError": _refusal,
    "openai.SubjectTokenProviderError": _configuration,
    "openai.InvalidWebhookSignatureError": _configuration,
    "openai.WebSocketConnectionClosedError": _connection,
    "openai.WebSocketQueueFullError": _connection,
    "openai._AmbiguousModuleClientUsageError": _configuration,
    "openai.OpenAIError": _configuration,
    "httpx2.TimeoutException": _timeout,
    "httpx2.UnsupportedProtocol": _configuration,
    "httpx2.LocalProtocolError": _configuration,
    "httpx2.InvalidURL": _configuration,
    "httpx2.HTTPError": _connection,
    "httpx2.StreamError": _connection,
    "builtins.OSError": _connection,
    "builtins.UnicodeError": _encoding,
}
