from __future__ import annotations

import orjson
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from ninja import File, Form, Query, Router
from ninja.files import UploadedFile

from campaigns.access import Need, campaign_for
from campaigns.actions.transcripts import import_transcript
from campaigns.api.answers import conditional, json_answer
from campaigns.api.auth import actor_of
from campaigns.api.schemas import SessionNumber, StretchQuery, TranscriptOut, UploadOut
from campaigns.api.sessions import session_of
from campaigns.errors import ActionError, NotFound
from campaigns.models import Transcript, Unit
from extraction.codes import Code
from extraction.errors import IngestError

router = Router(tags=["transcripts"])
COLUMNS = ("unit_id", "speaker", "text", "start_ms", "end_ms")


@router.get("/{slug}/sessions/{number}/transcript", response=TranscriptOut)
def get_transcript(request: HttpRequest, slug: str, number: SessionNumber, query: Query[StretchQuery]) -> HttpResponse:
    """The newest transcript's units in their order, or the stretch from one unit to another; for members."""
    actor = actor_of(request)
    session = session_of(actor, campaign_for(actor, slug, Need.READ), number)
    transcript = session.transcripts.order_by("-revision").first()
    if transcript is None:
        raise NotFound("This session has no transcript yet.", code=Code.TRANSCRIPT_NONE)
    parts = (transcript.source_id, transcript.digest, query.start_unit, query.end_unit)
    return conditional(request, parts, lambda: _units(transcript, query))


@router.post("/{slug}/sessions/{number}/transcripts", response={200: UploadOut, 201: UploadOut})
def upload_transcript(
    request: HttpRequest,
    slug: str,
    number: SessionNumber,
    file: File[UploadedFile],
    title: Form[str | None] = None,
    format: Form[str | None] = None,
    encoding: Form[str | None] = None,
) -> HttpResponse:
    """Keep a transcript as the session's next revision: 201, or 200 where one of equal units is there already.

    `format` and `encoding` take the place of what is detected.
    """
    actor = actor_of(request)
    campaign = campaign_for(actor, slug, Need.EDIT)
    if (file.size or 0) > settings.UPLOAD_MAX_BYTES:
        most = settings.UPLOAD_MAX_BYTES // 2**20
        raise IngestError(f"The file is larger than this site takes ({most} MiB).", code=Code.INGEST_TOO_LARGE)
    kept = import_transcript(
        campaign=campaign,
        number=number,
        data=file.read(),
        filename=file.name,
        title=title,
        format=format,
        encoding=encoding,
        by=actor.user,
    )
    status = 201 if kept.created else 200
    return json_answer(_uploaded(kept.transcript, kept.created), status=status, location=f"{_base(request)}/transcript")


def _base(request: HttpRequest) -> str:
    return request.path.rpartition("/")[0]


def _uploaded(transcript: Transcript, created: bool) -> dict[str, object]:
    return {
        "source_id": transcript.source_id,
        "revision": transcript.revision,
        "digest": transcript.digest,
        "unit_count": transcript.unit_count,
        "created": created,
    }


def _units(transcript: Transcript, query: StretchQuery) -> bytes:
    rows = Unit.objects.filter(transcript=transcript)
    first, last = (_place(transcript, unit_id) for unit_id in (query.start_unit, query.end_unit))
    if first is not None and last is not None and first > last:
        raise ActionError("start_unit stands after end_unit in this transcript.")
    if first is not None:
        rows = rows.filter(position__gte=first)
    if last is not None:
        rows = rows.filter(position__lte=last)
    head = {"source_id": transcript.source_id, "digest": transcript.digest, "unit_count": transcript.unit_count}
    return orjson.dumps(head | {"units": list(rows.order_by("position").values(*COLUMNS))})


def _place(transcript: Transcript, unit_id: int | None) -> int | None:
    """Return the unit's position; NotFound for a unit that the transcript does not have."""
    if unit_id is None:
        return None
    place = Unit.objects.filter(transcript=transcript, unit_id=unit_id).values_list("position", flat=True).first()
    if place is None:
        raise NotFound(f"This transcript has no unit {unit_id}.")
    return place
