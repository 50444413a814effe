"""A transcript file on its way into a campaign: uploaded, looked at, and only then stored.

The file waits in the data directory between the two steps (`adapters.uploads`), so that it is sent once and looked
at as often as one likes. The database changes at the last step alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.core.files.uploadedfile import UploadedFile
from django.db.models import Max
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from campaigns.access import Need, campaign_for
from campaigns.actions import transcripts
from campaigns.adapters import uploads
from campaigns.errors import ActionError
from campaigns.models import Campaign, GameSession
from campaigns.preview import MOST_SPEAKERS, Preview, preview
from campaigns.speakers import Table
from extraction.errors import NotariusError
from extraction.ingest import Format, ReadTranscript
from extraction.ingest.speakers import normalise_label

ENCODINGS = ("utf-8", "utf-16", "cp1252", "iso8859-1", "cp1250", "cp1251", "mac-roman", "shift_jis", "gb18030", "big5")
GONE = "This upload waits no longer: it was stored, discarded, or is more than an hour old. Choose the file again."
DIGITS = 7


@dataclass(frozen=True, slots=True)
class Choice:
    """What the person chose on the preview: empty where the file decides. `names` are new labels by the file's."""

    format: str = ""
    encoding: str = ""
    title: str = ""
    names: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, posted: QueryDict) -> Choice:
        names = {
            posted.get(f"label-{at}", ""): posted.get(f"speaker-{at}", "").strip()
            for at in range(MOST_SPEAKERS)
            if posted.get(f"speaker-{at}", "").strip()
        }
        return cls(
            format=posted.get("format", "").strip(),
            encoding=posted.get("encoding", "").strip(),
            title=posted.get("title", "").strip(),
            names=names,
        )


@require_http_methods(["GET", "HEAD", "POST"])
def upload(request: HttpRequest, slug: str, number: int | None = None) -> HttpResponse:
    """Ask for a file and the session it is of; POST keeps the file and leads to its preview."""
    if not isinstance(request.user, User):
        return redirect_to_login(request.get_full_path(), login_url=reverse("login"))
    campaign = _managed(request.user, slug)
    uploads.purge()
    if request.method != "POST":
        return _form(request, campaign, str(number or _next_number(campaign)))
    asked = request.POST.get("number", "").strip()
    try:
        chosen = _number(asked)
        token = uploads.keep(
            chunks=(file := _file(request)).chunks(), name=file.name or "", campaign=campaign, user_id=request.user.pk
        )
    except NotariusError as error:
        status = error.status if isinstance(error, ActionError) else 422
        return _form(request, campaign, asked, problem=str(error), status=status)
    return HttpResponseRedirect(reverse("upload-preview", args=(campaign.slug, chosen, token)), status=303)


@require_http_methods(["GET", "HEAD", "POST"])
def upload_preview(request: HttpRequest, slug: str, number: int, token: str) -> HttpResponse:
    """Show what the waiting file was read as; POST shows it anew, stores it or discards it."""
    if not isinstance(request.user, User):
        return redirect_to_login(request.get_full_path(), login_url=reverse("login"))
    campaign = _managed(request.user, slug)
    waiting = uploads.fetch(token=token, campaign=campaign, user_id=request.user.pk)
    if waiting is None:
        return _form(request, campaign, str(number), problem=GONE, status=404)
    act = request.POST.get("act", "") if request.method == "POST" else ""
    if act == "discard":
        uploads.discard(token=token, campaign=campaign, user_id=request.user.pk)
        messages.info(request, "The upload was discarded; nothing was stored.")
        return HttpResponseRedirect(reverse("upload", args=(campaign.slug, number)), status=303)
    choice = Choice.of(request.POST)
    if act == "store":
        try:
            kept = _store(campaign, number, waiting, choice, request.user)
        except NotariusError as error:
            return _preview(request, campaign, number, waiting, choice, problem=str(error))
        uploads.discard(token=token, campaign=campaign, user_id=request.user.pk)
        return _stored(request, kept)
    return _preview(request, campaign, number, waiting, choice)


def _managed(user: User, slug: str) -> Campaign:
    try:
        return campaign_for(user, slug, Need.EDIT)
    except ActionError as error:
        raise Http404 from error


def _next_number(campaign: Campaign) -> int:
    return (campaign.sessions.aggregate(last=Max("number"))["last"] or 0) + 1


