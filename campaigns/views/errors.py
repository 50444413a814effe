"""Pages for requests that failed, in the site's look; under /api/ the same as problem+json."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from campaigns.api.problems import plain_problem

API = "/api/"


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(request, 400)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(request, 403)


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(request, 404)


def too_large(request: HttpRequest) -> HttpResponse:
    return _answer(request, 413)


def server_error(request: HttpRequest) -> HttpResponse:
    return _answer(request, 500)


def _answer(request: HttpRequest, status: int) -> HttpResponse:
    # `path_info` alone: where a bad host or a broken database is the fault, anything more would fail again.
    if request.path_info.startswith(API):
        return plain_problem(status)
    return render(None, f"{status}.html", status=status)
