from __future__ import annotations

import orjson
from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from campaigns.api.answers import hashed
from campaigns.api.schemas import SearchQuery, Slug
from campaigns.api.shown import HitList
from campaigns.api.sights import seen
from campaigns.search import finding
from campaigns.search.finding import Filters, Hit

router = Router(tags=["search"])


@router.get("/{slug}/search", response=HitList)
def search_campaign(request: HttpRequest, slug: Slug, query: Query[SearchQuery]) -> HttpResponse:
    """Entries of the registries and, for members, what was said, the best first, with snippets."""
    filters = Filters(session=query.session, speaker=query.speaker or "", kind=query.kind or "")
    sight = seen(request, slug, query)
    found = finding.search(sight, query.q, filters, after=query.cursor or None, limit=query.limit)
    body = {
        "items": [_shown(hit) for hit in found.hits],
        "next_cursor": found.after,
        "suggestions": [{"name": one.name, "query": one.query} for one in found.suggestions],
    }
    return hashed(request, orjson.dumps(body))


def _shown(hit: Hit) -> dict[str, object]:
    return {
        "kind": hit.kind,
        "session": hit.session,
        "unit_id": hit.unit_id,
        "speaker": hit.speaker,
        "id": hit.entity_id,
        "name": hit.name,
        "sessions": list(hit.sessions),
        "snippet": str(hit.snippet),
    }
