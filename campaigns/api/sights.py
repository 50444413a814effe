"""From a request to what it may see."""

from __future__ import annotations

from typing import Protocol

from django.http import HttpRequest

from campaigns.access import Need
from campaigns.api.auth import actor_of
from campaigns.errors import ActionError
from campaigns.library.sight import Edition, Sight, sight_of
from extraction.codes import Code


class Asked(Protocol):
    """What every question about a campaign may say of how it is to be seen."""

    @property
    def as_of(self) -> int | None: ...

    @property
    def edition(self) -> str | None: ...


class SignInNeeded(ActionError):
    code = Code.AUTH_REQUIRED
    status = 401


def seen(request: HttpRequest, slug: str, asked: Asked, need: Need = Need.SEE_APPROVED) -> Sight:
    """Return what they see of the campaign, in the way they ask for. Raises NotFound as access does."""
    return sight_of(
        actor_of(request),
        slug,
        need=need,
        as_of=asked.as_of,
        latest=getattr(asked, "status", "approved") == "latest",
        edition=None if asked.edition is None else Edition(asked.edition),
    )


def need_words(request: HttpRequest, sight: Sight) -> None:
    """Raise where the sight has no words: 401 for nobody, who may sign in, and else that there is no such campaign."""
    if sight.words:
        return
    actor = actor_of(request)
    if actor.user is None:
        raise SignInNeeded("Quotes are for the campaign's members: send a bearer token, or sign in.")
    sight_of(actor, sight.campaign.slug, need=Need.READ)
