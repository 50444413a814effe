"""The start page: which campaigns one may see, and what waits for one's decision."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaigns.access import Actor, visible_campaigns
from campaigns.models import ArtifactVersion, Membership, RegistryEntry
from campaigns.wording import lane_name


@dataclass(frozen=True, slots=True)
class Pending:
    pk: int
    session: int
    lane: str


@dataclass(frozen=True, slots=True)
class Card:
    slug: str
    name: str
    public: bool
    sessions: int
    npcs: int
    may_manage: bool
    pending: tuple[Pending, ...]


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Show the visible campaigns; a game master's also with the versions that are pending."""
    return render(request, "home/home.html", {"cards": _cards(Actor.of_user(request.user))})


def _cards(actor: Actor) -> list[Card]:
    campaigns = visible_campaigns(actor).annotate(
        session_count=Count("sessions", distinct=True),
        npc_count=Count("entries", filter=Q(entries__kind=RegistryEntry.Kind.NPC), distinct=True),
    )
    rows = list(campaigns.values("pk", "slug", "name", "public", "session_count", "npc_count"))
    managed = _managed(actor, {row["pk"] for row in rows})
    pending: dict[int, list[Pending]] = {}
    found = ArtifactVersion.objects.filter(
        artifact__session__campaign__in=managed, state=ArtifactVersion.State.PENDING
    ).order_by("artifact__session__number", "artifact__lane")
    for campaign, pk, session, lane in found.values_list(
        "artifact__session__campaign", "pk", "artifact__session__number", "artifact__lane"
    ):
        pending.setdefault(campaign, []).append(Pending(pk, session, lane_name(lane)))
    return [
        Card(
            row["slug"],
            row["name"],
            row["public"],
            row["session_count"],
            row["npc_count"],
            row["pk"] in managed,
            tuple(pending.get(row["pk"], ())),
        )
        for row in rows
    ]


def _managed(actor: Actor, seen: set[int]) -> set[int]:
    if actor.user is None:
        return set()
    if actor.user.is_superuser:
        return seen
    own = Membership.objects.filter(user=actor.user, role=Membership.Role.GM)
    return seen & set(own.values_list("campaign", flat=True))
