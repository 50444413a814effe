"""The start page: which campaigns one may see, and what waits for one's decision."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaigns.access import Actor, visible_campaigns
from campaigns.models import ArtifactVersion, GameSession, Membership, RegistryEntry

Kind = RegistryEntry.Kind
KINDS = {Kind.NPC: ("NPC", "NPCs"), Kind.ITEM: ("item", "items"), Kind.LOCATION: ("place", "places")}


@dataclass(frozen=True, slots=True)
class SessionLine:
    """A session of a campaign that one manages, and how many of its artifacts wait for a decision."""

    pk: int
    number: int
    title: str
    pending: int


@dataclass(frozen=True, slots=True)
class Card:
    """`own` are the sessions, for those who manage the campaign."""

    slug: str
    name: str
    public: bool
    sessions: int
    entries: str
    may_manage: bool
    own: tuple[SessionLine, ...]

    @property
    def waiting(self) -> tuple[SessionLine, ...]:
        return tuple(line for line in self.own if line.pending)

    @property
    def rest(self) -> tuple[SessionLine, ...]:
        return tuple(line for line in self.own if not line.pending)


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Show the visible campaigns; a game master's also with their sessions and what is pending."""
    cards = _cards(Actor.of_user(request.user))
    return render(request, "home/home.html", {"cards": cards, "manages": any(card.may_manage for card in cards)})


def _cards(actor: Actor) -> list[Card]:
    visible = visible_campaigns(actor).annotate(held=Count("sessions"))
    rows = list(visible.values_list("pk", "slug", "name", "public", "held"))
    managed = _managed(actor, {pk for pk, *_ in rows})
    entries = _entry_counts(pk for pk, *_ in rows)
    own = _sessions(managed)
    return [
        Card(slug, name, public, held, entries.get(pk, ""), pk in managed, tuple(own.get(pk, ())))
        for pk, slug, name, public, held in rows
    ]


def _entry_counts(campaigns: Iterable[int]) -> Mapping[int, str]:
    """Return what the campaigns' registries hold, in words."""
    rows = RegistryEntry.objects.filter(campaign__in=list(campaigns)).order_by()
    grouped = rows.values("campaign", "kind").annotate(total=Count("pk"))
    counted = {(row["campaign"], row["kind"]): row["total"] for row in grouped}
    return {
        campaign: ", ".join(
            f"{total} {one if total == 1 else many}"
            for kind, (one, many) in KINDS.items()
            if (total := counted.get((campaign, kind), 0))
        )
        for campaign, _ in counted
    }


def _sessions(campaigns: Iterable[int]) -> Mapping[int, list[SessionLine]]:
    """Return the campaigns' sessions, the newest first."""
    waiting = Q(artifacts__versions__state=ArtifactVersion.State.PENDING)
    rows = GameSession.objects.filter(campaign__in=list(campaigns)).order_by("-number")
    own: dict[int, list[SessionLine]] = {}
    for campaign, pk, number, title, pending in rows.annotate(
        pending=Count("artifacts__versions", filter=waiting)
    ).values_list("campaign", "pk", "number", "title", "pending"):
        own.setdefault(campaign, []).append(SessionLine(pk, number, title, pending))
    return own


def _managed(actor: Actor, seen: set[int]) -> set[int]:
    if actor.user is None:
        return set()
    if actor.user.is_superuser:
        return seen
    own = Membership.objects.filter(user=actor.user, role=Membership.Role.GM)
    return seen & set(own.values_list("campaign", flat=True))
