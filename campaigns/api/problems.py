"""Errors as `application/problem+json` (RFC 9457), wherever under /api/ they arise."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable
from functools import wraps
from http import HTTPStatus

import orjson
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError

from campaigns.errors import ActionError
from extraction.codes import Code
from extraction.errors import InputError, NotariusError

logger = logging.getLogger("notarius.api")

MEDIA_TYPE = "application/problem+json"
CODES = {
    400: Code.REQUEST_INVALID,
    401: Code.AUTH_REQUIRED,
    403: Code.AUTH_FORBIDDEN,
    404: Code.NOT_FOUND,
    405: Code.METHOD_NOT_ALLOWED,
    413: Code.INGEST_TOO_LARGE,
}
DETAILS = {
    400: "The request could not be read.",
    401: "Send a bearer token, or sign in.",
    403: "You may not do this.",
    404: "There is nothing at this address that you may see.",
    405: "This address does not take that method.",
    500: "Something failed on our side. It has been logged.",
}


def problem(status: int, code: str, detail: str, **more: object) -> HttpResponse:
    """Return the answer to a request that failed."""
    title = HTTPStatus(status).phrase
    body = {"type": "about:blank", "title": title, "status": status, "code": code, "detail": detail, **more}
    response = HttpResponse(orjson.dumps(body), status=status, content_type=MEDIA_TYPE)
    if status == HTTPStatus.UNAUTHORIZED:
        response["WWW-Authenticate"] = "Bearer"
    return response


def plain_problem(status: int) -> HttpResponse:
    """Return the problem that a bare status stands for."""
    return problem(status, CODES.get(status, Code.INTERNAL), DETAILS.get(status, HTTPStatus(status).description))


def install(api: NinjaAPI) -> None:
    """Make every error that an endpoint can end with a problem."""
    for kind in (Exception, Http404, HttpError, ValidationError):
        api.add_exception_handler(kind, _failed)


def speak_problems(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Return the view with its bare error answers (a method that is not allowed) turned into problems."""

    @wraps(view)
    def speaking(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        response = view(request, *args, **kwargs)
        if response.status_code < 400 or response.get("Content-Type") == MEDIA_TYPE:
            return response
        answer = plain_problem(response.status_code)
        if "Allow" in response:
            answer["Allow"] = response["Allow"]
        return answer

    return speaking


@csrf_exempt
def nothing_here(request: HttpRequest) -> HttpResponse:
    """Answer any address under /api/ that no endpoint has."""
    return plain_problem(404)


def _failed(request: HttpRequest, error: object) -> HttpResponse:
    match error:
        case ActionError():
            return problem(error.status, error.code, str(error))
        case InputError():
            return problem(413 if error.code is Code.INGEST_TOO_LARGE else 422, error.code, str(error))
        case ValidationError():
            return _validation_error(error)
        case HttpError():
            return plain_problem(error.status_code)
        case Http404():
            return plain_problem(404)
    return _bug(request, error)


def _validation_error(error: ValidationError) -> HttpResponse:
    """Name the fields and what is wrong with them, without repeating the values."""
    errors = [
        {"field": ".".join(map(str, item["loc"])), "code": str(item["type"]), "detail": str(item["msg"])}
        for item in error.errors
    ]
    return problem(422, Code.REQUEST_INVALID, "Some of what was sent is missing or wrong.", errors=errors)


def _bug(request: HttpRequest, error: object) -> HttpResponse:
    """Log where it failed, without the error's own words: they may quote what was sent."""
    code = error.code if isinstance(error, NotariusError) else Code.INTERNAL
    frames = "".join(traceback.format_tb(error.__traceback__)) if isinstance(error, BaseException) else ""
    logger.error("%s %s: %s\n%s", request.method, type(error).__name__, code, frames)
    return problem(500, code, DETAILS[500])
