from __future__ import annotations

import zlib

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from campaigns.actions import runs
from campaigns.admin import columns
from campaigns.admin.limits import Managed, ReadOnly, ReadOnlyInline, SessionCampaignFilter, acting_user
from campaigns.errors import ActionError
from campaigns.models import Exchange, LaneRun, Run


class LaneInline(ReadOnlyInline):
    model = LaneRun
    fields = ("key", "state_label", "progress", "attempts", "usage", "failure")
    readonly_fields = fields

    @admin.display(description="state")
    def state_label(self, lane: LaneRun) -> SafeString:
        return columns.state_label(lane.state)

    def progress(self, lane: LaneRun) -> str:
        return columns.progress(lane)

    def usage(self, lane: LaneRun) -> str:
        return columns.usage(lane)

    def failure(self, lane: LaneRun) -> SafeString | str:
        return columns.failure(lane)


@admin.register(Run)
class RunAdmin(Managed):
    list_display = ("__str__", "session", "pipeline", "state_label", "created_by", "created_at", "finished_at")
    list_filter = (SessionCampaignFilter, "state", "pipeline")
    list_select_related = ("session__campaign", "created_by")
    fields = ("session", "transcript", "pipeline", "state_label", "created_by", "created_at", "finished_at")
    readonly_fields = ("state_label",)
    inlines = (LaneInline,)
    actions = ("cancel_runs",)
    campaign_path = "session__campaign"

    @admin.display(description="state", ordering="state")
    def state_label(self, run: Run) -> SafeString:
        return columns.state_label(run.state)

    @admin.action(description="Cancel the selected runs", permissions=["view"])
    def cancel_runs(self, request: HttpRequest, queryset: QuerySet[Run]) -> None:
        """Cancel each chosen run; one that has ended already is said, and the others go on."""
        for run in queryset:
            try:
                runs.cancel(run=run, by=acting_user(request))
            except ActionError as error:
                messages.warning(request, f"{run}: {error}")
            else:
                messages.success(request, f"{run} is cancelled.")


@admin.register(Exchange)
class ExchangeAdmin(ReadOnly):
    """Requests and raw replies hold transcript text: for site admins only, and never edited."""

    list_display = ("__str__", "prompt_id", "outcome", "provider", "model", "latency_ms", "created_at")
    list_filter = ("outcome", "provider", "prompt_id")
    fields = (
        "lane",
        "prompt_id",
        "outcome",
        "provider",
        "model",
        "prompt_tokens",
        "cached_tokens",
        "completion_tokens",
        "latency_ms",
        "provider_request_id",
        "created_at",
        "request_text",
        "reply_text",
    )
    readonly_fields = ("request_text", "reply_text")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Exchange]:
        rows: QuerySet[Exchange] = super().get_queryset(request)
        return rows.defer("request", "reply")

    @admin.display(description="request")
    def request_text(self, exchange: Exchange) -> SafeString:
        return _shown(exchange.request)

    @admin.display(description="reply")
    def reply_text(self, exchange: Exchange) -> SafeString:
        return _shown(exchange.reply)


def _shown(data: bytes | memoryview[int]) -> SafeString:
    text = zlib.decompress(data).decode("utf-8", errors="backslashreplace")
    return format_html('<pre class="bytes" tabindex="0">{}</pre>', text)
