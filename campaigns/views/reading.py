"""A session's transcript with the records that cite each unit, and the small answers that its scripts ask for."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from urllib.parse import urlencode

from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_safe

from campaigns.access import Need, version_for
from campaigns.coverage import LEGEND, State, stretches
from campaigns.errors import ActionError
from campaigns.models import GameSession
from campaigns.reading import NAMED, NOBODY, Filter, Group, Reading, Show, citing, citing_of, read_session
from campaigns.review import BLOCK, FIRST_STRETCH, LEAD_IN
from campaigns.views.frame import frame, managed_session

MOST_DIGITS = 18
KEYS = (
    (("j",), "next unit, with the records that cite it"),
    (("k",), "previous unit"),
    (("c",), "to the records that cite the unit"),
    (("t",), "back to the transcript"),
    (("g",), "go to a unit"),
    (("f",), "filter the units"),
    (("?",), "this list"),
)
SHOWS = {show.value: show for show in Show}
MISSING = "There is no such unit in this transcript."


@require_safe
def reading_page(request: HttpRequest, session_id: int) -> HttpResponse:
    """Show the transcript with what cites it: `?unit=ID` chooses, `?show=` and `?by=` filter."""
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path(), login_url=reverse("login"))
    session = managed_session(request, session_id)
    reading = read_session(session)
    context: dict[str, object] = {
        **frame(request, f"Units of {session}"),
        "session": session,
        "campaign": session.campaign,
        "reading": reading,
    }
    if reading is not None:
        context |= _shown(reading, request.GET)
    return render(request, "review/reading.html", context)


@require_GET
def reading_units(request: HttpRequest, session_id: int) -> HttpResponse:
    """Return a stretch of the list as an HTML fragment: `?from=INDEX&count=N`, `?unit=ID` or `?near=POSITION`.

    The filter's parameters apply. 401 and 404 are bodiless: the caller is the page's script. So is 204, of a unit that
    the list does not hold.
    """
    reading = _reading_for_script(request, session_id)
    if isinstance(reading, HttpResponse):
        return reading
    chosen = filter_of(request.GET)
    listed = reading.positions(chosen)
    start, count = number_of(request.GET, "from") or 0, number_of(request.GET, "count") or BLOCK
    sought = _sought(reading, listed, request.GET)
    if sought is None and ("unit" in request.GET or "near" in request.GET):
        return HttpResponse(status=204)
    if sought is not None:
        start, count = max(0, sought - LEAD_IN), BLOCK
    context = {"blocks": reading.blocks(listed, start, count), "keep": _query(chosen)}
    response = render(request, "review/reading_units.html", context)
    if sought is not None:
        response["X-Position"] = str(sought)
    return response


@require_GET
def reading_citing(request: HttpRequest, session_id: int) -> HttpResponse:
    """Return the records of all lanes that cite `?unit=ID`, as an HTML fragment."""
    reading = _reading_for_script(request, session_id)
    if isinstance(reading, HttpResponse):
        return reading
    unit = number_of(request.GET, "unit")
    groups = None if unit is None else groups_at(reading, unit)
    return _citing_fragment(request, unit, groups, reading.transcript.session)


@require_GET
def version_citing(request: HttpRequest, version_id: int) -> HttpResponse:
    """Return this version's records that cite `?unit=ID`, as an HTML fragment."""
    if not request.user.is_authenticated:
        return HttpResponse(status=401)
    try:
        version = version_for(request.user, version_id, Need.EDIT)
    except ActionError:
        return HttpResponse(status=404)
    unit = number_of(request.GET, "unit")
    return _citing_fragment(request, unit, None if unit is None else citing_of(version, unit))


def groups_at(reading: Reading, unit_id: int) -> tuple[Group, ...] | None:
    """Return the records that cite the unit, by lane; None where the transcript has no such unit."""
    if unit_id not in reading.source.places:
        return None
    return citing(reading.lanes, reading.source.places[unit_id])


def filter_of(query: QueryDict) -> Filter:
    """Return the filter that the query asks for; what makes no sense filters nothing."""
    show, by = query.get("show", ""), query.get("by", "")
    if (by != NOBODY and not by.startswith(NAMED)) or "\x00" in by:
        by = ""
    return Filter(SHOWS.get(show, Show.ALL), by)


