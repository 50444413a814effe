"""One's own account: name, e-mail address, password, two-factor and the campaigns one belongs to."""

from __future__ import annotations

from allauth.account.decorators import reauthentication_required
from allauth.mfa.utils import is_mfa_enabled
from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from campaigns.actions import accounts


class EmailForm(forms.Form):
    email = forms.EmailField(
        label="E-mail address",
        required=False,
        max_length=254,
        help_text="Only for resetting a forgotten password. Leave it empty if you do not want one here.",
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )


@require_safe
@login_required
def account(request: HttpRequest) -> HttpResponse:
    """Show what the account is and where it is changed."""
    user = _person(request)
    context = {
        "two_factor": is_mfa_enabled(user),
        "memberships": user.memberships.select_related("campaign").order_by("campaign__name"),
    }
    return render(request, "account/account.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@reauthentication_required  # type: ignore[untyped-decorator]
def change_email(request: HttpRequest) -> HttpResponse:
    """Change or remove the address. The password is asked for first: the address is a way to a new one."""
    user = _person(request)
    form = EmailForm(request.POST or None, initial={"email": user.email})
    if request.method == "POST" and form.is_valid():
        accounts.change_email(user=user, email=form.cleaned_data["email"])
        messages.success(request, "Your e-mail address is saved." if user.email else "Your e-mail address is removed.")
        return HttpResponseRedirect(reverse("account"), status=303)
    return render(request, "account/email_address.html", {"form": form}, status=422 if form.errors else 200)


def _person(request: HttpRequest) -> User:
    if not isinstance(request.user, User):
        raise Http404
    return request.user
