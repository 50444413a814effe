"""What the three registries do in the same way: list their entries, and show one with its evidence."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from campaigns.access import Need, campaign_for, may
from campaigns.api import registries
from campaigns.api.answers import conditional
from campaigns.api.auth import actor_of
from campaigns.api.registries import Asked
from campaigns.api.schemas import EntryQuery, RegistryQuery
from campaigns.errors import ActionError
from extraction.codes import Code


class SignInNeeded(ActionError):
    code = Code.AUTH_REQUIRED
    status = 401


def list_of(request: HttpRequest, slug: str, kind: str, query: RegistryQuery) -> HttpResponse:
    """Answer with a page of the registry in the order of names, approved or latest."""
    latest = query.status == "latest"
    campaign = campaign_for(actor_of(request), slug, Need.SEE_PENDING if latest else Need.SEE_APPROVED)
    asked = Asked(query.q or "", query.session, query.cursor, query.limit)
    parts = (registries.state(campaign, kind, latest), *asked.parts)
    return conditional(request, parts, lambda: registries.page(campaign, kind, asked, latest))


def one_of(request: HttpRequest, slug: str, kind: str, entity_id: str, query: EntryQuery) -> HttpResponse:
    """Answer with the entry that the id leads to; quotes are for members alone."""
    actor, latest = actor_of(request), query.status == "latest"
    campaign = campaign_for(actor, slug, Need.SEE_PENDING if latest else Need.SEE_APPROVED)
    if query.quotes and not may(actor, campaign, Need.READ):
        if actor.user is None:
            raise SignInNeeded("Quotes are for the campaign's members: send a bearer token, or sign in.")
        campaign_for(actor, slug, Need.READ)
    parts = (registries.state(campaign, kind, latest), entity_id, query.quotes)
    return conditional(request, parts, lambda: registries.entry(campaign, kind, entity_id, latest, query.quotes))
