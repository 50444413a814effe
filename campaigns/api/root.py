"""The API of version 1: its routers, who may call, and how it fails."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver
from ninja import NinjaAPI

from campaigns.api import artifacts, campaigns, items, locations, npcs, problems, runs, sessions, transcripts
from campaigns.api.auth import BearerToken, SessionCookie, nobody

api = NinjaAPI(
    title="Notarius",
    version="1",
    description="The reviewed record of a campaign: registries, their evidence, transcripts and runs.",
    urls_namespace="notarius-api",
    auth=[BearerToken(), SessionCookie(), nobody],
)
problems.install(api)
for router in (
    campaigns.router,
    sessions.router,
    transcripts.router,
    artifacts.router,
    npcs.router,
    items.router,
    locations.router,
    runs.start_router,
):
    api.add_router("/campaigns", router)
api.add_router("/runs", runs.router)
api.add_router("/artifact-versions", artifacts.decisions)


def api_urls() -> tuple[list[URLPattern | URLResolver], str, str]:
    """Return the API's addresses, each answering its errors as problem+json."""
    patterns, app_name, namespace = api.urls
    for pattern in patterns:
        if isinstance(pattern, URLPattern):
            pattern.callback = problems.speak_problems(pattern.callback)
    return patterns, app_name, namespace
