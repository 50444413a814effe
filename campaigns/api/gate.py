"""What every address of the API has in common: what is let in, and the headers and the encoding of what goes out.

The gate enforces what the OpenAPI document says of an operation: the media types that it takes and gives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware

from campaigns.api import limits, problems, sunset

View = Callable[..., HttpResponseBase]
Asked = tuple[str, str]
MULTIPART = "multipart/form-data"
# What a multipart body has beside the file.
FORM_BYTES = 65_536
# Web servers and proxies refuse addresses of more than 8 KiB with answers of their own: ours comes first.
ADDRESS_MAX_BYTES = 4_096
# Of a length's digits; Python makes no number of some thousand of them.
MOST_DIGITS = 18


@dataclass(frozen=True, slots=True)
class Endpoint:
    operation: str
    takes: frozenset[str]
    gives: frozenset[str]


Endpoints = Callable[[], Mapping[Asked, Endpoint]]


def guarded(view: View, endpoints: Endpoints) -> View:
    """Return the view behind the gate; `endpoints` are asked at the first request, when the document can be made."""

    @wraps(view)
    def gate(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        bare = request.method == "HEAD"
        if bare:
            request.method = "GET"
        endpoint = endpoints().get(_asked(request))
        status = None if endpoint is None else _refusal(request, endpoint)
        response = problems.plain_problem(status) if status else view(request, *args, **kwargs)
        response = _dressed(request, _as_problem(response), endpoint)
        return _without_body(response) if bare else response

    return gate


def _refusal(request: HttpRequest, endpoint: Endpoint) -> int | None:
    """Return the status with which a request is refused before anybody looks at it, None where it may pass."""
    if len(request.get_full_path()) > ADDRESS_MAX_BYTES:
        return 414
    length = length_of(request)
    upload = request.content_type == MULTIPART and MULTIPART in endpoint.takes
    if length > (settings.UPLOAD_MAX_BYTES + FORM_BYTES if upload else settings.API_BODY_MAX_BYTES):
        return 413
    if not length and endpoint.takes and "Transfer-Encoding" in request.headers:
        # Of such a body nobody reads a byte: it would count as none, and as none of its wishes.
        return 411
    if length and endpoint.takes and request.content_type not in endpoint.takes:
        return 415
    if endpoint.gives and "Accept" in request.headers and not any(map(request.accepts, endpoint.gives)):
        return 406
    return None


def length_of(request: HttpRequest) -> int:
    """Return how many bytes the body has, as the request says; nothing that says less is read further."""
    text = request.META.get("CONTENT_LENGTH") or "0"
    return int(text.lstrip("0")[:MOST_DIGITS] or 0) if text.isascii() and text.isdigit() else 0


def _as_problem(response: HttpResponseBase) -> HttpResponseBase:
    """Turn a bare error answer (a method that is not allowed) into a problem."""
    if response.status_code < 400 or response.get("Content-Type") == problems.MEDIA_TYPE:
        return response
    answer = problems.plain_problem(response.status_code)
    if "Allow" in response:
        answer["Allow"] = response["Allow"]
    return answer


def _dressed(request: HttpRequest, response: HttpResponseBase, endpoint: Endpoint | None) -> HttpResponseBase:
    response["Notarius-API-Version"] = sunset.VERSION
    response.headers.setdefault("Cache-Control", "private, no-cache")
    for name, value in sunset.headers_of(endpoint.operation if endpoint else "").items():
        response[name] = value
    allowance = limits.allowance_of(request)
    if allowance is not None:
        for name, value in allowance.headers().items():
            response[name] = value
        if response.status_code == 429:
            response["Retry-After"] = str(allowance.reset_s)
    return _compressed(request, response)


def _compressed(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Compress, unless a cookie came with the request.

    The length of a compressed answer tells of its content whoever can have a browser ask with its cookies and choose
    a part of the answer (BREACH). A program's token is sent by nobody else, and the public has no secrets.
    """
    return response if request.COOKIES else GZIP.process_response(request, response)


def _without_body(response: HttpResponseBase) -> HttpResponseBase:
    if isinstance(response, StreamingHttpResponse):
        response.streaming_content = iter(())
    elif isinstance(response, HttpResponse):
        response["Content-Length"] = str(len(response.content))
        response.content = b""
    return response


GZIP = GZipMiddleware(lambda request: HttpResponse())


def endpoints_of(document: Mapping[str, Any]) -> Mapping[Asked, Endpoint]:  # Any: an OpenAPI document
    """Return the document's operations by route and method."""
    return {
        (_route(path), method.upper()): Endpoint(
            operation["operationId"],
            frozenset(operation.get("requestBody", {}).get("content", ())),
            frozenset(
                media
                for status, answer in operation["responses"].items()
                if status.startswith("2")
                for media in answer.get("content", ())
            ),
        )
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }


def _asked(request: HttpRequest) -> Asked:
    return (request.resolver_match.route if request.resolver_match else "", str(request.method))


def _route(path: str) -> str:
    """Return the path of the document as Django writes it in a route."""
    return path.lstrip("/").replace("{", "<").replace("}", ">")
