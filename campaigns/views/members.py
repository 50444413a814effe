"""Who belongs to a campaign: GMs list, change and remove; everybody sees their own place and may leave."""

from __future__ import annotations

from datetime import timedelta

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from campaigns.access import Need, may
from campaigns.actions import members
from campaigns.errors import ActionError, NotFound
from campaigns.models import Campaign, Membership
from campaigns.views.guests import of_campaign, told
from campaigns.views.site.visit import administering

# Closed invitations are shown for a while, so that a GM can tell what became of a link.
CLOSED_SHOWN = timedelta(days=14)
ROLES = {
    Membership.Role.READER: "reads the campaign: its approved records and its transcripts",
    Membership.Role.PLAYER: "reads the campaign, and sits at the table",
    Membership.Role.GM: "uploads, reviews and approves, and manages this page",
}


@require_safe
@of_campaign(Need.READ)
def members_page(request: HttpRequest, campaign: Campaign, user: User) -> HttpResponse:
    """Show one's own place in the campaign; to those who manage it, everybody and the invitations."""
    return members_answer(request, campaign, user)


def members_answer(
    request: HttpRequest, campaign: Campaign, user: User, *, link: str = "", problem: str = "", status: int = 200
) -> HttpResponse:
    """Return the page; `link` is a new invitation's, shown this once."""
    now = timezone.now()
    own = campaign.memberships.filter(user=user).first()
    context: dict[str, object] = {
        "own": own,
        "manages": may(user, campaign, Need.EDIT),
        "link": link,
        "problem": problem,
        "roles": [(role.value, role.label, told_as) for role, told_as in ROLES.items()],
        "own_role": ROLES[Membership.Role(own.role)] if own else "",
    }
    if context["manages"]:
        rows = campaign.memberships.select_related("user").order_by("role", "user__username")
        shown = campaign.invitations.select_related("made_by").filter(expires_at__gt=now - CLOSED_SHOWN)
        context |= {
            "members": rows,
            "invitations": [(invitation, invitation.is_open(now)) for invitation in shown],
            "most_days": members.MOST_DAYS,
            "most_uses": members.MOST_USES,
        }
    visit = administering(request, campaign, user, reverse("members", args=(campaign.slug,)))
    response = visit.page("members/members.html", context, title="Members", status=status)
    if link:
        response["Cache-Control"] = "no-store"
    return response


@require_POST
@of_campaign(Need.EDIT)
def change_member(request: HttpRequest, campaign: Campaign, user: User, member_id: int) -> HttpResponse:
    """Give a member another role, remove them, or hand the campaign to them."""
    act = request.POST.get("act", "")
    if act == "role":
        with told(request, "The role is changed."):
            members.change_role(campaign=campaign, member_id=member_id, role=request.POST.get("role", ""), by=user)
    elif act == "remove":
        with told(request, "The member is removed."):
            members.remove(campaign=campaign, member_id=member_id, by=user)
    elif act == "transfer":
        with told(request, "The campaign has its new GM; you are a player now."):
            members.transfer(campaign=campaign, member_id=member_id, by=user)
    else:
        raise Http404
    gone = not may(user, campaign, Need.READ)
    return HttpResponseRedirect(reverse("home") if gone else reverse("members", args=(campaign.slug,)), status=303)


@require_POST
@of_campaign(Need.READ)
def leave(request: HttpRequest, campaign: Campaign, user: User) -> HttpResponse:
    """End one's own membership."""
    try:
        members.leave(campaign=campaign, by=user)
    except NotFound as error:
        raise Http404 from error
    except ActionError as error:
        messages.error(request, str(error))
        return HttpResponseRedirect(reverse("members", args=(campaign.slug,)), status=303)
    messages.success(request, "You have left the campaign.")
    return HttpResponseRedirect(reverse("home"), status=303)
