from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from campaigns.api.entries import list_of, one_of
from campaigns.api.schemas import EntryDetail, EntryList, EntryQuery, PathName, RegistryQuery
from campaigns.models import RegistryEntry

router = Router(tags=["registries"])
LOCATION = RegistryEntry.Kind.LOCATION


@router.get("/{slug}/locations", response=EntryList)
def list_locations(request: HttpRequest, slug: str, query: Query[RegistryQuery]) -> HttpResponse:
    """The campaign's places in the order of their names; namesakes stand apart where one session has two of them."""
    return list_of(request, slug, LOCATION, query)


@router.get("/{slug}/locations/{entity_id}", response=EntryDetail)
def get_location(request: HttpRequest, slug: str, entity_id: PathName, query: Query[EntryQuery]) -> HttpResponse:
    """One place with its evidence, by any id it ever had; members may ask for the quoted lines with `quotes=true`."""
    return one_of(request, slug, LOCATION, entity_id, query)
