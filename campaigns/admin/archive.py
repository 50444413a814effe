from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from django.contrib import admin
from django.db import transaction
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString

from campaigns.actions import sessions
from campaigns.admin import columns
from campaigns.admin.limits import (
    ArtifactCampaignFilter,
    Audited,
    CampaignFilter,
    Managed,
    ReadOnlyInline,
    SessionCampaignFilter,
    acting_user,
)
from campaigns.models import (
    ArtifactVersion,
    Decision,
    EntryAlias,
    EntryEvidence,
    GameSession,
    RegistryEntry,
    Run,
    Transcript,
    Unit,
)


@admin.register(GameSession)
class GameSessionAdmin(Audited, Managed):
    """A session's title can be changed, and the session removed with all that was made of it.

    Both pages speak of units by their number: a session has thousands.
    """

    list_display = ("__str__", "title", "campaign")
    list_filter = (CampaignFilter,)
    list_select_related = ("campaign",)
    fields = ("campaign", "number", "title", "contents")
    readonly_fields = ("campaign", "number", "contents")
    campaign_path = "campaign"

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.manages(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.manages(request, obj)

    def get_deleted_objects(
        self, objs: Iterable[GameSession], request: HttpRequest
    ) -> tuple[list[Any], dict[str, int], set[Any], list[Any]]:
        """Return a line a session, counts, and the runs that are in the way."""
        chosen = list(objs)
        counts = {
            "transcript revisions": Transcript.objects.filter(session__in=chosen).count(),
            "units": Unit.objects.filter(transcript__session__in=chosen).count(),
            "runs": Run.objects.filter(session__in=chosen).count(),
            "artifact versions": ArtifactVersion.objects.filter(artifact__session__in=chosen).count(),
            "decisions": Decision.objects.filter(session__in=chosen).count(),
        }
        lines = [f"{session} of {session.campaign.name}" for session in chosen]
        in_the_way = [
            f"{run} of {session}, which is at work: cancel it first"
            for session in chosen
            for run in sessions.unfinished_runs(session)
        ]
        return lines, {"game sessions": len(chosen)} | counts, set(), in_the_way

    def delete_model(self, request: HttpRequest, obj: GameSession) -> None:
        sessions.remove(session_id=obj.pk, by=acting_user(request))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[GameSession]) -> None:
        with transaction.atomic():
            for pk in list(queryset.values_list("pk", flat=True)):
                sessions.remove(session_id=pk, by=acting_user(request))

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        """Leave Django's own entry alone: the action writes the audit row."""
        return admin.ModelAdmin.log_deletions(self, request, queryset)

    @admin.display(description="What is there")
    def contents(self, session: GameSession) -> SafeString:
        """The session's transcripts, artifact versions and newest runs, or what to do where one is missing."""
        versions = ArtifactVersion.objects.filter(artifact__session=session).select_related("artifact")
        context = {
            "session": session,
            "transcripts": session.transcripts.order_by("-revision"),
            "versions": versions.defer("payload", "manifest", "consolidations").order_by("artifact__lane", "-number"),
            "runs": session.runs.prefetch_related("lanes")[:5],
        }
        return SafeString(render_to_string("admin/campaigns/gamesession/contents.html", context))


@admin.register(Transcript)
class TranscriptAdmin(Managed):
    list_display = ("source_id", "title", "revision", "unit_count", "format", "created_at")
    list_filter = (SessionCampaignFilter, "format")
    fields = (
        "session",
        "revision",
        "source_id",
        "title",
        "unit_count",
        "format",
        "encoding",
        "digest",
        "notes",
        "created_by",
        "created_at",
    )
    campaign_path = "session__campaign"


@admin.register(ArtifactVersion)
class ArtifactVersionAdmin(Managed):
    list_display = ("campaign", "session", "lane", "number", "state_label", "record_count", "warnings", "review")
    list_display_links = ("number",)
    list_filter = (ArtifactCampaignFilter, "state", "artifact__lane")
    list_select_related = ("artifact__session__campaign",)
    fields = (
        "artifact",
        "number",
        "state_label",
        "record_count",
        "warnings",
        "transcript",
        "origin",
        "digest",
        "decided_by",
        "decided_at",
        "note",
        "manifest_text",
        "created_at",
    )
    readonly_fields = ("state_label", "warnings", "manifest_text")
    campaign_path = "artifact__session__campaign"

    def get_queryset(self, request: HttpRequest) -> QuerySet[ArtifactVersion]:
        rows: QuerySet[ArtifactVersion] = super().get_queryset(request)
        return rows.defer("payload", "consolidations", "manifest")

    @admin.display(ordering="artifact__session__campaign__name")
    def campaign(self, version: ArtifactVersion) -> str:
        return version.artifact.session.campaign.name

    @admin.display(ordering="artifact__session__number")
    def session(self, version: ArtifactVersion) -> int:
        return version.artifact.session.number

    @admin.display(ordering="artifact__lane")
    def lane(self, version: ArtifactVersion) -> str:
        return version.artifact.lane

    @admin.display(description="state", ordering="state")
    def state_label(self, version: ArtifactVersion) -> SafeString:
        return columns.state_label(version.state)

    def warnings(self, version: ArtifactVersion) -> int:
        return len(version.findings)

    def review(self, version: ArtifactVersion) -> SafeString:
        return columns.review_link(version)

    @admin.display(description="manifest")
    def manifest_text(self, version: ArtifactVersion) -> SafeString:
        return format_html('<pre class="bytes">{}</pre>', json.dumps(version.manifest, indent=2, sort_keys=True))


@admin.register(Decision)
class DecisionAdmin(Managed):
    """What people judged in reviews: looked at here, made and taken back on the review pages alone."""

    list_display = ("at", "by", "campaign", "session_number", "lane", "kind", "reason", "made")
    list_display_links = ("at",)
    list_filter = (SessionCampaignFilter, "kind", "lane")
    list_select_related = ("session__campaign", "by", "made")
    date_hierarchy = "at"
    fields = ("at", "by", "session", "lane", "kind", "reason", "about", "made", "names")
    readonly_fields = ("names",)
    campaign_path = "session__campaign"

    @admin.display(ordering="session__campaign__name")
    def campaign(self, decision: Decision) -> str:
        return decision.session.campaign.name

    @admin.display(description="session", ordering="session__number")
    def session_number(self, decision: Decision) -> int:
        return decision.session.number

    @admin.display(description="records")
    def names(self, decision: Decision) -> str:
        return ", ".join(dict.fromkeys(str(key["key"]) for key in decision.keys))


class EvidenceInline(ReadOnlyInline):
    model = EntryEvidence
    fields = ("session", "source_id", "start_unit_id", "end_unit_id")
    verbose_name_plural = "evidence"

    def get_queryset(self, request: HttpRequest) -> QuerySet[EntryEvidence]:
        rows: QuerySet[EntryEvidence] = super().get_queryset(request)
        return rows.select_related("session")


class AliasInline(ReadOnlyInline):
    model = EntryAlias
    fields = ("entity_id",)


@admin.register(RegistryEntry)
class RegistryEntryAdmin(Managed):
    list_display = ("name", "kind", "campaign", "edition", "sessions", "evidence_count")
    list_filter = (CampaignFilter, "edition", "kind")
    list_select_related = ("campaign",)
    search_fields = ("name",)
    fields = ("campaign", "edition", "kind", "name", "entity_id", "sessions", "evidence_count")
    inlines = (AliasInline, EvidenceInline)
    campaign_path = "campaign"
