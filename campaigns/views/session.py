"""The page of one session: for the campaign's game masters and for site admins."""

from __future__ import annotations

from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from campaigns.access import Need, campaign_for
from campaigns.actions.staleness import stale_artifacts
from campaigns.banners import contradicted_in
from campaigns.errors import ActionError
from campaigns.models import GameSession
from campaigns.overview import overview_of
from campaigns.stale_wording import sentences
from campaigns.wording import lane_name


@require_safe
def review_session(request: HttpRequest, session_id: int) -> HttpResponse:
    """Show what each lane gave for the session, and what to do where one gave nothing."""
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path(), login_url=reverse("login"))
    session = GameSession.objects.select_related("campaign").filter(pk=session_id).first()
    if session is None:
        raise Http404
    try:
        campaign_for(request.user, session.campaign.slug, Need.EDIT)
    except ActionError as error:
        raise Http404 from error
    stale = stale_artifacts(session)
    context = {
        "session": session,
        "campaign": session.campaign,
        "overview": overview_of(session),
        "stale": [
            (one.version, lane_name(one.version.artifact.lane), sentences(one.version, one.reasons)) for one in stale
        ],
        "contradicted": contradicted_in([session.pk]).get(session.pk, ()),
        "renewable": any(one.is_head for one in stale),
    }
    return render(request, "review/session.html", context)
