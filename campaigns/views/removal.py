"""Delete a campaign, after seeing what that means."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from campaigns.access import Need
from campaigns.actions.removal import contents, remove_campaign
from campaigns.errors import ActionError
from campaigns.models import Campaign
from campaigns.views.guests import of_campaign


@require_http_methods(["GET", "HEAD", "POST"])
@of_campaign(Need.EDIT)
def remove(request: HttpRequest, campaign: Campaign, user: User) -> HttpResponse:
    """Show what would go; delete it all when its short name is written out."""
    problem = ""
    if request.method == "POST":
        try:
            remove_campaign(campaign=campaign, confirmed=request.POST.get("confirmed", "").strip(), by=user)
        except ActionError as error:
            problem = str(error)
        else:
            messages.success(request, "The campaign is deleted, with everything of it.")
            return HttpResponseRedirect(reverse("home"))
    context = {"campaign": campaign, "contents": contents(campaign), "problem": problem}
    return render(request, "campaign/remove.html", context, status=400 if problem else 200)
