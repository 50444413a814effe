"""The API of version 1: its routers, who may call, how it fails, and what stands around it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from django.urls import URLPattern, URLResolver, path

from campaigns.api import (
    artifacts,
    campaigns,
    changes,
    corrections,
    exports,
    gate,
    items,
    locations,
    npcs,
    pages,
    problems,
    reviews,
    runs,
    search,
    secrets,
    sessions,
    sunset,
    tokens,
    transcripts,
    webhooks,
)
from campaigns.api.auth import BearerToken, SessionCookie, nobody
from campaigns.api.gate import Asked, Endpoint
from campaigns.api.openapi import DESCRIPTION, DescribedApi

api = DescribedApi(
    title="Notarius",
    version=sunset.VERSION,
    description=DESCRIPTION,
    urls_namespace="notarius-api",
    auth=[BearerToken(), SessionCookie(), nobody],
    # The document and its pages are ours: see `pages`.
    openapi_url=None,
    docs_url=None,
)
problems.install(api)
for router in (
    campaigns.router,
    sessions.router,
    transcripts.router,
    corrections.router,
    artifacts.router,
    reviews.listing_router,
    npcs.router,
    items.router,
    locations.router,
    changes.router,
    search.router,
    secrets.router,
    exports.router,
    runs.start_router,
    webhooks.router,
):
    api.add_router("/campaigns", router)
api.add_router("/runs", runs.router)
api.add_router("/artifact-versions", reviews.router)
api.add_router("/decisions", reviews.decisions_router)
api.add_router("/exports", exports.own_router)
api.add_router("/secrets", secrets.own_router)
api.add_router("/tokens", tokens.router)


@lru_cache(maxsize=1)
def endpoints() -> Mapping[Asked, Endpoint]:
    return gate.endpoints_of(api.document)


def api_urls() -> tuple[list[URLPattern | URLResolver], str, str]:
    """Return the API's addresses, each behind the gate, and the pages about it."""
    patterns, app_name, namespace = api.urls
    for pattern in patterns:
        if isinstance(pattern, URLPattern):
            pattern.callback = gate.guarded(pattern.callback, endpoints)
    around = [
        path("openapi.json", gate.guarded(pages.openapi_of(api), endpoints), name="openapi-json"),
        path("docs", pages.docs_of(api), name="openapi-view"),
        path("examples", pages.examples, name="examples"),
    ]
    return [*around, *patterns], app_name, namespace
