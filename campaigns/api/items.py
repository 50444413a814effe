from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from ninja import Query, Router

from campaigns.api import entries
from campaigns.api.schemas import EntryQuery, OccurrencesQuery, PathName, RegistryQuery, SightedListQuery, Slug
from campaigns.api.shown import CompanionList, EntryDetail, EntryList, OccurrenceList
from campaigns.models import RegistryEntry

router = Router(tags=["registries"])
ITEM = RegistryEntry.Kind.ITEM


@router.get("/{slug}/items", response=EntryList)
def list_items(request: HttpRequest, slug: Slug, query: Query[RegistryQuery]) -> HttpResponse:
    """The campaign's items in the order of their names: approved ones, or for game masters `status=latest`."""
    return entries.list_of(request, slug, ITEM, query)


@router.get("/{slug}/items.ndjson", openapi_extra={"responses": {200: entries.LINES}})
def stream_items(request: HttpRequest, slug: Slug, query: Query[EntryQuery]) -> HttpResponseBase:
    """All of the campaign's items with their evidence, a line of JSON each: for a copy of the whole registry."""
    return entries.all_of(request, slug, ITEM, query)


@router.get("/{slug}/items/{entity_id}", response=EntryDetail)
def get_item(request: HttpRequest, slug: Slug, entity_id: PathName, query: Query[EntryQuery]) -> HttpResponse:
    """One item with its evidence, by any id it ever had; members may ask for the quoted lines with `quotes=true`."""
    return entries.one_of(request, slug, ITEM, entity_id, query)


@router.get("/{slug}/items/{entity_id}/occurrences", response=OccurrenceList)
def list_item_occurrences(
    request: HttpRequest, slug: Slug, entity_id: PathName, query: Query[OccurrencesQuery]
) -> HttpResponse:
    """Where one item occurs, in the order of sessions and of what was said."""
    return entries.occurrences_of(request, slug, ITEM, entity_id, query)


@router.get("/{slug}/items/{entity_id}/companions", response=CompanionList)
def list_item_companions(
    request: HttpRequest, slug: Slug, entity_id: PathName, query: Query[SightedListQuery]
) -> HttpResponse:
    """Who and what else occurs in the scenes of one item, those of most shared scenes first."""
    return entries.companions_of(request, slug, ITEM, entity_id, query)
