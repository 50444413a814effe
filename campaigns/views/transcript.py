"""A stored transcript as a person corrects it: speakers and names, one unit, and what that does to evidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from django.contrib import messages
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from campaigns import carried
from campaigns.access import Need, campaign_for
from campaigns.actions import corrections
from campaigns.errors import ActionError
from campaigns.glossary import Glossary
from campaigns.models import GameSession, Transcript, Unit
from campaigns.preview import MOST_SPEAKERS, MOST_SUGGESTIONS, speakers_of
from campaigns.speakers import Table

MOST_DIGITS = 18
EXAMPLES = 5
NEIGHBOURS = 3
Correct: TypeAlias = Callable[[GameSession, QueryDict, User, "int | None"], Transcript]


@require_http_methods(["GET", "HEAD", "POST"])
def transcript_page(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show who speaks and which names the glossary suggests; POST makes the next revision with one correction."""
    if not isinstance(request.user, User):
        return redirect_to_login(request.get_full_path(), login_url=reverse("login"))
    session = _session(request.user, slug, number)
    if request.method != "POST":
        return _page(request, session)
    try:
        made = _correct(session, request.POST, request.user)
    except ActionError as error:
        return _page(request, session, problem=str(error), status=error.status)
    _tell(request, made)
    return HttpResponseRedirect(request.path, status=303)


@require_http_methods(["GET", "HEAD", "POST"])
def transcript_unit(request: HttpRequest, slug: str, number: int, unit_id: int) -> HttpResponse:
    """Show one unit of the newest transcript between its neighbours; POST makes the next revision and shows it there.

    Where the unit was joined to the one before it, that one is shown.
    """
    if not isinstance(request.user, User):
        return redirect_to_login(request.get_full_path(), login_url=reverse("login"))
    session = _session(request.user, slug, number)
    if request.method != "POST":
        return _unit_page(request, session, unit_id)
    try:
        made = _correct(session, request.POST, request.user)
    except ActionError as error:
        return _unit_page(request, session, unit_id, problem=str(error), status=error.status)
    _tell(request, made)
    kept = _whole(request.POST, "first") or unit_id
    return HttpResponseRedirect(reverse("transcript-unit", args=(slug, number, kept)), status=303)


@require_safe
def transcript_evidence(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show what became of the evidence of versions of earlier revisions: unchanged, moved or lost, by artifact."""
    if not isinstance(request.user, User):
        return redirect_to_login(request.get_full_path(), login_url=reverse("login"))
    session = _session(request.user, slug, number)
    context = {
        "campaign": session.campaign,
        "session": session,
        "transcript": session.transcripts.order_by("-revision").first(),
        "versions": carried.of_session(session),
    }
    return render(request, "upload/evidence.html", context)


def _session(user: User, slug: str, number: int) -> GameSession:
    try:
        campaign = campaign_for(user, slug, Need.EDIT)
    except ActionError as error:
        raise Http404 from error
    session = campaign.sessions.select_related("campaign").filter(number=number).first()
    if session is None:
        raise Http404
    return session


def _tell(request: HttpRequest, made: Transcript) -> None:
    messages.success(request, f"This is revision {made.revision} now; the one before stays as it was.")


def _correct(session: GameSession, posted: QueryDict, by: User) -> Transcript:
    correct = CORRECTIONS.get(posted.get("act", ""))
    if correct is None:
        raise ActionError("Choose what to correct.")
    return correct(session, posted, by, _whole(posted, "seen"))


def _rename(session: GameSession, posted: QueryDict, by: User, seen: int | None) -> Transcript:
    old, new = posted.get("old", ""), posted.get("new", "")
    return corrections.rename_speaker(session=session, old=old, new=new, by=by, seen=seen)


def _reassign(session: GameSession, posted: QueryDict, by: User, seen: int | None) -> Transcript:
    first, last = _stretch(posted)
    speaker = posted.get("speaker", "")
    return corrections.reassign_units(
        session=session, first_unit_id=first, last_unit_id=last, speaker=speaker, by=by, seen=seen
    )


def _reword(session: GameSession, posted: QueryDict, by: User, seen: int | None) -> Transcript:
    unit_id, _ = _stretch(posted)
    return corrections.reword_unit(session=session, unit_id=unit_id, text=posted.get("text", ""), by=by, seen=seen)


def _split(session: GameSession, posted: QueryDict, by: User, seen: int | None) -> Transcript:
    unit_id, _ = _stretch(posted)
    parts = posted.get("parts", "").splitlines()
    return corrections.split_unit(session=session, unit_id=unit_id, parts=parts, by=by, seen=seen)


def _join(session: GameSession, posted: QueryDict, by: User, seen: int | None) -> Transcript:
    first, last = _stretch(posted)
    return corrections.join_units(session=session, first_unit_id=first, last_unit_id=last, by=by, seen=seen)


def _glossary(session: GameSession, posted: QueryDict, by: User, seen: int | None) -> Transcript:
    chosen = [
        (posted.get(f"term-{at}", ""), posted.get(f"heard-{at}", ""))
        for at in range(MOST_SUGGESTIONS)
        if f"apply-{at}" in posted
    ]
    return corrections.apply_glossary(session=session, chosen=chosen, by=by, seen=seen)


CORRECTIONS: Mapping[str, Correct] = {
    "rename": _rename,
    "reassign": _reassign,
    "reword": _reword,
    "split": _split,
    "join": _join,
    "glossary": _glossary,
}


def _stretch(posted: QueryDict) -> tuple[int, int]:
    """Return the first and the last unit that are posted; without a last one, the first alone."""
    first = _whole(posted, "first")
    last = first if not posted.get("last") else _whole(posted, "last")
    if first is None or last is None:
        raise ActionError("A unit's number is a whole number.")
    return first, last


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


def _unit_page(
    request: HttpRequest, session: GameSession, unit_id: int, *, problem: str = "", status: int = 200
) -> HttpResponse:
    transcript = session.transcripts.order_by("-revision").first()
    units = Unit.objects.filter(transcript=transcript)
    unit = units.filter(unit_id=unit_id).first() if unit_id <= 10**MOST_DIGITS else None
    if transcript is None or unit is None:
        if problem:
            return _page(request, session, problem=problem, status=status)
        raise Http404
    at = unit.position
    beside = list(units.filter(position__range=(at - NEIGHBOURS, at + NEIGHBOURS)).order_by("position"))
    table = Table.of(session.campaign)
    context = {
        "campaign": session.campaign,
        "session": session,
        "transcript": transcript,
        "unit": unit,
        "beside": beside,
        "before": next((each for each in beside if each.position == at - 1), None),
        "after": next((each for each in beside if each.position == at + 1), None),
        "person": table.person(unit.speaker),
        "of_label": units.filter(speaker=unit.speaker).count() if unit.speaker is not None else 0,
        "labels": table.labels(),
        # What was typed and refused is there to be mended.
        "text": request.POST.get("text", unit.text),
        "parts": request.POST.get("parts", unit.text),
        "speaker": request.POST.get("speaker", request.POST.get("new", unit.speaker or "")),
        "problem": problem,
    }
    return render(request, "upload/unit.html", context, status=status)


def _whole(posted: QueryDict, name: str) -> int | None:
    value = posted.get(name, "").strip()
    return int(value) if value.isascii() and value.isdigit() and len(value) <= MOST_DIGITS else None
