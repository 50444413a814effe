from __future__ import annotations

import orjson
from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from campaigns.api.answers import Keyset, hashed
from campaigns.api.schemas import ChangesQuery, Slug
from campaigns.api.shown import ChangeList
from campaigns.api.sights import seen
from campaigns.library import changes
from campaigns.library.changes import ChangeRow

router = Router(tags=["changes"])
ORDER = Keyset({"number": int})


@router.get("/{slug}/changes", response=ChangeList)
def list_changes(request: HttpRequest, slug: Slug, query: Query[ChangesQuery]) -> HttpResponse:
    """What became of people, items and places since you last asked: made, renamed, merged, split, gone."""
    key = ORDER.after(query.since)
    after = 0 if key is None else int(key[0])
    kinds = None if query.kind is None else (query.kind,)
    found = changes.changes(seen(request, slug, query), after=after, limit=query.limit + 1, kinds=kinds)
    shown = found[: query.limit]
    body = {
        "items": [_shown(row) for row in shown],
        "since": ORDER.cursor([shown[-1].number if shown else after]),
        "more": len(found) > len(shown),
    }
    return hashed(request, orjson.dumps(body))


def _shown(row: ChangeRow) -> dict[str, object]:
    return {
        "at": row.at,
        "change": row.change,
        "kind": row.kind,
        "id": row.entity_id,
        "name": row.name,
        "was": row.was or None,
        "superseded_by": row.superseded_by,
        "session": row.session,
    }
