"""What the pages of a campaign's administration share: who gets in, and how an act that was refused is said."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Concatenate, ParamSpec

from django.contrib import messages
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse

from campaigns.access import Need, campaign_for
from campaigns.errors import ActionError, NotFound
from campaigns.models import Campaign

P = ParamSpec("P")
Page = Callable[Concatenate[HttpRequest, Campaign, User, P], HttpResponse]


def of_campaign(need: Need) -> Callable[[Page[P]], Callable[..., HttpResponse]]:
    """Return a decorator that hands a page its campaign and the person.

    Whoever is not signed in is led to the login; a campaign that they may not see, or not manage, is not there.
    """

    def decorate(page: Page[P]) -> Callable[..., HttpResponse]:
        @wraps(page)
        def guarded(request: HttpRequest, slug: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            if not isinstance(request.user, User):
                return redirect_to_login(request.get_full_path(), login_url=reverse("login"))
            try:
                campaign = campaign_for(request.user, slug, need)
            except ActionError as error:
                raise Http404 from error
            return page(request, campaign, request.user, *args, **kwargs)

        return guarded

    return decorate


@contextmanager
def told(request: HttpRequest, success: str) -> Iterator[None]:
    """Say how the act went on the next page: `success`, or why it was refused. Http404 for what is not there."""
    try:
        yield
    except NotFound as error:
        raise Http404 from error
    except ActionError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, success)
