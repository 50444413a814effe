"""Invitation links: made and withdrawn by GMs, opened by whoever got one.

The secret stands in the link alone: opening it notes the invitation in the visitor's session and leads on to an
address without it, so that it reaches no other page, no log of ours and no form's `next`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from allauth.core import ratelimit
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.forms import UserCreationForm as CreationForm
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaigns.access import Need
from campaigns.actions import members
from campaigns.errors import ActionError
from campaigns.models import Campaign, Invitation, Membership
from campaigns.views.guests import of_campaign, told
from campaigns.views.members import ROLES, members_answer

if TYPE_CHECKING:
    UserCreationForm = CreationForm[User]
else:
    UserCreationForm = CreationForm

KEPT_AS = "invitation"


@require_POST
@of_campaign(Need.EDIT)
def invite(request: HttpRequest, campaign: Campaign, user: User) -> HttpResponse:
    """Make an invitation and show its link, this once: it is in no redirect and in no session."""
    try:
        _, raw = members.invite(
            campaign=campaign,
            role=request.POST.get("role", ""),
            days=_number(request.POST.get("days", "")),
            most_uses=_number(request.POST.get("uses", "")),
            by=user,
        )
    except ActionError as error:
        return members_answer(request, campaign, user, problem=str(error), status=error.status)
    link = request.build_absolute_uri(reverse("join-link", args=(raw,)))
    return members_answer(request, campaign, user, link=link)


@require_POST
@of_campaign(Need.EDIT)
def revoke(request: HttpRequest, campaign: Campaign, user: User, invitation_id: int) -> HttpResponse:
    with told(request, "The invitation is withdrawn."):
        members.revoke_invitation(campaign=campaign, invitation_id=invitation_id, by=user)
    return HttpResponseRedirect(reverse("members", args=(campaign.slug,)), status=303)


@require_safe
@never_cache
def open_link(request: HttpRequest, secret: str) -> HttpResponse:
    """Note in the session which invitation was opened, and lead on. Looking at a link uses nothing up."""
    invitation = members.open_invitation(secret, timezone.now())
    if invitation is None:
        request.session.pop(KEPT_AS, None)
    else:
        request.session[KEPT_AS] = invitation.pk
    return HttpResponseRedirect(reverse("join"), status=303)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@sensitive_post_parameters("password1", "password2")
def join(request: HttpRequest) -> HttpResponse:
    """Ask whoever has opened an invitation to join, with their account or a new one."""
    invitation = _opened(request)
    if invitation is None:
        return render(request, "members/closed.html", {"sentence": members.CLOSED}, status=404)
    if isinstance(request.user, User):
        return _join(request, invitation, request.user)
    if request.method != "POST":
        return _sign_up_form(request, invitation, SignUpForm())
    if not ratelimit.consume(request, action="signup"):
        return render(request, "429.html", status=429)
    form = SignUpForm(request.POST)
    if not form.is_valid():
        return _sign_up_form(request, invitation, form)
    return _sign_up(request, invitation, form)


class SignUpForm(UserCreationForm):
    """Name, password and, if wanted, an address; names that differ by case alone count as one."""

    class Meta:
        model = User
        fields = ("username", "email")
        labels = {"username": "User name", "email": "E-mail address (optional)"}  # noqa: RUF012 - Django's own way
        help_texts = {"username": "", "email": "Only for resetting a forgotten password."}  # noqa: RUF012
        widgets = {"email": forms.EmailInput(attrs={"autocomplete": "email"})}  # noqa: RUF012

    def clean_username(self) -> str:
        name: str = self.cleaned_data["username"]
        if User.objects.filter(username__iexact=name).exists():
            raise forms.ValidationError("This user name is taken.")
        return name


def _opened(request: HttpRequest) -> Invitation | None:
    pk = request.session.get(KEPT_AS)
    found = Invitation.objects.select_related("campaign").filter(pk=pk).first() if isinstance(pk, int) else None
    return found if found is not None and found.is_open(timezone.now()) else None


def _join(request: HttpRequest, invitation: Invitation, user: User) -> HttpResponse:
    campaign = invitation.campaign
    member = Membership.objects.filter(campaign=campaign, user=user).first()
    if request.method != "POST" and member is None:
        return render(request, "members/join.html", _told_of(invitation))
    if member is None:
        try:
            members.accept(invitation_id=invitation.pk, user=user)
        except ActionError as error:
            return render(request, "members/closed.html", {"sentence": str(error)}, status=error.status)
        messages.success(request, f"You belong to {campaign.name} now.")
    else:
        messages.info(request, f"You belong to {campaign.name} already.")
    return _welcome(request, campaign)


def _sign_up(request: HttpRequest, invitation: Invitation, form: SignUpForm) -> HttpResponse:
    given = form.cleaned_data
    try:
        user, _ = members.sign_up(
            invitation_id=invitation.pk,
            username=given["username"],
            password=given["password1"],
            email=given["email"],
        )
    except ActionError as error:
        form.add_error(None, str(error))
        return _sign_up_form(request, invitation, form)
    login(request, user, backend=settings.AUTHENTICATION_BACKENDS[0])
    messages.success(request, f"Welcome: you belong to {invitation.campaign.name} now.")
    return _welcome(request, invitation.campaign)


def _welcome(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    request.session.pop(KEPT_AS, None)
    return HttpResponseRedirect(reverse("site-campaign", args=(campaign.slug,)), status=303)


def _sign_up_form(request: HttpRequest, invitation: Invitation, form: SignUpForm) -> HttpResponse:
    status = 422 if form.errors else 200
    return render(request, "members/sign_up.html", {"form": form, **_told_of(invitation)}, status=status)


def _told_of(invitation: Invitation) -> dict[str, object]:
    role = Membership.Role(invitation.role)
    return {"campaign": invitation.campaign, "role": role.label, "role_means": ROLES[role]}


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 4 else 0
