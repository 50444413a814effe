"""Who sees which rows: site admins everything, game masters with the staff flag the rows of their own campaigns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from campaigns.actions import audit
from campaigns.models import Campaign, Membership

if TYPE_CHECKING:
    AnyModelAdmin = admin.ModelAdmin[Any]
    AnyInline = admin.TabularInline[Any, Any]
    Rows = QuerySet[Any]
else:
    AnyModelAdmin, AnyInline = admin.ModelAdmin, admin.TabularInline


def managed(request: HttpRequest) -> QuerySet[Campaign]:
    """Return the campaigns whose rows this person manages in the admin."""
    if not isinstance(request.user, User) or not request.user.is_active:
        return Campaign.objects.none()
    if request.user.is_superuser:
        return Campaign.objects.all()
    mine = Membership.objects.filter(user=request.user, role=Membership.Role.GM)
    return Campaign.objects.filter(pk__in=mine.values("campaign"))


def acting_user(request: HttpRequest) -> User:
    """Return who is signed in, for an action's `by`; the admin lets nobody else in."""
    if not isinstance(request.user, User):
        raise TypeError("the admin serves signed-in people only")
    return request.user


def is_site_admin(request: HttpRequest) -> bool:
    return bool(request.user.is_active and request.user.is_superuser)


class CampaignFilter(admin.SimpleListFilter):
    """The list's campaigns by slug, only those that this person manages. Subclasses name the path to the campaign."""

    title = "campaign"
    parameter_name = "campaign"
    path: ClassVar[str] = "campaign"

    def lookups(self, request: HttpRequest, model_admin: AnyModelAdmin) -> list[tuple[str, str]]:
        return list(managed(request).values_list("slug", "name"))

    def queryset(self, request: HttpRequest, queryset: Rows) -> Rows:
        return queryset.filter(**{f"{self.path}__slug": self.value()}) if self.value() else queryset


class SessionCampaignFilter(CampaignFilter):
    path = "session__campaign"


class ArtifactCampaignFilter(CampaignFilter):
    path = "artifact__session__campaign"


class ReadOnly(AnyModelAdmin):
    """Rows that the machinery makes: looked at by site admins, never added, changed or deleted by hand."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        return is_site_admin(request)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return is_site_admin(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class Managed(ReadOnly):
    """Read-only rows that game masters with the staff flag see too, as far as they are of their own campaigns."""

    campaign_path: ClassVar[str]

    def get_queryset(self, request: HttpRequest) -> Rows:
        return super().get_queryset(request).filter(**{f"{self.campaign_path}__in": managed(request)})

    def has_module_permission(self, request: HttpRequest) -> bool:
        return managed(request).exists()

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.manages(request, obj)

    def manages(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Say whether the row, or any row at all, is of a campaign that this person manages."""
        if obj is None:
            return managed(request).exists()
        return self.get_queryset(request).filter(pk=obj.pk).exists()


class Audited(AnyModelAdmin):
    """What is edited in a form of the admin leaves an audit row, inside the form's transaction."""

    def log_addition(self, request: HttpRequest, obj: Model, message: Any) -> Any:
        self._audit(request, obj, "add")
        return super().log_addition(request, obj, message)

    def log_change(self, request: HttpRequest, obj: Model, message: Any) -> Any:
        self._audit(request, obj, "edit")
        return super().log_change(request, obj, message)

    def log_deletions(self, request: HttpRequest, queryset: Rows) -> Any:
        for obj in queryset:
            self._audit(request, obj, "remove")
        return super().log_deletions(request, queryset)

    def _audit(self, request: HttpRequest, obj: Model, verb: str) -> None:
        campaign = obj if isinstance(obj, Campaign) else getattr(obj, "campaign", None)
        act = f"{obj._meta.model_name}.{verb}"
        audit.record(by=acting_user(request), act=act, subject=obj, campaign=campaign)


class ReadOnlyInline(AnyInline):
    """Rows below their parent, seen by whoever sees the parent."""

    extra = 0
    can_delete = False
    show_change_link = False

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return True

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class CampaignInline(AnyInline):
    """Rows edited as part of their campaign, by whoever manages it."""

    extra = 0

    def _manages(self, request: HttpRequest, obj: Model | None) -> bool:
        return (obj is not None and managed(request).filter(pk=obj.pk).exists()) or is_site_admin(request)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self._manages(request, obj)

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self._manages(request, obj)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self._manages(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self._manages(request, obj)
