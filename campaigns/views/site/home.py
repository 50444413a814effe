"""The start page: the campaigns one may see, their last evening, what is new, and what waits for one's decision."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_safe

from campaigns.access import Actor, visible_campaigns
from campaigns.library.changes import newest
from campaigns.library.registry import counts
from campaigns.library.sessions import SessionLine
from campaigns.models import ArtifactVersion, Campaign, GameSession, Membership
from campaigns.views.site.campaign import told_of
from campaigns.views.site.news import News, news_of
from campaigns.views.site.visit import visit_of

# Campaigns beyond this many are listed by name: each of the first takes a few queries of its own.
MOST_IN_FULL = 12
MOST_NEWS = 4


@dataclass(frozen=True, slots=True)
class Evening:
    """A session of a campaign that one manages, and how many of its artifacts wait for a decision."""

    pk: int
    number: int
    title: str
    pending: int


@dataclass(frozen=True, slots=True)
class Card:
    """A campaign. `own` are the sessions, for those who manage it; `in_full` says whether the rest was looked up."""

    slug: str
    name: str
    public: bool
    may_manage: bool
    role: str
    own: tuple[Evening, ...]
    in_full: bool = False
    told: str = ""
    last: SessionLine | None = None
    empty: bool = False
    news: Sequence[News] = ()

    @property
    def waiting(self) -> tuple[Evening, ...]:
        return tuple(line for line in self.own if line.pending)

    @property
    def rest(self) -> tuple[Evening, ...]:
        return tuple(line for line in self.own if not line.pending)


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Show the visible campaigns; a game master's also with what is pending."""
    cards = _cards(request)
    context = {"cards": cards, "manages": any(card.may_manage for card in cards)}
    response = render(request, "home/home.html", context)
    patch_cache_control(response, private=True, no_cache=True)
    return response


def _cards(request: HttpRequest) -> list[Card]:
    actor = Actor.of_user(request.user)
    campaigns = list(visible_campaigns(actor))
    roles = _roles(actor, campaigns)
    own = _sessions(pk for pk, role in roles.items() if role == Membership.Role.GM)
    return [
        _card(request, campaign, roles.get(campaign.pk, ""), own.get(campaign.pk, ()), in_full=at < MOST_IN_FULL)
        for at, campaign in enumerate(campaigns)
    ]


def _card(request: HttpRequest, campaign: Campaign, role: str, own: Sequence[Evening], *, in_full: bool) -> Card:
    card = Card(campaign.slug, campaign.name, campaign.public, role == Membership.Role.GM, role, tuple(own))
    if not in_full:
        return card
    visit = visit_of(request, campaign.slug)
    held = counts(visit.sight)
    return Card(
        campaign.slug,
        campaign.name,
        campaign.public,
        card.may_manage,
        role,
        card.own,
        in_full=True,
        told=told_of(visit, held),
        last=visit.sessions[-1] if visit.sessions else None,
        empty=not any(held.values()),
        news=news_of(campaign.slug, newest(visit.sight, limit=MOST_NEWS)),
    )


def _roles(actor: Actor, campaigns: Sequence[Campaign]) -> Mapping[int, str]:
    """Return the person's role in each campaign; a site admin manages all of them."""
    if actor.user is None:
        return {}
    if actor.user.is_superuser:
        return {campaign.pk: str(Membership.Role.GM) for campaign in campaigns}
    return dict(Membership.objects.filter(user=actor.user).values_list("campaign", "role"))


def _sessions(campaigns: Iterable[int]) -> Mapping[int, list[Evening]]:
    """Return the campaigns' sessions, the newest first."""
    waiting = Q(artifacts__versions__state=ArtifactVersion.State.PENDING)
    rows = GameSession.objects.filter(campaign__in=list(campaigns)).order_by("-number")
    own: dict[int, list[Evening]] = {}
    for campaign, pk, number, title, pending in rows.annotate(
        pending=Count("artifacts__versions", filter=waiting)
    ).values_list("campaign", "pk", "number", "title", "pending"):
        own.setdefault(campaign, []).append(Evening(pk, number, title, pending))
    return own
