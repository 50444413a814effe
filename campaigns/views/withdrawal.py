"""Withdraw a person's words from a campaign, after seeing where they are."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from campaigns.access import Need
from campaigns.actions.withdrawal import labels_of, said_by, withdraw_words
from campaigns.errors import ActionError
from campaigns.models import Campaign
from campaigns.views.guests import of_campaign


@require_http_methods(["GET", "HEAD", "POST"])
@of_campaign(Need.EDIT)
def withdraw_speaker(request: HttpRequest, campaign: Campaign, user: User) -> HttpResponse:
    """Show who said how much; remove the words of the chosen label when that is confirmed."""
    label = (request.POST if request.method == "POST" else request.GET).get("speaker", "")
    problem = ""
    if request.method == "POST":
        try:
            if request.POST.get("sure") != "yes":
                raise ActionError("Tick the box to confirm: this cannot be undone.")
            removed = withdraw_words(campaign=campaign, label=label, by=user)
        except ActionError as error:
            problem = str(error)
        else:
            messages.success(request, f"{removed} lines were withdrawn. What was made of them is marked out of date.")
            return HttpResponseRedirect(reverse("withdraw-words", args=[campaign.slug]))
    labels = labels_of(campaign)
    context = {
        "campaign": campaign,
        "labels": labels,
        "label": label,
        "said": said_by(campaign, label) if label in labels else [],
        "problem": problem,
    }
    return render(request, "campaign/withdraw.html", context, status=400 if problem else 200)
