"""A stored transcript's speakers and perhaps misheard names, with what a person may correct in them."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from campaigns.access import Need, campaign_for
from campaigns.actions import corrections
from campaigns.errors import ActionError
from campaigns.glossary import Glossary
from campaigns.models import GameSession, Transcript
from campaigns.preview import MOST_SPEAKERS, MOST_SUGGESTIONS, speakers_of
from campaigns.speakers import Table

MOST_DIGITS = 18
EXAMPLES = 5


@require_http_methods(["GET", "HEAD", "POST"])
def transcript_page(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show who speaks and which names the glossary suggests; POST makes the next revision with one correction."""
    if not isinstance(request.user, User):
        return redirect_to_login(request.get_full_path(), login_url=reverse("login"))
    try:
        campaign = campaign_for(request.user, slug, Need.EDIT)
    except ActionError as error:
        raise Http404 from error
    session = campaign.sessions.select_related("campaign").filter(number=number).first()
    if session is None:
        raise Http404
    if request.method != "POST":
        return _page(request, session)
    try:
        made = _correct(session, request.POST, request.user)
    except ActionError as error:
        return _page(request, session, problem=str(error), status=error.status)
    messages.success(request, f"This is revision {made.revision} now; the one before stays as it was.")
    return HttpResponseRedirect(request.path, status=303)


def _correct(session: GameSession, posted: QueryDict, by: User) -> Transcript:
    seen = _whole(posted, "seen")
    if posted.get("act") == "rename":
        old, new = posted.get("old", ""), posted.get("new", "")
        return corrections.rename_speaker(session=session, old=old, new=new, by=by, seen=seen)
    if posted.get("act") == "reassign":
        first = _whole(posted, "first")
        last = first if not posted.get("last") else _whole(posted, "last")
        if first is None or last is None:
            raise ActionError("A unit's number is a whole number.")
        return corrections.reassign_units(
            session=session,
            first_unit_id=first,
            last_unit_id=last,
            speaker=posted.get("speaker", ""),
            by=by,
            seen=seen,
        )
    if posted.get("act") == "glossary":
        chosen = [
            (posted.get(f"term-{at}", ""), posted.get(f"heard-{at}", ""))
            for at in range(MOST_SUGGESTIONS)
            if f"apply-{at}" in posted
        ]
        return corrections.apply_glossary(session=session, chosen=chosen, by=by, seen=seen)
    raise ActionError("Choose what to correct.")


def _page(request: HttpRequest, session: GameSession, *, problem: str = "", status: int = 200) -> HttpResponse:
    revisions = list(session.transcripts.order_by("-revision").defer("notes"))
    context: dict[str, object] = {
        "campaign": session.campaign,
        "session": session,
        "problem": problem,
        "revisions": revisions,
    }
    if revisions:
        table = Table.of(session.campaign)
        units = corrections.units_of(revisions[0])
        speakers = speakers_of(units, table)
        context |= {
            "transcript": revisions[0],
            "speakers": speakers[:MOST_SPEAKERS],
            "more_speakers": len(speakers[MOST_SPEAKERS:]),
            "labels": table.labels(),
            "suggestions": [
                (each, [units[at].unit_id for at in each.positions[:EXAMPLES]])
                for each in Glossary.of(session.campaign).suggestions(units)[:MOST_SUGGESTIONS]
            ],
        }
    return render(request, "upload/transcript.html", context, status=status)


def _whole(posted: QueryDict, name: str) -> int | None:
    value = posted.get(name, "").strip()
    return int(value) if value.isascii() and value.isdigit() and len(value) <= MOST_DIGITS else None
