"""The work list: for whoever manages a campaign, with a button for what one click may mend."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from campaigns.access import Actor
from campaigns.actions import plans, runs
from campaigns.actions.locking import lock_session
from campaigns.models import GameSession
from campaigns.views.frame import managed_session
from campaigns.wording import lane_name
from campaigns.worklist import lanes_to_run, managed_campaigns, work_in
from extraction.errors import NotariusError

MOST_SESSIONS = 12


@require_safe
def worklist(request: HttpRequest) -> HttpResponse:
    """Show what waits in all campaigns that the person manages; 404 for whoever manages none."""
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path(), login_url=reverse("login"))
    campaigns = list(managed_campaigns(Actor.of_user(request.user)))
    if not campaigns and not request.user.is_superuser:
        raise Http404
    work = work_in(campaigns)
    context = {
        "busy": [campaign for campaign in work if not campaign.idle],
        "idle": [campaign for campaign in work if campaign.idle],
        "most_sessions": MOST_SESSIONS,
    }
    return render(request, "review/worklist.html", context)


@require_POST
def run_lanes(request: HttpRequest, session_id: int) -> HttpResponse:
    """Start a run of the posted `lanes` over the session's newest transcript; those at work already are left alone."""
    if not isinstance(request.user, User):
        return redirect_to_login(reverse("review-worklist"), login_url=reverse("login"))
    session = managed_session(request, session_id)
    try:
        started = _start(session, request.POST.getlist("lanes"), request.user)
    except NotariusError as error:
        messages.error(request, f"{session}: {error}")
    else:
        if started:
            messages.success(request, f"{session}: {', '.join(map(lane_name, started))} will be made next.")
        else:
            messages.info(request, f"{session}: nothing was started, for these are at work already.")
    return HttpResponseRedirect(reverse("review-worklist"))


@transaction.atomic
def _start(session: GameSession, asked: list[str], by: User) -> list[str]:
    # Two clicks follow each other here: the second one finds the lanes at work.
    lock_session(session)
    lanes = lanes_to_run(session, asked)
    if lanes:
        runs.start(session=session, pipeline=plans.default_pipeline(), lanes=lanes, by=by)
    return lanes
