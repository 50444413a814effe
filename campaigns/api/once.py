"""Idempotency-Key: a write that a program asks for again, because no answer came, is done once and answered again."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import wraps
from inspect import signature

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja.operation import Operation
from ninja.utils import contribute_operation_callback
from pydantic import BaseModel

from campaigns.actions import idempotency
from campaigns.actions.idempotency import Answer
from campaigns.api.auth import caller_of
from campaigns.errors import ActionError
from extraction.canonical import JsonValue, bytes_digest, digest
from extraction.errors import InternalError

HEADER = "Idempotency-Key"
REPLAYED = "Idempotent-Replayed"
LONGEST = 255
PARAMETER = {
    "in": "header",
    "name": HEADER,
    "required": False,
    "description": "A text of your own for this one write, such as a UUID. Asked again with it, the write is not done "
    "again: the first answer comes back, with the header `Idempotent-Replayed`.",
    "schema": {"type": "string", "minLength": 1, "maxLength": LONGEST, "pattern": "^[!-~]+$"},
}
Endpoint = Callable[..., HttpResponse]


def once(endpoint: Endpoint) -> Endpoint:
    """Have the endpoint done once a key. What it writes and the answer that is kept are one transaction."""
    return _marked(endpoint, together=True)


def once_at_length(endpoint: Endpoint) -> Endpoint:
    """Like `once`, for work that is too long for one transaction and that does nothing when it is done again."""
    return _marked(endpoint, together=False)


def _marked(endpoint: Endpoint, *, together: bool) -> Endpoint:
    def contribute(operation: Operation) -> None:
        operation.view_func = _kept(endpoint, together)
        operation.openapi_extra = {**(operation.openapi_extra or {}), "parameters": [PARAMETER]}

    contribute_operation_callback(endpoint, contribute)
    return endpoint


def _kept(endpoint: Endpoint, together: bool) -> Endpoint:
    lead = _lead_of(endpoint)

    @wraps(endpoint)
    def answered(request: HttpRequest, **values: object) -> HttpResponse:
        key = request.headers.get(HEADER)
        if key is None:
            return endpoint(request, **values)
        claimed = idempotency.claim(
            actor=caller_of(request),
            key=_valid(key),
            digest=_asked(request, values),
            at=timezone.now(),
            campaign_id=idempotency.campaign_at(lead, values[lead]),
        )
        if isinstance(claimed, Answer):
            return _again(claimed)
        try:
            with transaction.atomic() if together else nullcontext():
                response = endpoint(request, **values)
                idempotency.answer(row=claimed, given=_answer_of(response), must_stand=together)
        except BaseException:
            idempotency.release(row=claimed)
            raise
        return response

    return answered


def _lead_of(endpoint: Endpoint) -> str:
    """Return which of the names in the endpoint's address leads to the campaign of which its answers may tell."""
    named = signature(endpoint).parameters
    for lead in idempotency.LEADS:
        if lead in named:
            return lead
    raise InternalError(f"nobody would know whose the answers of {endpoint.__name__} are")


def _valid(key: str) -> str:
    if not 1 <= len(key) <= LONGEST or not all("!" <= sign <= "~" for sign in key):
        raise ActionError(f"An {HEADER} is 1 to {LONGEST} visible ASCII characters.")
    return key


def _asked(request: HttpRequest, values: dict[str, object]) -> str:
    """Return a digest of what is asked: of the values, for two multipart bodies of one content differ in bytes."""
    asked: list[JsonValue] = [f"{name}={_plain(value)}" for name, value in sorted(values.items())]
    return digest([request.method, request.get_full_path(), *asked])


def _plain(value: object) -> str:
    if isinstance(value, BaseModel):
        return value.model_dump_json()
    if isinstance(value, UploadedFile):
        content = value.read()
        value.seek(0)
        return f"{value.name} {bytes_digest(content)}"
    return repr(value)


def _answer_of(response: HttpResponse) -> Answer:
    media_type, location = response.get("Content-Type", ""), response.get("Location", "")
    return Answer(response.status_code, media_type, location, response.content)


def _again(answer: Answer) -> HttpResponse:
    response = HttpResponse(answer.body, status=answer.status, content_type=answer.media_type)
    if answer.location:
        response["Location"] = answer.location
    response[REPLAYED] = "true"
    return response
