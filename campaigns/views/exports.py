"""Take a campaign out: order an export, see how far it is, fetch it while it lasts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.contrib import messages
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from campaigns.actions import exports
from campaigns.errors import ActionError
from campaigns.library.sight import Edition
from campaigns.models import Export
from campaigns.views.site.visit import Visit, visit_of, whole_number
from extraction.codes import Code

Format = Export.Format
WHY = {
    Code.EXPORT_ATTEMPTS_EXHAUSTED.value: "the worker died at it several times",
    Code.AUTH_FORBIDDEN.value: "you may not have this edition any more",
    Code.NOT_FOUND.value: "you may not read this campaign any more",
    Code.CAMPAIGN_UNKNOWN.value: "you may not read this campaign any more",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """A format as the page offers it."""

    value: str
    name: str
    told: str


CHOICES = (
    Choice(Format.MARKDOWN, "Notes", "A folder of Markdown that opens as an Obsidian vault, with links to every line."),
    Choice(Format.CSV, "Tables", "CSV files for a spreadsheet."),
    Choice(Format.FOUNDRY, "Foundry VTT", "Journal entries, and an actor for each person, to import one by one."),
    Choice(Format.JSON, "Data", "Durable JSON for programs. The GM's edition is a whole backup that can be restored."),
)
NAMES = {choice.value: choice.name for choice in CHOICES}


@dataclass(frozen=True, slots=True)
class Line:
    """An export as the list shows it."""

    export: Export
    name: str
    why: str

    @property
    def waits(self) -> bool:
        return self.export.state in Export.UNFINISHED

    @property
    def ready(self) -> bool:
        return self.export.state == Export.State.SUCCEEDED


@require_http_methods(["GET", "HEAD", "POST"])
def exports_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show one's exports and order another; `?part=list` is the list alone, for the page to renew it."""
    if not isinstance(request.user, User):
        return redirect_to_login(request.get_full_path(), login_url=reverse("login"))
    visit, lines = _seen(request, slug)
    if request.GET.get("part") == "list":
        return render(request, "exports/exports_list.html", {"campaign": visit.campaign, "lines": lines})
    if request.method != "POST":
        return _page(visit, lines)
    try:
        exports.order(
            who=request.user,
            slug=slug,
            format=request.POST.get("format", ""),
            edition=request.POST.get("edition", Edition.PLAYER),
            as_of=whole_number(request.POST.get("as_of", "")),
            by=request.user,
        )
    except ActionError as error:
        return _page(visit, lines, problem=str(error), status=error.status)
    messages.success(request, "The export is ordered: it is listed here, and can be fetched as soon as it is made.")
    return HttpResponseRedirect(reverse("site-exports", args=(slug,)), status=303)


@require_GET
def export_file(request: HttpRequest, slug: str, export_id: int) -> HttpResponseBase:
    """Return the finished export as a download."""
    try:
        export = _export(request, slug, export_id)
        file = exports.opened(export, request.user)
    except ActionError as error:
        raise Http404 from error
    return FileResponse(file, as_attachment=True, filename=export.file_name, content_type="application/zip")


@require_POST
def discard_export(request: HttpRequest, slug: str, export_id: int) -> HttpResponse:
    """Remove an export and its file."""
    try:
        export = _export(request, slug, export_id)
    except ActionError as error:
        raise Http404 from error
    if not isinstance(request.user, User):
        raise Http404
    exports.discard(export=export, by=request.user)
    messages.info(request, "The export was discarded.")
    return HttpResponseRedirect(reverse("site-exports", args=(slug,)), status=303)


def _seen(request: HttpRequest, slug: str) -> tuple[Visit, list[Line]]:
    try:
        visit = visit_of(request, slug)
        found = exports.exports_of(request.user, slug)
    except ActionError as error:
        raise Http404 from error
    return visit, [Line(each, NAMES[each.format], WHY.get(each.error_code, "an unexpected error")) for each in found]


def _page(visit: Visit, lines: list[Line], *, problem: str = "", status: int = 200) -> HttpResponse:
    context = {"choices": CHOICES, "lines": lines, "problem": problem, "kept_hours": exports.KEPT // timedelta(hours=1)}
    return visit.page("exports/exports.html", context, title="Export", status=status)


def _export(request: HttpRequest, slug: str, export_id: int) -> Export:
    export = exports.export_for(request.user, export_id)
    if export.campaign.slug != slug:
        raise Http404
    return export
