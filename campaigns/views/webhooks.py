"""Webhooks of a campaign, for its GMs: made, tried, switched on again, removed, and what became of each message."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaigns.access import Need
from campaigns.actions import webhooks
from campaigns.errors import ActionError
from campaigns.models import Campaign, Event
from campaigns.views.guests import of_campaign, told
from campaigns.views.site.visit import administering
from extraction.codes import Code

PAGE = 50
EVENTS = {
    Event.RUN_FINISHED: "a pipeline has ended, one way or another",
    Event.VERSION_APPROVED: "a GM has approved a version of an artifact",
    Event.ENTITY_CHANGED: "people, items or places were created, renamed, merged, split or retired",
}
REASONS = {
    Code.WEBHOOK_INVALID: "the address cannot be used",
    Code.WEBHOOK_OWNER: "its owner does not see this any more",
    Code.WEBHOOK_DISABLED: "the webhook was switched off meanwhile",
    Code.WEBHOOK_ADDRESS: "the address leads into a private network",
    Code.WEBHOOK_UNRESOLVED: "no name server knows the address",
    Code.WEBHOOK_CONNECTION: "no connection, or it broke off",
    Code.WEBHOOK_TLS: "the certificate was not accepted",
    Code.WEBHOOK_TIMEOUT: "the receiver took too long",
    Code.WEBHOOK_STATUS: "the receiver did not answer with a success",
    Code.WEBHOOK_GONE: "the receiver said that it is gone for good",
    Code.WEBHOOK_INTERRUPTED: "the worker died while sending",
}


@require_http_methods(["GET", "HEAD", "POST"])
@of_campaign(Need.EDIT)
def webhooks_page(request: HttpRequest, campaign: Campaign, user: User) -> HttpResponse:
    """List the webhooks; POST makes one and shows its secret, this once."""
    if request.method != "POST":
        return _page(request, campaign, user)
    try:
        _, secret = webhooks.create(
            campaign=campaign,
            url=request.POST.get("url", "").strip(),
            events=request.POST.getlist("events"),
            site=request.build_absolute_uri("/"),
            by=user,
        )
    except ActionError as error:
        return _page(request, campaign, user, problem=str(error), status=error.status)
    response = _page(request, campaign, user, secret=secret)
    response["Cache-Control"] = "no-store"
    return response


@require_safe
@of_campaign(Need.EDIT)
def webhook_page(request: HttpRequest, campaign: Campaign, user: User, webhook_id: int) -> HttpResponse:
    """Show the webhook and what was sent to it, the newest first."""
    webhook = campaign.webhooks.select_related("owner").filter(pk=webhook_id).first()
    if webhook is None:
        raise Http404
    page = Paginator(webhook.deliveries.order_by("-pk"), PAGE).get_page(request.GET.get("page"))
    context = {
        "webhook": webhook,
        "reason": _reason(webhook.disabled_code),
        "page": page,
        "deliveries": [(delivery, _reason(delivery.code)) for delivery in page],
    }
    return administering(request, campaign, user, request.path).page("webhooks/webhook.html", context, title="Webhook")


@require_POST
@of_campaign(Need.EDIT)
def webhook_act(request: HttpRequest, campaign: Campaign, user: User, webhook_id: int) -> HttpResponse:
    """Try the webhook, switch it on again or remove it."""
    act = request.POST.get("act", "")
    back = reverse("webhook", args=(campaign.slug, webhook_id))
    if act == "ping":
        with told(request, "A ping is on its way: look for it in the log."):
            webhooks.ping(campaign=campaign, webhook_id=webhook_id, by=user)
    elif act == "enable":
        with told(request, "The webhook is on again."):
            webhooks.enable(campaign=campaign, webhook_id=webhook_id, by=user)
    elif act == "remove":
        with told(request, "The webhook is removed."):
            webhooks.remove(campaign=campaign, webhook_id=webhook_id, by=user)
        back = reverse("webhooks", args=(campaign.slug,))
    else:
        raise Http404
    return HttpResponseRedirect(back, status=303)


def _page(
    request: HttpRequest, campaign: Campaign, user: User, *, secret: str = "", problem: str = "", status: int = 200
) -> HttpResponse:
    rows = campaign.webhooks.select_related("owner").order_by("pk")
    chosen = request.POST.getlist("events") if problem else [str(Event.VERSION_APPROVED)]
    context = {
        "webhooks": [(webhook, _reason(webhook.disabled_code)) for webhook in rows],
        "events": [(event.value, means, event.value in chosen) for event, means in EVENTS.items()],
        "url": request.POST.get("url", "") if problem else "",
        "secret": secret,
        "problem": problem,
    }
    visit = administering(request, campaign, user, request.path)
    return visit.page("webhooks/webhooks.html", context, title="Webhooks", status=status)


def _reason(code: str) -> str:
    return REASONS.get(Code(code), code) if code else ""
