"""One click that makes anew what of a session is out of date."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from campaigns.act_forms import Posted
from campaigns.actions import staleness
from campaigns.models import ArtifactVersion
from campaigns.views.frame import managed_session
from campaigns.wording import lane_name
from extraction.errors import NotariusError


@require_POST
def renew(request: HttpRequest, session_id: int) -> HttpResponse:
    """Start a run of the lanes that are out of date, and of no other; then go back to the posted `version`."""
    back = reverse("review-session", args=[session_id])
    if not isinstance(request.user, User):
        return redirect_to_login(back, login_url=reverse("login"))
    session = managed_session(request, session_id)
    version = ArtifactVersion.objects.filter(
        pk=Posted(request.POST).number("version") or 0, artifact__session=session
    ).first()
    try:
        run = staleness.rerun_stale(session=session, by=request.user)
    except NotariusError as error:
        messages.error(request, str(error))
    else:
        names = ", ".join(map(lane_name, run.lanes.order_by("step", "key").values_list("key", flat=True)))
        messages.success(request, f"{names} will be made anew. What is approved stays until you approve another.")
    return HttpResponseRedirect(back if version is None else reverse("review-version", args=[version.pk]))
