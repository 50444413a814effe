from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from allauth.account.decorators import secure_admin_login
from django import forms
from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django_q import admin as _queue_admin  # noqa: F401 - it registers itself
from django_q.models import Failure, OrmQ, Schedule, Success

from campaigns.actions import tokens
from campaigns.admin.limits import ReadOnly, acting_user, is_site_admin
from campaigns.models import ApiToken, AuditEntry

if TYPE_CHECKING:
    ModelForm = forms.ModelForm[ApiToken]
else:
    ModelForm = forms.ModelForm

admin.site.site_header = admin.site.site_title = "Notarius"
admin.site.index_title = "Archive"
# One way in for everybody, so that the second factor and the throttle hold here too.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnly):
    list_display = ("at", "by", "campaign", "act", "subject")
    list_filter = ("act", "campaign")
    list_select_related = ("by", "campaign")
    date_hierarchy = "at"


class TokenForm(ModelForm):
    def clean_expires_at(self) -> datetime | None:
        end: datetime | None = self.cleaned_data["expires_at"]
        if end is not None and end <= timezone.now():
            raise forms.ValidationError("A token's end must lie in the future.")
        return end


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnly):
    """Tokens are made and revoked; the token itself is shown once, its digest never."""

    form = TokenForm
    list_display = ("name", "prefix", "user", "scope", "campaign", "expires_at", "revoked_at", "last_used_at")
    list_filter = ("scope", "campaign")
    list_select_related = ("user", "campaign")
    fields = ("name", "user", "scope", "campaign", "expires_at")
    actions = ("revoke_tokens",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return is_site_admin(request)

    def get_fields(self, request: HttpRequest, obj: ApiToken | None = None) -> tuple[str, ...]:
        return self.fields if obj is None else self.list_display

    def save_model(self, request: HttpRequest, obj: ApiToken, form: ModelForm, change: bool) -> None:
        made, raw = tokens.create(
            user=obj.user, name=obj.name, scope=obj.scope, campaign=obj.campaign, expires_at=obj.expires_at
        )
        obj.pk = made.pk
        obj.refresh_from_db()
        # For response_add alone: neither a message nor a redirect may carry it.
        vars(obj)["shown_once"] = raw

    def response_add(self, request: HttpRequest, obj: ApiToken, post_url_continue: str | None = None) -> HttpResponse:
        context = {
            **self.admin_site.each_context(request),
            "title": "Token made",
            "token": obj,
            "raw": vars(obj).pop("shown_once"),
        }
        return TemplateResponse(request, "admin/campaigns/apitoken/made.html", context)

    @admin.action(description="Revoke the selected tokens", permissions=["view"])
    def revoke_tokens(self, request: HttpRequest, queryset: QuerySet[ApiToken]) -> None:
        for token in queryset:
            tokens.revoke(token=token, by=acting_user(request))


class QueueRows(ReadOnly):
    """The queue's rows are pickles that name functions to call: site admins may look and clear away, nobody adds."""

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return is_site_admin(request)


# Importing the queue's admin first makes sure that it has registered what is replaced here.
for model in (Schedule, Success, Failure, OrmQ):
    if admin.site.is_registered(model):
        stock = type(admin.site.get_model_admin(model))
        admin.site.unregister(model)
        admin.site.register(model, type(stock.__name__, (QueueRows, stock), {}))
