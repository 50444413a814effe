"""Search within a campaign: what was found, marked, each with its way to where it stands."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import reverse
from django.utils.safestring import SafeString

from campaigns.errors import ActionError
from campaigns.search.finding import EVERYTHING, UNIT, Filters, Found, Hit, search
from campaigns.views.site.kinds import WORDINGS, entry_address
from campaigns.views.site.visit import Visit, site_page, whole_number

PAGE = 20
LABEL_LIMIT = 200


@dataclass(frozen=True, slots=True)
class Result:
    """A hit as the page shows it: `about` says what it is and where."""

    address: str
    snippet: SafeString
    kind: str
    about: str
    speaker: str


@site_page
def search_page(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Show what `?q=` finds, within `?kind=`, `?session=` and `?speaker=`; `?after=` is the next page."""
    text, filters, problem = request.GET.get("q", ""), _filters(request.GET), ""
    try:
        found = search(visit.sight, text, filters, after=request.GET.get("after"), limit=PAGE)
    except ActionError as error:
        found, problem = Found((), None, ()), str(error)
    asked = {name: value for name in ("q", "kind", "session", "speaker") if (value := request.GET.get(name, ""))}
    context = {
        "query": text,
        "problem": problem,
        "results": [_result(visit.campaign.slug, hit) for hit in found.hits],
        "first": not request.GET.get("after"),
        "more": "?" + urlencode({**asked, "after": found.after}) if found.after else "",
        "suggestions": [(each.name, "?" + urlencode({**asked, "q": each.query})) for each in found.suggestions],
        "kinds": [(kind, wording.title) for kind, wording in WORDINGS.items()],
        "unit_kind": UNIT,
        "filters": filters,
        "filtered": filters != EVERYTHING,
        "without_filters": "?" + urlencode({"q": text}),
        "labels": _labels(visit),
    }
    title = f"Search: {text}" if text.strip() else "Search"
    return visit.page("search/search.html", context, title=title, status=400 if problem else 200)


def _filters(query: QueryDict) -> Filters:
    return Filters(
        session=whole_number(query.get("session", "")),
        speaker=query.get("speaker", "").strip()[:LABEL_LIMIT],
        kind=query.get("kind", ""),
    )


def _result(slug: str, hit: Hit) -> Result:
    if hit.kind != UNIT:
        wording = WORDINGS[hit.kind]
        met = ", ".join(map(str, hit.sessions))
        about = f"{wording.one}, session{'' if len(hit.sessions) == 1 else 's'} {met}"
        return Result(entry_address(slug, hit.kind, hit.entity_id or ""), hit.snippet, hit.kind, about, "")
    address = f"{reverse('site-session', args=(slug, hit.session))}?unit={hit.unit_id}#u{hit.unit_id}"
    return Result(address, hit.snippet, hit.kind, f"session {hit.session}", hit.speaker or "")


def _labels(visit: Visit) -> list[str]:
    """Return the speakers that the campaign's roster knows, for those who may hear them."""
    if not visit.sight.words:
        return []
    labels = visit.campaign.roster.values_list("speaker_labels", flat=True)
    return sorted({label for each in labels for label in each}, key=str.casefold)
