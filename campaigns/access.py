"""The only door from a person or a token to a campaign (contracts, Who may do what).

| who                       | standing                                     |
| ------------------------- | -------------------------------------------- |
| nobody, inactive, no member | SEE_APPROVED of a public campaign, else none |
| reader, player            | READ                                         |
| GM, site admin            | EDIT                                         |

A token never raises its user's standing: the read scope stops at SEE_PENDING, and outside the campaign that a token
is bound to it counts as nobody. What one may not see answers NotFound; what one sees but may not do, Forbidden.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, TypeAlias

from django.contrib.auth.models import AnonymousUser
from django.db.models import F, FilteredRelation, Q

from campaigns.errors import Forbidden, NotFound
from campaigns.models import ApiToken, ArtifactVersion, Campaign, Membership, Run
from campaigns.models.campaign import SLUG
from extraction.codes import Code

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from campaigns.querysets import CampaignQuerySet


class Need(IntEnum):
    """What an act needs. Each includes those before it; a lack of the first three answers NotFound."""

    SEE_APPROVED = 1
    READ = 2
    SEE_PENDING = 3
    EDIT = 4


@dataclass(frozen=True, slots=True)
class Actor:
    """Who asks. `user` is None for nobody; `most` and `campaign_id` are the limits of a token.

    `roles` keeps what was read of memberships by campaign, for an actor lives no longer than one request.
    """

    user: User | None
    most: Need = Need.EDIT
    campaign_id: int | None = None
    roles: dict[int, str | None] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of_user(cls, user: User | AnonymousUser) -> Actor:
        """Return the person with all their rights; an inactive or anonymous user is nobody."""
        return cls(user if user.is_active and not isinstance(user, AnonymousUser) else None)

    @classmethod
    def of_token(cls, token: ApiToken) -> Actor:
        """Return the token's user within the token's limits."""
        most = Need.SEE_PENDING if token.scope == ApiToken.Scope.READ else Need.EDIT
        return cls(token.user if token.user.is_active else None, most, token.campaign_id)


Who: TypeAlias = "User | AnonymousUser | Actor"


def standing(who: Who, campaign: Campaign) -> Need | None:
    """Return the most that they may do in the campaign, or None if it does not exist for them."""
    actor = _actor(who)
    public = Need.SEE_APPROVED if campaign.public else None
    if actor.user is None or actor.campaign_id not in (None, campaign.pk):
        return public
    if actor.user.is_superuser:
        return actor.most
    role = _role(actor, campaign)
    if role is None:
        return public
    return min(actor.most, Need.EDIT if role == Membership.Role.GM else Need.READ)


def may(who: Who, campaign: Campaign, need: Need) -> bool:
    """Say whether they may do in the campaign what needs `need`."""
    has = standing(who, campaign)
    return has is not None and has >= need


def visible_campaigns(who: Who) -> CampaignQuerySet:
    """Return the campaigns of which they may see at least the approved artifacts."""
    actor = _actor(who)
    seen = Campaign.objects.visible_to(actor.user or AnonymousUser())
    if actor.user is None or actor.campaign_id is None:
        return seen
    return seen.filter(Q(public=True) | Q(pk=actor.campaign_id))


def campaign_for(who: Who, slug: str, need: Need) -> Campaign:
    """Return the campaign if they may do in it what needs `need`.

    Raises NotFound if they may not see the campaign or what `need` stands for, Forbidden if they see it all and
    may only not change it.
    """
    actor = _actor(who)
    campaign = _campaign(actor, slug) if re.fullmatch(SLUG.regex, slug) else None
    if campaign is None:
        raise NotFound("There is no such campaign.", code=Code.CAMPAIGN_UNKNOWN)
    _check(actor, campaign, need, NotFound("There is no such campaign.", code=Code.CAMPAIGN_UNKNOWN))
    return campaign


def version_for(who: Who, version_id: int, need: Need = Need.SEE_APPROVED) -> ArtifactVersion:
    """Return the artifact version if they may see it and do with it what needs `need`.

    Anything but an approved version needs SEE_PENDING to be seen. Raises NotFound or Forbidden like `campaign_for`.
    """
    hidden = NotFound("There is no such artifact version.", code=Code.VERSION_UNKNOWN)
    rows = ArtifactVersion.objects.select_related("artifact__session__campaign", "transcript")
    version = rows.filter(pk=version_id).first()
    if version is None:
        raise hidden
    campaign = version.artifact.session.campaign
    if version.state != ArtifactVersion.State.APPROVED:
        _check(who, campaign, Need.SEE_PENDING, hidden)
    _check(who, campaign, need, hidden)
    return version


def sees(who: Who, version: ArtifactVersion) -> bool:
    """Return whether they may see the version: an approved one with its campaign, any other from SEE_PENDING on."""
    approved = version.state == ArtifactVersion.State.APPROVED
    return may(who, version.artifact.session.campaign, Need.SEE_APPROVED if approved else Need.SEE_PENDING)


def run_for(who: Who, run_id: int, need: Need = Need.SEE_PENDING) -> Run:
    """Return the run if they may see it and do with it what needs `need`; runs are seen from SEE_PENDING on."""
    hidden = NotFound("There is no such run.", code=Code.RUN_UNKNOWN)
    run = Run.objects.select_related("session__campaign", "transcript").filter(pk=run_id).first()
    if run is None:
        raise hidden
    _check(who, run.session.campaign, Need.SEE_PENDING, hidden)
    _check(who, run.session.campaign, need, hidden)
    return run


def _check(who: Who, campaign: Campaign, need: Need, hidden: NotFound) -> None:
    has = standing(who, campaign)
    if has is None or (has < need and need is not Need.EDIT):
        raise hidden
    if has < need:
        raise Forbidden("You may read this campaign, but not change it.")


def _campaign(actor: Actor, slug: str) -> Campaign | None:
    """Return the campaign, and note the actor's role in it, in one query."""
    rows = Campaign.objects.filter(slug=slug)
    if actor.user is None:
        return rows.first()
    own = FilteredRelation("memberships", condition=Q(memberships__user=actor.user))
    campaign = rows.alias(own=own).annotate(role=F("own__role")).first()
    if campaign is not None:
        actor.roles[campaign.pk] = vars(campaign)["role"]
    return campaign


def _role(actor: Actor, campaign: Campaign) -> str | None:
    if campaign.pk not in actor.roles:
        rows = Membership.objects.filter(campaign=campaign, user=actor.user)
        actor.roles[campaign.pk] = rows.values_list("role", flat=True).first()
    return actor.roles[campaign.pk]


def _actor(who: Who) -> Actor:
    return who if isinstance(who, Actor) else Actor.of_user(who)
