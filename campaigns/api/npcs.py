from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from campaigns.access import Need, campaign_for, may
from campaigns.api import registries
from campaigns.api.answers import conditional
from campaigns.api.auth import actor_of
from campaigns.api.registries import Asked
from campaigns.api.schemas import EntryDetail, EntryList, EntryQuery, PathName, RegistryQuery
from campaigns.errors import ActionError
from campaigns.models import RegistryEntry
from extraction.codes import Code

router = Router(tags=["registries"])
NPC = RegistryEntry.Kind.NPC


class SignInNeeded(ActionError):
    code = Code.AUTH_REQUIRED
    status = 401


@router.get("/{slug}/npcs", response=EntryList)
def list_npcs(request: HttpRequest, slug: str, query: Query[RegistryQuery]) -> HttpResponse:
    """The campaign's NPCs in the order of their names: approved ones, or for game masters `status=latest`."""
    latest = query.status == "latest"
    campaign = campaign_for(actor_of(request), slug, Need.SEE_PENDING if latest else Need.SEE_APPROVED)
    asked = Asked(query.q or "", query.session, query.cursor, query.limit)
    parts = (registries.state(campaign, NPC, latest), *asked.parts)
    return conditional(request, parts, lambda: registries.page(campaign, NPC, asked, latest))


@router.get("/{slug}/npcs/{entity_id}", response=EntryDetail)
def get_npc(request: HttpRequest, slug: str, entity_id: PathName, query: Query[EntryQuery]) -> HttpResponse:
    """One NPC with its evidence; members may ask for the quoted lines with `quotes=true`."""
    actor, latest = actor_of(request), query.status == "latest"
    campaign = campaign_for(actor, slug, Need.SEE_PENDING if latest else Need.SEE_APPROVED)
    if query.quotes and not may(actor, campaign, Need.READ):
        if actor.user is None:
            raise SignInNeeded("Quotes are for the campaign's members: send a bearer token, or sign in.")
        campaign_for(actor, slug, Need.READ)
    parts = (registries.state(campaign, NPC, latest), entity_id, query.quotes)
    return conditional(request, parts, lambda: registries.entry(campaign, NPC, entity_id, latest, query.quotes))
