from __future__ import annotations

import json

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString

from campaigns.admin import columns
from campaigns.admin.limits import (
    ArtifactCampaignFilter,
    CampaignFilter,
    Managed,
    ReadOnlyInline,
    SessionCampaignFilter,
)
from campaigns.models import ArtifactVersion, EntryAlias, EntryEvidence, GameSession, RegistryEntry, Transcript


@admin.register(GameSession)
class GameSessionAdmin(Managed):
    list_display = ("__str__", "title", "campaign")
    list_filter = (CampaignFilter,)
    list_select_related = ("campaign",)
    fields = ("campaign", "number", "title", "contents")
    readonly_fields = ("contents",)
    campaign_path = "campaign"

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
    list_display = ("name", "kind", "campaign", "sessions", "evidence_count")
    list_filter = (CampaignFilter, "kind")
    list_select_related = ("campaign",)
    search_fields = ("name",)
    fields = ("campaign", "kind", "name", "entity_id", "sessions", "evidence_count")
    inlines = (AliasInline, EvidenceInline)
    campaign_path = "campaign"
