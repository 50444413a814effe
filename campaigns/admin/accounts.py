from __future__ import annotations

from allauth.mfa import admin as _stock_admin  # noqa: F401 - it registers itself
from allauth.mfa.models import Authenticator
from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

from campaigns.admin.limits import Audited, ReadOnly, is_site_admin

# Importing the stock admin first makes sure that it has registered what is replaced here: it would show the secrets.
admin.site.unregister(Authenticator)


@admin.register(Authenticator)
class AuthenticatorAdmin(Audited, ReadOnly):
    """Who has a second factor, without its secret. Deleted for somebody who has lost phone and codes."""

    list_display = ("user", "type", "created_at", "last_used_at")
    list_filter = ("type",)
    list_select_related = ("user",)
    fields = list_display

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return is_site_admin(request)
