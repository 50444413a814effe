from __future__ import annotations

import orjson
from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from campaigns.access import Need, campaign_for, visible_campaigns
from campaigns.api.answers import Keyset, hashed, listing
from campaigns.api.auth import actor_of
from campaigns.api.schemas import ListQuery, Slug
from campaigns.api.shown import CampaignList, CampaignOut

router = Router(tags=["campaigns"])
ORDER = Keyset({"name": str, "slug": str})


@router.get("", response=CampaignList)
def list_campaigns(request: HttpRequest, query: Query[ListQuery]) -> HttpResponse:
    """The campaigns of which you may see at least the approved artifacts."""
    rows = visible_campaigns(actor_of(request)).filter(ORDER.beyond(query.cursor)).order_by(*ORDER.fields)
    found = list(rows.values("slug", "name", "public")[: query.limit + 1])
    return hashed(request, orjson.dumps(listing(*ORDER.page(found, query.limit))))


@router.get("/{slug}", response=CampaignOut)
def get_campaign(request: HttpRequest, slug: Slug) -> HttpResponse:
    campaign = campaign_for(actor_of(request), slug, Need.SEE_APPROVED)
    body = {"slug": campaign.slug, "name": campaign.name, "public": campaign.public}
    return hashed(request, orjson.dumps(body))