def number_of(query: QueryDict, name: str) -> int | None:
    """Return the parameter as a number from 0, or None where it is absent or anything else."""
    value = query.get(name, "")
    return int(value) if value.isascii() and value.isdigit() and len(value) <= MOST_DIGITS else None


def _shown(reading: Reading, query: QueryDict) -> dict[str, object]:
    """Return what the page shows of the reading under the query."""
    chosen = filter_of(query)
    listed = reading.positions(chosen)
    unit = number_of(query, "unit")
    groups = None if unit is None else groups_at(reading, unit)
    sought = _sought(reading, listed, query)
    start = number_of(query, "from") or 0 if sought is None else max(0, sought - LEAD_IN)
    start = min(start, max(0, len(listed) - 1)) // BLOCK * BLOCK
    later = start + FIRST_STRETCH
    strips = reading.strips()
    return {
        "blocks": reading.blocks(listed, start, FIRST_STRETCH),
        "block_size": BLOCK,
        "listed": len(listed),
        "earlier": max(0, start - FIRST_STRETCH) if start else None,
        "later": later if later < len(listed) else None,
        "strips": strips,
        "failed": [strip.name for strip in strips[1:] if strip.rest is State.FAILED],
        "unsent": [strip.name for strip in strips[1:] if strip.rest is State.UNSENT],
        "stretches": [
            (part, reading.source.unit_ids[part.start], reading.source.unit_ids[part.end])
            for part in stretches(reading.cited_by_any())
        ],
        "legend": LEGEND,
        "page_keys": KEYS,
        "filter": chosen,
        "keep": _query(chosen),
        "speakers": _choices(reading, chosen),
        "unit": unit if groups is not None else None,
        "corrected": reading.transcript.session,
        "groups": groups,
        "sought": query.get("unit", ""),
        "sought_index": sought,
        "goto_problem": _problem(query, groups is not None, sought is not None),
    }


def _sought(reading: Reading, listed: Sequence[int], query: QueryDict) -> int | None:
    """Return the index in the list of the unit asked for, or of the listed unit that is nearest to a position."""
    unit, near = number_of(query, "unit"), number_of(query, "near")
    if unit is not None:
        position = reading.source.places.get(unit)
        at = None if position is None else bisect_left(listed, position)
        return at if at is not None and at < len(listed) and listed[at] == position else None
    if near is None or not listed:
        return None
    return min(bisect_left(listed, near), len(listed) - 1)


def _problem(query: QueryDict, known: bool, listed: bool) -> str:
    if not query.get("unit") or listed:
        return ""
    return "This unit is not among those that the filter shows." if known else MISSING


def _query(chosen: Filter) -> str:
    """Return the filter as the beginning of a query string."""
    parts = {"show": chosen.show.value, "by": chosen.by}
    return "".join(f"{urlencode({name: value})}&" for name, value in parts.items() if value)


def _choices(reading: Reading, chosen: Filter) -> list[tuple[str, str, bool]]:
    """Return value, label and whether it is chosen, for each speaker that the list can be cut down to."""
    found = {NOBODY if name is None else f"{NAMED}{name}": name for name in reading.speakers()}
    if chosen.by and chosen.by not in found:
        found[chosen.by] = chosen.by.removeprefix(NAMED)
    return [(value, "no speaker" if name is None else name, value == chosen.by) for value, name in found.items()]


def _reading_for_script(request: HttpRequest, session_id: int) -> Reading | HttpResponse:
    if not request.user.is_authenticated:
        return HttpResponse(status=401)
    try:
        reading = read_session(managed_session(request, session_id))
    except Http404:
        reading = None
    return HttpResponse(status=404) if reading is None else reading


def _citing_fragment(
    request: HttpRequest, unit: int | None, groups: Sequence[Group] | None, session: GameSession | None = None
) -> HttpResponse:
    """Return the records, and with a session the way to correct the unit: it is of its newest transcript."""
    if groups is None:
        return HttpResponse(status=404)
    return render(request, "review/citing.html", {"unit": unit, "groups": groups, "corrected": session})
