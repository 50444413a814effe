"""What game masters keep from their players: the list, and the acts of the buttons on other pages."""

from __future__ import annotations

import re

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST, require_safe

from campaigns.access import Need
from campaigns.actions import secrets
from campaigns.errors import ActionError, NotFound
from campaigns.library.alike import alike_for_players, telling_for_players
from campaigns.library.secrets import secrets_of
from campaigns.library.sight import Edition, Sight
from campaigns.models import ArtifactVersion, Campaign, GameSession, Secret
from campaigns.views.guests import of_campaign, told
from campaigns.views.site.visit import administering
from extraction.registry import LANES

Kind = Secret.Kind
WHOLE = re.compile(r"[0-9]{1,15}")
HIDDEN = "Players do not see this any more."
PASSAGE_FIELDS = ("session", "start_unit", "end_unit", "note")
MERGE_FIELDS = ("kind", "entry_kind", "entity_id", "note", "next")


@require_safe
@of_campaign(Need.EDIT)
def secrets_page(request: HttpRequest, campaign: Campaign, user: User) -> HttpResponse:
    """Show what is kept from players and what was revealed, to those who manage the campaign."""
    return _page(request, campaign, user)


def _page(request: HttpRequest, campaign: Campaign, user: User, problem: str = "") -> HttpResponse:
    """Return the page; with a problem it is 422, and keeps what was typed to hide a passage."""
    found = secrets_of(Sight(campaign, Edition.GM, words=True))
    context = {
        "kept": [secret for secret in found if secret.revealed_at is None],
        "revealed": [secret for secret in found if secret.revealed_at is not None],
        "alike": alike_for_players(campaign),
        "telling": telling_for_players(campaign),
        "sessions": list(campaign.sessions.order_by("number")),
        "problem": problem,
        "typed": {name: request.POST.get(name, "").strip() for name in PASSAGE_FIELDS},
    }
    visit = administering(request, campaign, user, reverse("secrets", args=[campaign.slug]))
    return visit.page("secrets/secrets.html", context, title="Secrets", status=422 if problem else 200)


@require_POST
@of_campaign(Need.EDIT)
def hide(request: HttpRequest, campaign: Campaign, user: User) -> HttpResponse:
    """Keep what the form names from players, and go back to where the button was.

    Where keeping a merge would part more than that, it is asked for once more, and said what. A passage that is
    refused leaves its form as it was typed.
    """
    if request.POST.get("kind") == Kind.RANGE:
        return _hide_passage(request, campaign, user)
    parted = [] if "confirmed" in request.POST else _parted_besides(request, campaign)
    if parted:
        context = {"parted": parted, "posted": [(name, request.POST.get(name, "")) for name in MERGE_FIELDS]}
        visit = administering(request, campaign, user, reverse("secrets", args=[campaign.slug]))
        return visit.page("secrets/parting.html", {**context, "back": _wanted(request, campaign)}, title="Secrets")
    with told(request, HIDDEN):
        _hide(request, campaign, user)
    return _back(request, campaign)


@require_POST
@of_campaign(Need.EDIT)
def reveal(request: HttpRequest, campaign: Campaign, user: User, secret_id: int) -> HttpResponse:
    """Let players know, and go back to where the button was."""
    if not Secret.objects.filter(campaign=campaign, pk=secret_id).exists():
        raise Http404
    with told(request, "Players see this from now on."):
        secrets.reveal(secret_id=secret_id, by=user)
    return _back(request, campaign)


def _parted_besides(request: HttpRequest, campaign: Campaign) -> list[list[str]]:
    posted = request.POST
    if posted.get("kind") != Kind.MERGE:
        return []
    entity_id = posted.get("entity_id", "").strip()
    return secrets.parted_besides(campaign=campaign, kind=posted.get("entry_kind", ""), entity_id=entity_id)


def _hide_passage(request: HttpRequest, campaign: Campaign, user: User) -> HttpResponse:
    # Its units and its session are typed: a number that there is not is a slip, and no wrong address.
    try:
        start, end = _whole(request, "start_unit"), _whole(request, "end_unit")
        session, note = _session(request, campaign), request.POST.get("note", "")
        secrets.hide_range(session=session, start_unit=start, end_unit=end, note=note, by=user)
    except ActionError as error:
        return _page(request, campaign, user, str(error))
    messages.success(request, HIDDEN)
    return _back(request, campaign)


def _hide(request: HttpRequest, campaign: Campaign, by: User) -> Secret:
    posted = request.POST
    kind, note = posted.get("kind"), posted.get("note", "")
    if kind == Kind.ENTRY or kind == Kind.MERGE:
        act = secrets.hide_entry if kind == Kind.ENTRY else secrets.hide_merge
        entity_id = posted.get("entity_id", "").strip()
        return act(campaign=campaign, kind=posted.get("entry_kind", ""), entity_id=entity_id, note=note, by=by)
    if kind == Kind.OCCURRENCE:
        record = _whole(request, "record")
        return secrets.hide_occurrence(version=_version(request, campaign), record=record, note=note, by=by)
    raise ActionError("Choose what to keep from players.")


def _version(request: HttpRequest, campaign: Campaign) -> ArtifactVersion:
    """Return the version that the record stands in: the one named, else the approved one of session and family."""
    rows = ArtifactVersion.objects.filter(artifact__session__campaign=campaign)
    rows = rows.select_related("artifact__session__campaign")
    if "version" in request.POST:
        found = rows.filter(pk=_whole(request, "version")).first()
    else:
        lane = f"dnd/{request.POST.get('family', '')}"
        known = rows.approved().filter(artifact__session=_session(request, campaign), artifact__lane=lane)
        found = known.first() if lane in LANES else None
    if found is None:
        raise NotFound("There is no such artifact version.")
    return found


def _session(request: HttpRequest, campaign: Campaign) -> GameSession:
    number = _whole(request, "session")
    found = campaign.sessions.select_related("campaign").filter(number=number).first()
    if found is None:
        raise NotFound(f"There is no session {number} in this campaign.")
    return found


def _whole(request: HttpRequest, name: str) -> int:
    value = request.POST.get(name, "").strip()
    if not WHOLE.fullmatch(value):
        raise ActionError("A unit, a session and a record are whole numbers.")
    return int(value)


def _back(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    return HttpResponseRedirect(_wanted(request, campaign), status=303)


def _wanted(request: HttpRequest, campaign: Campaign) -> str:
    """Return the page of this site that the form leads back to."""
    wanted = request.POST.get("next", "")
    own = url_has_allowed_host_and_scheme(wanted, allowed_hosts=None) and wanted.startswith("/")
    return wanted if own else reverse("secrets", args=[campaign.slug])
