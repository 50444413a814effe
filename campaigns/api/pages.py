"""What a person who writes a program reads: the OpenAPI document, its page to try things out, and examples to copy.

None of them takes anything, and none has the token of a form looked for: that would read all that was sent.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import orjson
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe
from ninja.openapi.docs import Swagger

from campaigns.api import examples as copied
from campaigns.api.answers import hashed
from campaigns.api.openapi import DescribedApi

Page = Callable[[HttpRequest], HttpResponse]


def openapi_of(api: DescribedApi) -> Page:
    """Return the page of the document itself."""

    @lru_cache(maxsize=1)
    def body() -> bytes:
        return orjson.dumps(api.document)

    @csrf_exempt
    @require_safe
    def openapi_json(request: HttpRequest) -> HttpResponse:
        return hashed(request, body())

    return openapi_json


class Interactive(Swagger):
    template = "api/docs.html"


def docs_of(api: DescribedApi) -> Page:
    """Return the interactive page, of files of our own alone, light or dark as its reader's other pages are."""
    swagger = Interactive({"persistAuthorization": False, "displayOperationId": True})

    @csrf_exempt
    @require_safe
    def docs(request: HttpRequest) -> HttpResponse:
        return swagger.render_page(request, api)

    return docs


@csrf_exempt
@require_safe
def examples(request: HttpRequest) -> HttpResponse:
    """Show the examples with this site's address in them."""
    site = f"{request.scheme}://{request.get_host()}"
    return render(request, "api/examples.html", {"examples": copied.all_of(), "site": site})
