"""Errors as `application/problem+json` (RFC 9457), wherever under /api/ they arise."""

from __future__ import annotations

import logging
import re
import traceback
from collections.abc import Sequence
from http import HTTPStatus

import orjson
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.http import Http404, HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.views.decorators.csrf import csrf_exempt
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError

from campaigns.errors import ActionError, Invalid, Overtaken
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
    406: Code.REQUEST_NOT_ACCEPTABLE,
    409: Code.VERSION_STALE,
    411: Code.REQUEST_LENGTH,
    412: Code.REQUEST_PRECONDITION,
    413: Code.REQUEST_TOO_LARGE,
    414: Code.REQUEST_ADDRESS,
    415: Code.REQUEST_MEDIA_TYPE,
    422: Code.REQUEST_INVALID,
    429: Code.REQUEST_RATE_LIMITED,
}
DETAILS = {
    400: "The request could not be read.",
    401: "Send a bearer token, or sign in.",
    403: "You may not do this.",
    404: "There is nothing at this address that you may see.",
    405: "This address does not take that method.",
    406: "This address answers in none of the media types that you accept.",
    411: "Say in Content-Length how long the body is. It is not read in chunks.",
    412: "It is not any more what your If-Match says. Read it again.",
    413: "The request is larger than this address takes.",
    414: "The address is longer than 4 KiB. Ask for less at once.",
    415: "This address does not take a body of that media type.",
    422: "Some of what was sent is missing or wrong.",
    429: "You have asked too often. Wait as long as Retry-After says.",
    500: "Something failed on our side. It has been logged.",
}
# What an endpoint calls a body that may be of several shapes.
ONE_OF = "one_of"
TOO_MUCH = (RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent)


def problem(status: int, code: str, detail: str, **more: object) -> HttpResponse:
    """Return the answer to a request that failed."""
    title = HTTPStatus(status).phrase
    body = {"type": "about:blank", "title": title, "status": status, "code": code, "detail": detail, **more}
    response = HttpResponse(orjson.dumps(body), status=status, content_type=MEDIA_TYPE)
    response["Cache-Control"] = "no-store"
    if status == HTTPStatus.UNAUTHORIZED:
        response["WWW-Authenticate"] = "Bearer"
    return response


def plain_problem(status: int) -> HttpResponse:
    """Return the problem that a bare status stands for."""
    return problem(status, CODES.get(status, Code.INTERNAL), DETAILS.get(status, HTTPStatus(status).description))


def install(api: NinjaAPI) -> None:
    """Make every error that an endpoint can end with a problem."""
    for kind in (Exception, Http404, HttpError, ValidationError):
        api.add_exception_handler(kind, answer_to)


@csrf_exempt
def nothing_here(request: HttpRequest) -> HttpResponse:
    """Answer any address under /api/ that no endpoint has."""
    return plain_problem(404)


def answer_to(request: HttpRequest, error: object) -> HttpResponse:
    """Return the problem that an error means."""
    match error:
        case Invalid():
            return problem(error.status, error.code, str(error), errors=_problems_of(error))
        case Overtaken():
            return problem(error.status, error.code, str(error), newest=error.newest)
        case ActionError():
            return problem(error.status, error.code, str(error))
        case InputError():
            return problem(413 if error.code is Code.INGEST_TOO_LARGE else 422, error.code, str(error))
        case ValidationError():
            return problem(422, Code.REQUEST_INVALID, DETAILS[422], errors=_faults_of(error))
        case HttpError():
            return plain_problem(error.status_code)
        case Http404():
            return plain_problem(404)
        case MultiPartParserError():
            return plain_problem(400)
    return plain_problem(413) if isinstance(error, TOO_MUCH) else _bug(request, error)


def _faults_of(error: ValidationError) -> list[dict[str, object]]:
    """Name the fields and what is wrong with them, without repeating the values."""
    return [
        {
            "field": ".".join(map(str, item["loc"])),
            **_place(item["loc"]),
            "code": str(item["type"]),
            "detail": str(item["msg"]),
        }
        for item in error.errors
    ]


def _place(loc: Sequence[str | int]) -> dict[str, object]:
    """Return where a fault is: a JSON pointer into the body, or the name of the parameter and its place."""
    place = str(loc[0]) if loc else "body"
    if place != "body":
        return {"in": place, "parameter": str(loc[-1])}
    # The first step is our name of the body; of a body that may be one of several, the second is which one.
    steps = loc[3:] if len(loc) > 1 and loc[1] == ONE_OF else loc[2:]
    return {"in": "body", "pointer": pointer(steps)}


def pointer(steps: Sequence[str | int]) -> str:
    """Return the JSON pointer as a URI fragment."""
    return "#" + "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


def _problems_of(error: Invalid) -> list[dict[str, object]]:
    """Say of each field of a review what is wrong with it; `record` is its position in the version."""
    return [
        {
            "field": one.field,
            "in": "body",
            "pointer": pointer([part for part in re.split(r"[.\[\]]+", one.field) if part]),
            "record": one.record,
            "code": str(one.code),
            "detail": one.sentence,
        }
        for one in error.problems
    ]


def _bug(request: HttpRequest, error: object) -> HttpResponse:
    """Log where it failed, without the error's own words: they may quote what was sent."""
    code = error.code if isinstance(error, NotariusError) else Code.INTERNAL
    frames = "".join(traceback.format_tb(error.__traceback__)) if isinstance(error, BaseException) else ""
    logger.error("%s %s: %s\n%s", request.method, type(error).__name__, code, frames)
    return problem(500, code, DETAILS[500])
