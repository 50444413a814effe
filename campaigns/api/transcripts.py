from __future__ import annotations

from typing import Annotated, TypeAlias

import orjson
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from ninja import File, Form, Query, Router
from ninja.files import UploadedFile
from pydantic import Field

from campaigns.access import Need, campaign_for
from campaigns.actions.transcripts import Imported, import_transcript
from campaigns.api.answers import Keyset, conditional, json_answer
from campaigns.api.auth import actor_of
from campaigns.api.once import once_at_length
from campaigns.api.schemas import PLAIN, UNIT_FIELDS, SessionNumber, Slug, StretchQuery, kept
from campaigns.api.shown import TranscriptOut, UploadOut
from campaigns.api.sights import seen
from campaigns.library import transcripts
from campaigns.library.sight import Sight
from extraction.codes import Code
from extraction.errors import IngestError

router = Router(tags=["transcripts"])
ORDER = Keyset({"position": int})
Text: TypeAlias = Annotated[str, Field(max_length=200, pattern=PLAIN)]


@router.get("/{slug}/sessions/{number}/transcript", response=TranscriptOut)
def get_transcript(request: HttpRequest, slug: Slug, number: SessionNumber, query: Query[StretchQuery]) -> HttpResponse:
    """The newest transcript's units in their order, or a stretch of them; for members."""
    sight = seen(request, slug, query, Need.READ)
    transcript = transcripts.transcript_of(sight, number)
    said = transcripts.reading_digest(sight, number)
    parts = (sight.key, transcript.source_id, said, query.model_dump_json())
    return conditional(request, parts, lambda: _units(sight, number, query))


@router.post("/{slug}/sessions/{number}/transcripts", response={200: UploadOut, 201: UploadOut})
@once_at_length
def upload_transcript(
    request: HttpRequest,
    slug: Slug,
    number: SessionNumber,
    file: File[UploadedFile],
    title: Form[Text | None] = None,
    format: Form[Text | None] = None,
    encoding: Form[Text | None] = None,
) -> HttpResponse:
    """Keep a transcript as the session's next revision: 201, or 200 where the newest one has equal units.

    Units equal to those of an older revision make them current again: 201, with its number as `same_as`.
    `format` and `encoding` take the place of what is detected.
    """
    actor = actor_of(request)
    campaign = campaign_for(actor, slug, Need.EDIT)
    if (file.size or 0) > settings.UPLOAD_MAX_BYTES:
        most = settings.UPLOAD_MAX_BYTES // 2**20
        raise IngestError(f"The file is larger than this site takes ({most} MiB).", code=Code.INGEST_TOO_LARGE)
    imported = import_transcript(
        campaign=campaign,
        number=number,
        data=file.read(),
        filename=file.name,
        title=title,
        format=format,
        encoding=encoding,
        by=actor.user,
    )
    status = 201 if imported.created else 200
    return json_answer(_uploaded(imported), status=status, location=f"{_base(request)}/transcript")


def _base(request: HttpRequest) -> str:
    return request.path.rpartition("/")[0]


def _uploaded(imported: Imported) -> dict[str, object]:
    transcript = imported.transcript
    return {
        "source_id": transcript.source_id,
        "revision": transcript.revision,
        "digest": transcript.digest,
        "unit_count": transcript.unit_count,
        "created": imported.created,
        "same_as": imported.same_as,
    }


def _units(sight: Sight, number: int, query: StretchQuery) -> bytes:
    after = ORDER.after(query.cursor)
    found = transcripts.reading(
        sight,
        number,
        start_unit=query.start_unit,
        end_unit=query.end_unit,
        after_position=None if after is None else int(after[0]),
        limit=None if query.limit is None else query.limit + 1,
    )
    shown = found.lines if query.limit is None else found.lines[: query.limit]
    cursor = ORDER.cursor([shown[-1].position]) if len(shown) < len(found.lines) else None
    units = [kept({name: getattr(line, name) for name in UNIT_FIELDS}, query.fields) for line in shown]
    return orjson.dumps(
        {
            "source_id": found.source_id,
            "digest": found.digest,
            "unit_count": found.unit_count,
            "units": units,
            "next_cursor": cursor,
        }
    )
