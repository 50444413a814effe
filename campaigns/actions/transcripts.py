"""Transcripts: read from a file, kept whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction
from django.db.models import Max

from campaigns.actions import audit
from campaigns.actions.locking import lock_campaign, lock_session
from campaigns.errors import ActionError
from campaigns.models import Campaign, GameSession, Transcript, Unit
from campaigns.search.index import index
from campaigns.speakers import with_speakers
from extraction.canonical import JsonValue
from extraction.codes import Code
from extraction.errors import IngestError
from extraction.ingest import Format, Limits, ReadTranscript, read_transcript
from extraction.source.documents import SourceUnit, units_digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from django.contrib.auth.models import User

BATCH = 2_000
TITLE_LIMIT = 200
NUMBER_LIMIT = 1_000_000
NOBODY_NAMED: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Imported:
    """`created` is False where the session's newest transcript had equal units already.

    `same_as` is the older revision whose units were made the current ones again.
    """

    transcript: Transcript
    created: bool
    same_as: int | None = None


def read(
    *,
    data: bytes,
    filename: str | None = None,
    format: str | None = None,
    encoding: str | None = None,
    speakers: Mapping[str, str] = NOBODY_NAMED,
) -> ReadTranscript:
    """Return what the file holds, within the site's limits; nothing is stored.

    `format` and `encoding` overrule detection. `speakers` names labels anew in the units themselves, by
    `with_speakers`. Raises IngestError for a file that cannot be read and for a format or encoding that there is not,
    ActionError for a label that cannot be named so.
    """
    if format is not None and format not in list(Format):
        raise IngestError(f"The format is one of: {', '.join(Format)}.", code=Code.INGEST_UNKNOWN_FORMAT)
    limits = Limits(max_bytes=settings.UPLOAD_MAX_BYTES, max_units=settings.UPLOAD_MAX_UNITS)
    chosen = Format(format) if format else None
    found = read_transcript(data, format=chosen, filename=filename, encoding=encoding or None, limits=limits)
    return named(found, speakers)


def named(found: ReadTranscript, speakers: Mapping[str, str]) -> ReadTranscript:
    """Return the transcript with labels named anew; ActionError for a label that cannot be named so."""
    return replace(found, units=with_speakers(found.units, speakers)) if speakers else found


def import_transcript(
    *,
    campaign: Campaign,
    number: int,
    data: bytes,
    filename: str | None = None,
    title: str | None = None,
    format: str | None = None,
    encoding: str | None = None,
    speakers: Mapping[str, str] = NOBODY_NAMED,
    by: User | None,
) -> Imported:
    """Read the file and keep its units as the session's next revision; the session is made if it is new.

    Speakers named anew are stored under the new label, which is part of the digest: the transcript is as if the
    recorder had known them. Units equal to those of the newest revision make no row: that revision comes back. Those
    of an older one are the next revision, which says so. Raises IngestError for a file that cannot be read,
    ActionError for a session number, title or label out of bounds.
    """
    found = read(data=data, filename=filename, format=format, encoding=encoding, speakers=speakers)
    return keep(campaign=campaign, number=number, title=title, found=found, renamed=len(speakers), by=by)


def keep(
    *, campaign: Campaign, number: int, title: str | None, found: ReadTranscript, renamed: int = 0, by: User | None
) -> Imported:
    """Keep what was read as `import_transcript` does; `renamed` is how many of its labels were named anew."""
    if not 1 <= number <= NUMBER_LIMIT:
        raise ActionError(f"A session number is a whole number from 1 to {NUMBER_LIMIT}.")
    title = " ".join((title or "").split())
    if len(title) > TITLE_LIMIT or not title.isprintable():
        raise ActionError(f"A session title is one line of at most {TITLE_LIMIT} characters.")
    return _store(campaign, number, title, found, renamed, by)


@transaction.atomic
def _store(
    campaign: Campaign, number: int, title: str, found: ReadTranscript, renamed: int, by: User | None
) -> Imported:
    digest = units_digest(found.units)
    title = title or (found.title or "")[:TITLE_LIMIT]
    # Two uploads at once take their turn here, so that the second sees the revision of the first.
    lock_campaign(campaign.pk)
    session, _ = GameSession.objects.get_or_create(campaign=campaign, number=number, defaults={"title": title})
    session = lock_session(session)
    newest = session.transcripts.order_by("-revision").first()
    if newest is not None and newest.digest == digest:
        return Imported(newest, created=False)
    same_as = last_equal(session, digest)
    if title and not session.title:
        session.title = title
        session.save(update_fields=["title"])
    transcript = add_revision(
        session=session,
        units=found.units,
        title=found.title or title,
        format=found.format.value,
        encoding=found.encoding,
        notes=notes(found),
        by=by,
    )
    audit.record(
        by=by,
        act="transcript.import",
        subject=transcript,
        campaign=campaign,
        session=number,
        revision=transcript.revision,
        units=transcript.unit_count,
        format=transcript.format,
        named_speakers=renamed,
        **({"same_as": same_as} if same_as else {}),
    )
    return Imported(transcript, created=True, same_as=same_as)


def last_equal(session: GameSession, digest: str) -> int | None:
    """Return the newest revision whose units have this digest, None where the session never had them."""
    rows = session.transcripts.filter(digest=digest).order_by("-revision")
    return rows.values_list("revision", flat=True).first()


def add_revision(
    *,
    session: GameSession,
    units: Sequence[SourceUnit],
    title: str,
    format: str,
    encoding: str,
    notes: list[dict[str, JsonValue]],
    by: User | None,
) -> Transcript:
    """Store the units as the next revision, inside the transaction of a caller who holds the session's row.

    From then on a search finds this revision's words, and no earlier one's.
    """
    revision = (session.transcripts.aggregate(last=Max("revision"))["last"] or 0) + 1
    transcript = Transcript.objects.create(
        session=session,
        revision=revision,
        source_id=f"{session.campaign.slug}.s{session.number}.t{revision}",
        digest=units_digest(units),
        title=title,
        format=format,
        encoding=encoding,
        unit_count=len(units),
        notes=notes,
        created_by=by,
    )
    rows = _rows(transcript, units)
    while batch := list(islice(rows, BATCH)):
        Unit.objects.bulk_create(batch)
    index(transcript, ((unit.speaker, unit.text) for unit in units))
    return transcript


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
