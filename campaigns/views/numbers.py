"""What the lanes used and how good they were: one page for site admins, inside the admin."""

from __future__ import annotations

from datetime import timedelta

from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from campaigns import metrics
from campaigns.now import read_now
from campaigns.numbers import quality_since, usage_since
from campaigns.views.frame import frame

SPANS = (7, 30, 90, 365)
USUAL = 30


@require_safe
def numbers(request: HttpRequest) -> HttpResponse:
    """Show what the metrics tell now, and usage and quality of the last days, `?days=` of them.

    Http404 to anybody but a site admin.
    """
    if not (request.user.is_active and request.user.is_superuser):
        raise Http404
    asked = request.GET.get("days", "")
    days = int(asked) if asked in map(str, SPANS) else USUAL
    since = timezone.now() - timedelta(days=days)
    context = {
        **frame(request, "Numbers"),
        "days": days,
        "spans": SPANS,
        "now": read_now(),
        "http": metrics.http_answers(),
        "http_is_shared": metrics.is_shared(),
        "usage": usage_since(since),
        "quality": quality_since(since),
        "index": admin.site.index_title,
    }
    return render(request, "admin/campaigns/numbers.html", context)
