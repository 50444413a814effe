"""The review page of one artifact version: for the campaign's game masters and for site admins."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods

from campaigns import fights, review
from campaigns.access import Need, version_for
from campaigns.actions import versions
from campaigns.errors import ActionError, Conflict, NotFound
from campaigns.library.alike import alike_in
from campaigns.models import ArtifactVersion
from campaigns.reading import citing_of
from campaigns.views.acts import ACT_KEYS, page_context
from campaigns.views.frame import frame
from campaigns.wording import lane_name

ACTS = {"approve": versions.approve, "reject": versions.reject}
SELECTING_KEYS = (
    (("Space",), "in the transcript: select the unit, or let it go"),
    (("⇧ ↓", "⇧ ↑"), "select up to the next unit"),
    (("↵",), "take the selection back to the form"),
)
EVIDENCE_KEYS = ((("n", "→"), "next evidence"), (("p", "←"), "previous evidence"))
SCENE_KEYS = (
    (("j",), "next record"),
    (("k",), "previous record"),
    (("]",), "next unit, with the records that cite it"),
    (("[",), "previous unit"),
    (("g",), "go to a unit"),
    (("?",), "this list"),
)
KEYS = (*SCENE_KEYS[:2], *EVIDENCE_KEYS, *SCENE_KEYS[2:-1], *SELECTING_KEYS, SCENE_KEYS[-1])


@require_http_methods(["GET", "HEAD", "POST"])
def review_version(request: HttpRequest, version_id: int) -> HttpResponse:
    """Show the version beside its transcript; POST decides on it."""
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path(), login_url=reverse("login"))
    try:
        # A decision is a write, but who may decide is who may see: the action's audit row names the person.
        version = version_for(request.user, version_id, Need.EDIT)
    except ActionError as error:
        raise Http404 from error
    if request.method == "POST":
        return _decide(request, version)
    return _page(request, version)


@require_GET
def review_units(request: HttpRequest, version_id: int) -> HttpResponse:
    """Return a stretch of the transcript as an HTML fragment: `?from=POSITION&count=N`, or `?unit=ID`.

    401 and 404 are bodiless: the caller is the page's script. So is 204, of a unit that there is not: whether there is
    one may be asked.
    """
    if not request.user.is_authenticated:
        return HttpResponse(status=401)
    try:
        version = version_for(request.user, version_id, Need.EDIT)
    except ActionError:
        return HttpResponse(status=404)
    start, count = _number(request.GET, "from") or 0, _number(request.GET, "count") or review.BLOCK
    sought = _number(request.GET, "unit")
    if sought is not None:
        position = review.position_of(version.transcript, sought)
        if position is None:
            return HttpResponse(status=204)
        start = max(0, position - review.LEAD_IN)
        count = review.BLOCK
    response = render(
        request, "review/version_units.html", {"blocks": review.stretch(version.transcript, start, count)}
    )
    if sought is not None:
        response["X-Position"] = str(position)
    return response


def _decide(request: HttpRequest, version: ArtifactVersion) -> HttpResponse:
    act = ACTS.get(request.POST.get("verdict", ""))
    if act is None or not request.user.is_authenticated:
        return _page(request, version, problem="Choose approve or reject.", status=400)
    try:
        decided = act(version_id=version.pk, note=request.POST.get("note", ""), by=request.user)
    except NotFound as error:
        raise Http404 from error
    except ActionError as error:
        fresh = version_for(request.user, version.pk, Need.EDIT)
        problem = str(error)
        if isinstance(error, Conflict):
            problem = f"{problem} Your decision was not saved. What was decided stands below the records."
        return _page(request, fresh, problem=problem, status=error.status)
    messages.success(request, f"{_heading(version)}: {decided.get_state_display().lower()}.")
    return HttpResponseRedirect(request.path)


def _page(request: HttpRequest, version: ArtifactVersion, *, problem: str = "", status: int = 200) -> HttpResponse:
    read, transcript = review.read_version(version), version.transcript
    choice = read.choose(
        _number(request.GET, "record") or 0, _number(request.GET, "member"), _number(request.GET, "evidence") or 0
    )
    sought = _number(request.GET, "unit")
    position = review.position_of(transcript, sought) if sought is not None else None
    start = review.opening(choice) if position is None else max(0, position - review.LEAD_IN)
    asked = _number(request.GET, "from")
    if asked is not None and position is None:
        start = min(asked, max(0, transcript.unit_count - 1))
    start = start // review.BLOCK * review.BLOCK
    later = start + review.FIRST_STRETCH
    page = choice.record // review.RECORDS_PER_PAGE if choice else 0
    context = {
        **frame(request, f"{_heading(version)}, session {version.artifact.session.number}"),
        "page_keys": (*(SCENE_KEYS if read.of_scenes else KEYS), *ACT_KEYS),
        "heading": _heading(version),
        "version": version,
        "transcript": transcript,
        "session": version.artifact.session,
        "campaign": version.artifact.session.campaign,
        "lane": lane_name(version.artifact.lane),
        "review": read,
        "records": read.page(page),
        "fights": _fights(version, read, page),
        "page": page,
        "first_of_previous": (page - 1) * review.RECORDS_PER_PAGE,
        "first_of_next": (page + 1) * review.RECORDS_PER_PAGE if page + 1 < read.pages else None,
        "choice": choice,
        "blocks": review.stretch(transcript, start, review.FIRST_STRETCH, choice),
        "block_size": review.BLOCK,
        "earlier": max(0, start - review.FIRST_STRETCH) if start else None,
        "later": later if later < transcript.unit_count else None,
        "sought": request.GET.get("unit", ""),
        "sought_position": position,
        "citing": None if sought is None or position is None else citing_of(version, sought),
        "goto_problem": _missing(request.GET) if position is None else "",
        "problem": problem,
        "note": request.POST.get("note", ""),
        "note_limit": versions.NOTE_LIMIT,
        "newest": _newest(version),
        "alike": alike_in(version),
        **page_context(version, choice.record if choice else None),
    }
    return render(request, "review/version.html", context, status=status)


def _fights(version: ArtifactVersion, read: review.Review, page: int) -> tuple[fights.Encounter, ...] | None:
    """Return the page's turns as a timeline; None for records that are no turns."""
    if read.family != fights.FAMILY:
        return None
    placed = fights.place_turns(read.records, fights.scenes_of(version))
    return fights.timeline(placed, page * review.RECORDS_PER_PAGE, review.RECORDS_PER_PAGE)


def _heading(version: ArtifactVersion) -> str:
    return f"{lane_name(version.artifact.lane)}, version {version.number}"


def _newest(version: ArtifactVersion) -> int | None:
    """Return the version that took this one's place, for a superseded one."""
    if version.state != ArtifactVersion.State.SUPERSEDED:
        return None
    rows = ArtifactVersion.objects.filter(artifact=version.artifact).usable().order_by("-number")
    return rows.values_list("pk", flat=True).first()


def _missing(query: QueryDict) -> str:
    return "There is no such unit in this transcript." if query.get("unit") else ""


def _number(query: QueryDict, name: str) -> int | None:
    """Return the parameter as a number from 0, or None where it is absent or anything else."""
    value = query.get(name, "")
    return int(value) if value.isascii() and value.isdigit() and len(value) <= 18 else None
