"""Cells that several lists share."""

from __future__ import annotations

from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from campaigns.models import ArtifactVersion, LaneRun
from campaigns.wording import sentence_for


def state_label(state: str) -> SafeString:
    return format_html('<span class="state state-{}">{}</span>', state, state)


def review_link(version: ArtifactVersion) -> SafeString:
    return format_html('<a href="{}">Open review</a>', reverse("review-version", args=[version.pk]))


def progress(lane: LaneRun) -> str:
    """Return how far the lane is, in chunks."""
    return f"{lane.chunks_done} of {lane.chunks_total} chunks" if lane.chunks_total else "not begun"


def usage(lane: LaneRun) -> str:
    cached = f", {lane.cached_tokens} of them cached" if lane.cached_tokens else ""
    return f"{lane.calls} calls, {lane.prompt_tokens} tokens in{cached}, {lane.completion_tokens} out"


def failure(lane: LaneRun) -> SafeString | str:
    """Return why the lane failed: its sentence, its code, and what the checks found."""
    if not lane.error_code:
        return ""
    found = format_html_join("", "<br>{}", ((sentence_for(finding),) for finding in lane.findings))
    return format_html("{} <code>{}</code>{}", lane.error_message, lane.error_code, found)
