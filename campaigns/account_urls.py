"""Signing in and out, one's own account, two-factor, and joining by an invitation.

The names that begin with `account_` are those that django-allauth asks for. Open sign-up has no address.
"""

from __future__ import annotations

from allauth.account import views as allauth
from django.urls import include, path, re_path

from campaigns.views.accounts import account, change_email
from campaigns.views.invitations import join, open_link

urlpatterns = [
    path("login/", allauth.login, name="login"),
    path("login/", allauth.login, name="account_login"),
    path("logout/", allauth.logout, name="logout"),
    path("logout/", allauth.logout, name="account_logout"),
    path("account/", account, name="account"),
    path("account/email/", change_email, name="account-email"),
    path("account/inactive/", allauth.account_inactive, name="account_inactive"),
    path("account/confirm/", allauth.reauthenticate, name="account_reauthenticate"),
    path("account/password/change/", allauth.password_change, name="account_change_password"),
    path("account/password/set/", allauth.password_set, name="account_set_password"),
    path("account/password/reset/", allauth.password_reset, name="account_reset_password"),
    path("account/password/reset/sent/", allauth.password_reset_done, name="account_reset_password_done"),
    path(
        "account/password/reset/done/",
        allauth.password_reset_from_key_done,
        name="account_reset_password_from_key_done",
    ),
    re_path(
        # The first hyphen divides: the key has some of its own.
        r"^account/password/reset/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>[^/]+)/$",
        allauth.password_reset_from_key,
        name="account_reset_password_from_key",
    ),
    path("account/two-factor/", include("allauth.mfa.urls")),
    path("join/", join, name="join"),
    path("join/<str:secret>/", open_link, name="join-link"),
]
