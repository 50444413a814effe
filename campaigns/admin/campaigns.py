from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.db import models
from django.http import HttpRequest

from campaigns.admin.limits import Audited, CampaignFilter, CampaignInline, Managed, is_site_admin
from campaigns.models import Campaign, GlossaryTerm, Membership, RosterEntry


class OnePerLine(forms.CharField):
    """A list of short texts, edited as lines."""

    widget = forms.Textarea(attrs={"rows": 3, "cols": 24})

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(map(str, value)) if isinstance(value, list) else value

    def clean(self, value: Any) -> list[str]:
        lines = (line.strip() for line in str(super().clean(value) or "").splitlines())
        return list(dict.fromkeys(line for line in lines if line))

    def has_changed(self, initial: Any, data: Any) -> bool:
        return bool(self.clean(data) != (initial or []))


class LinesInline(CampaignInline):
    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if isinstance(db_field, models.JSONField):
            return OnePerLine(required=False, label=db_field.verbose_name.capitalize(), help_text="One a line.")
        return super().formfield_for_dbfield(db_field, request, **kwargs)


class RosterInline(LinesInline):
    model = RosterEntry
    fields = ("kind", "position", "player", "character", "speaker_labels", "other_names")


class GlossaryInline(LinesInline):
    model = GlossaryTerm
    fields = ("position", "term", "heard_as")


@admin.register(Campaign)
class CampaignAdmin(Audited, Managed):
    list_display = ("name", "slug", "public", "created_at")
    search_fields = ("name", "slug")
    fields = ("name", "slug", "public", "created_at")
    inlines = (RosterInline, GlossaryInline)
    campaign_path = "pk"

    def has_add_permission(self, request: HttpRequest) -> bool:
        return is_site_admin(request)

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return self.manages(request, obj)

    def get_readonly_fields(self, request: HttpRequest, obj: Campaign | None = None) -> tuple[str, ...]:
        """The slug is part of every source id: it stays once a transcript exists."""
        fixed = obj is not None and obj.sessions.filter(transcripts__isnull=False).exists()
        return ("created_at", "slug") if fixed else ("created_at",)


@admin.register(Membership)
class MembershipAdmin(Audited, Managed):
    list_display = ("user", "campaign", "role")
    list_filter = (CampaignFilter, "role")
    list_select_related = ("user", "campaign")
    campaign_path = "campaign"

    def has_add_permission(self, request: HttpRequest) -> bool:
        return is_site_admin(request)

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return is_site_admin(request)

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return is_site_admin(request)
