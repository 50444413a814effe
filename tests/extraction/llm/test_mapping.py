from __future__ import annotations

import traceback
from collections.abc import Iterator
from datetime import UTC, datetime

import httpx2
import openai
import openai._exceptions as sdk_exceptions
import pytest

from extraction.codes import Code
from extraction.errors import InvalidCompletion, LlmError, ProviderUnavailable, RequestRefused
from extraction.llm.mapping import TABLE, class_key, provider_errors, retry_after_seconds, status_error, translation_of

NOW = datetime(2031, 5, 4, 12, 0, 0, tzinfo=UTC)
SENT = httpx2.Request("POST", "http://127.0.0.1:1/v1/chat/completions", content=b"canary-question")


def sdk_errors() -> list[type[Exception]]:
    """Every exception class the SDK shows in its namespace or its module of exceptions."""
    names = [*vars(openai).values(), *vars(sdk_exceptions).values()]
    found = {value for value in names if isinstance(value, type) and issubclass(value, Exception)}
    return sorted((kind for kind in found if kind.__module__.startswith("openai")), key=lambda kind: kind.__name__)


def status_failure(
    kind: type[openai.APIStatusError], status: int, body: object, **headers: str
) -> openai.APIStatusError:
    response = httpx2.Response(status, request=SENT, headers=headers)
    return kind("canary-answer", response=response, body=body)


@pytest.mark.parametrize("kind", sdk_errors(), ids=lambda kind: kind.__name__)
def test_table_names_every_class_of_the_sdk(kind: type[Exception]) -> None:
    """A class the SDK gains must be looked at by a person, not swept up by its base class."""
    assert class_key(kind) in TABLE


def test_table_names_no_class_the_sdk_has_lost() -> None:
    known = {class_key(kind) for kind in sdk_errors()}

    assert {key for key in TABLE if key.startswith("openai.")} == known


def transport_errors() -> Iterator[type[Exception]]:
    for value in list(vars(httpx2).values()):
        if isinstance(value, type) and issubclass(value, (httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL)):
            yield value


@pytest.mark.parametrize("kind", list(transport_errors()), ids=lambda kind: kind.__name__)
def test_translation_of_covers_the_transport(kind: type[Exception]) -> None:
    assert translation_of(kind) is not None


@pytest.mark.parametrize(
    ("error", "expected", "code"),
    [
        pytest.param(openai.APITimeoutError(request=SENT), ProviderUnavailable, Code.LLM_TIMEOUT, id="timeout"),
        pytest.param(
            openai.APIConnectionError(request=SENT), ProviderUnavailable, Code.LLM_CONNECTION, id="connection"
        ),
        pytest.param(httpx2.ReadTimeout("canary"), ProviderUnavailable, Code.LLM_TIMEOUT, id="read-timeout"),
        pytest.param(httpx2.RemoteProtocolError("canary"), ProviderUnavailable, Code.LLM_CONNECTION, id="protocol"),
        pytest.param(httpx2.UnsupportedProtocol("canary"), RequestRefused, Code.LLM_CONFIGURATION, id="scheme"),
        pytest.param(ConnectionResetError("canary"), ProviderUnavailable, Code.LLM_CONNECTION, id="reset"),
        pytest.param(openai.OpenAIError("canary"), RequestRefused, Code.LLM_CONFIGURATION, id="sdk-root"),
        pytest.param(openai.APIError("canary", SENT, body=None), ProviderUnavailable, Code.LLM_SERVER_ERROR, id="api"),
        pytest.param(openai.ContentFilterFinishReasonError(), InvalidCompletion, Code.LLM_REFUSAL, id="content-filter"),
        pytest.param(
            UnicodeEncodeError("utf-8", "canary", 0, 1, "canary"), RequestRefused, Code.LLM_BAD_REQUEST, id="text"
        ),
        pytest.param(
            status_failure(openai.AuthenticationError, 401, {"message": "canary"}),
            RequestRefused,
            Code.LLM_AUTHENTICATION,
            id="401",
        ),
        pytest.param(
            status_failure(openai.BadRequestError, 400, {"message": "exceeds the maximum context length, canary"}),
            RequestRefused,
            Code.LLM_CONTEXT_OVERFLOW,
            id="overflow-by-message",
        ),
        pytest.param(
            status_failure(openai.RateLimitError, 429, "canary"), ProviderUnavailable, Code.LLM_RATE_LIMITED, id="429"
        ),
    ],
)
def test_provider_errors_maps_and_hides(error: Exception, expected: type[LlmError], code: Code) -> None:
    with pytest.raises(expected) as caught, provider_errors():
        raise error

    assert caught.value.code is code
    assert "canary" not in "".join(traceback.format_exception(caught.value)).replace("raise error", "")


def test_provider_errors_lets_our_own_bugs_pass() -> None:
    with pytest.raises(KeyError), provider_errors():
        raise KeyError("bug")


def test_provider_errors_carries_retry_after() -> None:
    error = status_failure(openai.RateLimitError, 429, None, **{"retry-after": "7"})
    with pytest.raises(ProviderUnavailable) as caught, provider_errors():
        raise error

    assert caught.value.retry_after == 7


@pytest.mark.parametrize(
    ("status", "kind", "code"),
    [
        (301, RequestRefused, Code.LLM_CONFIGURATION),
        (400, RequestRefused, Code.LLM_BAD_REQUEST),
        (401, RequestRefused, Code.LLM_AUTHENTICATION),
        (402, RequestRefused, Code.LLM_QUOTA),
        (403, RequestRefused, Code.LLM_AUTHENTICATION),
        (404, RequestRefused, Code.LLM_UNKNOWN_MODEL),
        (405, RequestRefused, Code.LLM_BAD_REQUEST),
        (408, ProviderUnavailable, Code.LLM_SERVER_ERROR),
        (409, ProviderUnavailable, Code.LLM_SERVER_ERROR),
        (413, RequestRefused, Code.LLM_CONTEXT_OVERFLOW),
        (422, RequestRefused, Code.LLM_BAD_REQUEST),
        (429, ProviderUnavailable, Code.LLM_RATE_LIMITED),
        (500, ProviderUnavailable, Code.LLM_SERVER_ERROR),
        (503, ProviderUnavailable, Code.LLM_SERVER_ERROR),
        (529, ProviderUnavailable, Code.LLM_SERVER_ERROR),
    ],
)
def test_status_error_by_status(status: int, kind: type[LlmError], code: Code) -> None:
    error = status_error(status)

    assert (type(error), error.code) == (kind, code)
    assert str(status) in str(error)


def test_status_error_500_hints_at_the_weaker_mode() -> None:
    assert "json_object" in str(status_error(500))
    assert "json_object" not in str(status_error(502))


@pytest.mark.parametrize(
    ("wish", "expected"),
    [
        ("3", 3.0),
        ("0.25", 0.25),
        (" 12 ", 12.0),
        ("-4", 0.0),
        ("Sun, 04 May 2031 12:00:30 GMT", 30.0),
        ("Sun, 04 May 2031 11:00:00 GMT", 0.0),
        ("soon", None),
        ("", None),
        ("nan", None),
        ("inf", None),
        ("Sun, 99 May 2031 12:00:30 GMT", None),
    ],
)
def test_retry_after_seconds_reads_seconds_and_dates(wish: str, expected: float | None) -> None:
    assert retry_after_seconds({"retry-after": wish}, NOW) == expected


def test_retry_after_seconds_absent_is_none() -> None:
    assert retry_after_seconds({}, NOW) is None
