from __future__ import annotations

import orjson
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from ninja import Query, Router

from campaigns.api.answers import JSON, conditional, hashed, listing
from campaigns.api.auth import actor_of
from campaigns.api.durable import ARTIFACT, MEDIA_TYPE
from campaigns.api.schemas import ArtifactQuery, Family, SessionNumber, SightQuery, Slug
from campaigns.api.sessions import artifact_states
from campaigns.api.shown import ArtifactList
from campaigns.api.sights import seen
from campaigns.library import artifacts, sessions

router = Router(tags=["artifacts"])


@router.get("/{slug}/sessions/{number}/artifacts", response=ArtifactList)
def list_artifacts(request: HttpRequest, slug: Slug, number: SessionNumber, query: Query[SightQuery]) -> HttpResponse:
    """The state of each of the session's artifacts: which version is approved, and which is the latest."""
    row = sessions.visible(seen(request, slug, query), number)
    return hashed(request, orjson.dumps(listing(artifact_states(actor_of(request), row), None)))


@router.get("/{slug}/sessions/{number}/artifacts/{family}", openapi_extra={"responses": {200: ARTIFACT}})
def get_artifact(
    request: HttpRequest, slug: Slug, number: SessionNumber, family: Family, query: Query[ArtifactQuery]
) -> HttpResponse:
    """The durable JSON, byte for byte: the approved version, the latest, or one by its number.

    Who may not read the transcript gets it without free text, which may repeat what was said, and players without what
    the game masters keep secret. It comes under the family's own media type, or as `application/json` to those who
    accept nothing else.
    """
    sight = seen(request, slug, query)
    own = MEDIA_TYPE.format(family)
    media_type = own if request.accepts(own) else JSON
    digest = artifacts.artifact_digest(sight, number, family, version=query.version)
    answer = conditional(
        request,
        (family, digest, media_type),
        lambda: artifacts.artifact(sight, number, family, version=query.version).payload.encode(),
        media_type,
    )
    patch_vary_headers(answer, ("Accept",))
    return answer
