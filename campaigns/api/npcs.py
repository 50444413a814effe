from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from ninja import Query, Router

from campaigns.api import entries
from campaigns.api.schemas import EntryQuery, OccurrencesQuery, PathName, RegistryQuery, SightedListQuery, Slug
from campaigns.api.shown import CombatList, CompanionList, EntryDetail, EntryList, OccurrenceList
from campaigns.models import RegistryEntry

router = Router(tags=["registries"])
NPC = RegistryEntry.Kind.NPC


@router.get("/{slug}/npcs", response=EntryList)
def list_npcs(request: HttpRequest, slug: Slug, query: Query[RegistryQuery]) -> HttpResponse:
    """The campaign's NPCs in the order of their names: approved ones, or for game masters `status=latest`."""
    return entries.list_of(request, slug, NPC, query)


@router.get("/{slug}/npcs.ndjson", openapi_extra={"responses": {200: entries.LINES}})
def stream_npcs(request: HttpRequest, slug: Slug, query: Query[EntryQuery]) -> HttpResponseBase:
    """All of the campaign's NPCs with their evidence, a line of JSON each: for a copy of the whole registry."""
    return entries.all_of(request, slug, NPC, query)


@router.get("/{slug}/npcs/{entity_id}", response=EntryDetail)
def get_npc(request: HttpRequest, slug: Slug, entity_id: PathName, query: Query[EntryQuery]) -> HttpResponse:
    """One NPC with its evidence, by any id it ever had; members may ask for the quoted lines with `quotes=true`."""
    return entries.one_of(request, slug, NPC, entity_id, query)


@router.get("/{slug}/npcs/{entity_id}/occurrences", response=OccurrenceList)
def list_npc_occurrences(
    request: HttpRequest, slug: Slug, entity_id: PathName, query: Query[OccurrencesQuery]
) -> HttpResponse:
    """Where one NPC occurs, in the order of sessions and of what was said."""
    return entries.occurrences_of(request, slug, NPC, entity_id, query)


@router.get("/{slug}/npcs/{entity_id}/companions", response=CompanionList)
def list_npc_companions(
    request: HttpRequest, slug: Slug, entity_id: PathName, query: Query[SightedListQuery]
) -> HttpResponse:
    """Who and what else occurs in the scenes of one NPC, those of most shared scenes first."""
    return entries.companions_of(request, slug, NPC, entity_id, query)


@router.get("/{slug}/npcs/{entity_id}/combat", response=CombatList)
def list_npc_combat(
    request: HttpRequest, slug: Slug, entity_id: PathName, query: Query[OccurrencesQuery]
) -> HttpResponse:
    """The part of one NPC in fights: turns, spells, and what it did to enemies or had done to it."""
    return entries.combat_of(request, slug, NPC, entity_id, query)
