from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from campaigns.api.entries import list_of, one_of
from campaigns.api.schemas import EntryDetail, EntryList, EntryQuery, PathName, RegistryQuery
from campaigns.models import RegistryEntry

router = Router(tags=["registries"])
NPC = RegistryEntry.Kind.NPC


@router.get("/{slug}/npcs", response=EntryList)
def list_npcs(request: HttpRequest, slug: str, query: Query[RegistryQuery]) -> HttpResponse:
    """The campaign's NPCs in the order of their names: approved ones, or for game masters `status=latest`."""
    return list_of(request, slug, NPC, query)


@router.get("/{slug}/npcs/{entity_id}", response=EntryDetail)
def get_npc(request: HttpRequest, slug: str, entity_id: PathName, query: Query[EntryQuery]) -> HttpResponse:
    """One NPC with its evidence, by any id it ever had; members may ask for the quoted lines with `quotes=true`."""
    return one_of(request, slug, NPC, entity_id, query)
