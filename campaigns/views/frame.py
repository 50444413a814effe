"""What the review pages share: the frame they stand in, and who gets in."""

from __future__ import annotations

from django.contrib import admin
from django.http import Http404, HttpRequest

from campaigns.access import Need, campaign_for
from campaigns.errors import ActionError
from campaigns.models import GameSession


def frame(request: HttpRequest, title: str) -> dict[str, object]:
    """Return what the admin's base template needs.

    The admin's own context would ask for every model whether this person may see it, for a menu we do not show.
    """
    return {
        "site_title": admin.site.site_title,
        "site_header": admin.site.site_header,
        "has_permission": admin.site.has_permission(request),
        "is_nav_sidebar_enabled": False,
        "title": title,
    }


def managed_session(request: HttpRequest, session_id: int) -> GameSession:
    """Return the session of a campaign that the person manages; Http404 for anything else."""
    session = GameSession.objects.select_related("campaign").filter(pk=session_id).first()
    if session is None:
        raise Http404
    try:
        campaign_for(request.user, session.campaign.slug, Need.EDIT)
    except ActionError as error:
        raise Http404 from error
    return session