def _number(text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= DIGITS else 0
    if not 1 <= number <= transcripts.NUMBER_LIMIT:
        raise ActionError(f"A session number is a whole number from 1 to {transcripts.NUMBER_LIMIT}.")
    return number


def _file(request: HttpRequest) -> UploadedFile[bytes]:
    file = request.FILES.get("file")
    if file is None:
        raise ActionError("Choose the file of the transcript.")
    if not file.size:
        raise ActionError("The file is empty.")
    if file.size > settings.UPLOAD_MAX_BYTES:
        raise ActionError(f"The file is larger than this site takes ({settings.UPLOAD_MAX_BYTES / 2**20:.3g} MiB).")
    return file


def _read(waiting: uploads.Waiting, choice: Choice) -> tuple[ReadTranscript, dict[str, str]]:
    """Return the transcript with the labels named anew as chosen, and which of these names it took.

    Labels that the file does not have under this format and encoding are left alone.
    """
    found = transcripts.read(
        data=waiting.data, filename=waiting.name, format=choice.format or None, encoding=choice.encoding or None
    )
    there = {unit.speaker for unit in found.units}
    return found, {label: name for label, name in choice.names.items() if normalise_label(label) in there}


def _store(campaign: Campaign, number: int, waiting: uploads.Waiting, choice: Choice, by: User) -> transcripts.Imported:
    found, names = _read(waiting, choice)
    return transcripts.keep(
        campaign=campaign,
        number=number,
        title=choice.title,
        found=transcripts.named(found, names),
        renamed=len(names),
        by=by,
    )


def _stored(request: HttpRequest, kept: transcripts.Imported) -> HttpResponse:
    transcript = kept.transcript
    if kept.created:
        same = f" They equal revision {kept.same_as} and are current again." if kept.same_as else ""
        messages.success(request, f"Stored {transcript.unit_count} units as {transcript.source_id}.{same}")
    else:
        messages.info(request, f"The session has these units already, as {transcript.source_id}. Nothing was changed.")
    return HttpResponseRedirect(reverse("review-session", args=(transcript.session_id,)), status=303)


def _form(
    request: HttpRequest, campaign: Campaign, number: str, *, problem: str = "", status: int = 200
) -> HttpResponse:
    context = {
        "campaign": campaign,
        "number": number,
        "number_limit": transcripts.NUMBER_LIMIT,
        "sessions": campaign.sessions.order_by("number").values_list("number", "title"),
        "most_mib": f"{settings.UPLOAD_MAX_BYTES / 2**20:.3g}",
        "problem": problem,
    }
    return render(request, "upload/upload.html", context, status=status)


def _preview(
    request: HttpRequest,
    campaign: Campaign,
    number: int,
    waiting: uploads.Waiting,
    choice: Choice,
    *,
    problem: str = "",
) -> HttpResponse:
    session = campaign.sessions.filter(number=number).first()
    shown: Preview | None = None
    fields: list[tuple[int, str, str]] = []
    try:
        found, names = _read(waiting, choice)
        fields = _name_fields(found, names)
        shown = preview(transcripts.named(found, names), campaign)
    except NotariusError as error:
        problem = problem or str(error)
    context = {
        "campaign": campaign,
        "number": number,
        "session": session,
        "choice": choice,
        "preview": shown,
        "fields": fields,
        "formats": [(each.value, each.value.replace("_", " ")) for each in Format],
        "encodings": ENCODINGS,
        "labels": Table.of(campaign).labels(),
        "more_speakers": max(0, shown.named - MOST_SPEAKERS) if shown else 0,
        "problem": problem,
        **_place(session, shown),
    }
    return render(request, "upload/preview.html", context, status=422 if problem else 200)


def _name_fields(found: ReadTranscript, names: dict[str, str]) -> list[tuple[int, str, str]]:
    """Return position, the file's label and its new name, for the labels that can be named: the most frequent."""
    given = {normalise_label(label): name for label, name in names.items()}
    counts: dict[str, int] = {}
    for unit in found.units:
        if unit.speaker is not None:
            counts[unit.speaker] = counts.get(unit.speaker, 0) + 1
    ordered = sorted(counts, key=lambda label: (-counts[label], label))[:MOST_SPEAKERS]
    return [(at, label, given.get(label, "")) for at, label in enumerate(ordered)]


def _place(session: GameSession | None, shown: Preview | None) -> dict[str, object]:
    """Return what the transcript would be in its session: the same as the newest revision, or the next one.

    `same_as` is an older revision that it equals.
    """
    newest = session.transcripts.order_by("-revision").first() if session else None
    if session is None or newest is None or shown is None:
        return {"same": None, "revision": newest.revision + 1 if newest else 1}
    if newest.digest == shown.digest:
        return {"same": newest}
    return {"same": None, "same_as": transcripts.last_equal(session, shown.digest), "revision": newest.revision + 1}
