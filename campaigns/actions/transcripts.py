"""Transcripts: read from a file, kept whole or not at all."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction
from django.db.models import Max

from campaigns.actions import audit
from campaigns.errors import ActionError
from campaigns.models import Campaign, GameSession, Transcript, Unit
from extraction.canonical import JsonValue
from extraction.codes import Code
from extraction.errors import IngestError
from extraction.ingest import Format, Limits, ReadTranscript, read_transcript
from extraction.source.documents import SourceUnit, units_digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from django.contrib.auth.models import User

BATCH = 2_000
TITLE_LIMIT = 200
NUMBER_LIMIT = 1_000_000


@dataclass(frozen=True, slots=True)
class Imported:
    """`created` is False where the session had a transcript of equal units already."""

    transcript: Transcript
    created: bool


def read(*, data: bytes, filename: str | None = None, format: str | None = None) -> ReadTranscript:
    """Return what the file holds, within the site's limits; nothing is stored.

    Raises IngestError for a file that cannot be read and for a format that there is not.
    """
    if format is not None and format not in list(Format):
        raise IngestError(f"The format is one of: {', '.join(Format)}.", code=Code.INGEST_UNKNOWN_FORMAT)
    limits = Limits(max_bytes=settings.UPLOAD_MAX_BYTES, max_units=settings.UPLOAD_MAX_UNITS)
    return read_transcript(data, format=Format(format) if format else None, filename=filename, limits=limits)


def import_transcript(
    *,
    campaign: Campaign,
    number: int,
    data: bytes,
    filename: str | None = None,
    title: str | None = None,
    format: str | None = None,
    by: User | None,
) -> Imported:
    """Read the file and keep its units as the session's next revision; the session is made if it is new.

    Units equal to those of an earlier revision make no row: that revision comes back. Raises IngestError for a file
    that cannot be read, ActionError for a session number or title out of bounds.
    """
    if not 1 <= number <= NUMBER_LIMIT:
        raise ActionError(f"A session number is a whole number from 1 to {NUMBER_LIMIT}.")
    title = " ".join((title or "").split())
    if len(title) > TITLE_LIMIT or not title.isprintable():
        raise ActionError(f"A session title is one line of at most {TITLE_LIMIT} characters.")
    found = read(data=data, filename=filename, format=format)
    return _store(campaign, number, title, found, by)


@transaction.atomic
def _store(campaign: Campaign, number: int, title: str, found: ReadTranscript, by: User | None) -> Imported:
    digest = units_digest(found.units)
    title = title or (found.title or "")[:TITLE_LIMIT]
    session, _ = GameSession.objects.get_or_create(campaign=campaign, number=number, defaults={"title": title})
    # Two uploads at once take their turn here, so that the second sees the revision of the first.
    session = GameSession.objects.select_for_update().get(pk=session.pk)
    equal = session.transcripts.filter(digest=digest).first()
    if equal is not None:
        return Imported(equal, created=False)
    if title and not session.title:
        session.title = title
        session.save(update_fields=["title"])
    revision = (session.transcripts.aggregate(last=Max("revision"))["last"] or 0) + 1
    transcript = Transcript.objects.create(
        session=session,
        revision=revision,
        source_id=f"{campaign.slug}.s{number}.t{revision}",
        digest=digest,
        title=found.title or title,
        format=found.format.value,
        encoding=found.encoding,
        unit_count=len(found.units),
        notes=notes(found),
        created_by=by,
    )
    rows = _rows(transcript, found.units)
    while batch := list(islice(rows, BATCH)):
        Unit.objects.bulk_create(batch)
    audit.record(
        by=by,
        act="transcript.import",
        subject=transcript,
        campaign=campaign,
        session=number,
        revision=revision,
        units=transcript.unit_count,
        format=transcript.format,
    )
    return Imported(transcript, created=True)


def notes(found: ReadTranscript) -> list[dict[str, JsonValue]]:
    """Return what was skipped or kept with a doubt: a code and a count each, by code."""
    counts = dict(found.notes)
    for skipped in found.skipped:
        counts[skipped.code] = counts.get(skipped.code, 0) + 1
    return [{"code": code.value, "count": count} for code, count in sorted(counts.items())]


def _rows(transcript: Transcript, units: Iterable[SourceUnit]) -> Iterator[Unit]:
    for position, unit in enumerate(units):
        yield Unit(
            transcript=transcript,
            position=position,
            unit_id=unit.unit_id,
            speaker=unit.speaker,
            text=unit.text,
            start_ms=unit.start_ms,
            end_ms=unit.end_ms,
        )
