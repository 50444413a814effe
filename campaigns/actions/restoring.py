"""A backup brought back: a campaign as it was when it was taken out, made whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
from django.db import IntegrityError, transaction
from django.db.models import Model

from campaigns.actions import audit, players, registry
from campaigns.actions.transcripts import BATCH
from campaigns.errors import Conflict
from campaigns.exports.backup import renumbered
from campaigns.exports.folder import Backup, Refused, opened
from campaigns.exports.layout import CAMPAIGN, SECRETS, session_folder
from campaigns.exports.shapes import (
    CampaignFile,
    DecisionLine,
    Revision,
    SecretLine,
    SessionFile,
    TranscriptFile,
    Version,
)
from campaigns.library.sources import KINDS
from campaigns.models import (
    Artifact,
    ArtifactVersion,
    Campaign,
    Decision,
    GameSession,
    GlossaryTerm,
    RosterEntry,
    Secret,
    Transcript,
    Unit,
)
from campaigns.search.index import index_newest
from extraction.canonical import bytes_digest
from extraction.errors import InternalError
from extraction.registry import LANES, read_payload
from extraction.source.documents import SourceUnit, units_digest

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def restore(*, folder: Path, by: User | None) -> Campaign:
    """Make the campaign of the backup in the folder; its members are none.

    Raises Refused for a folder that is no backup, or that was changed since, and Conflict where there is a campaign
    of its slug already. Nothing is written then.
    """
    backup = opened(folder)
    try:
        return _restore(backup, by)
    except IntegrityError as error:
        raise Refused("The backup contradicts itself: it has two of what there can be one of.") from error


@transaction.atomic
def _restore(backup: Backup, by: User | None) -> Campaign:
    about = backup.read(CAMPAIGN, CampaignFile)
    if Campaign.objects.filter(slug=about.slug).exists():
        raise Conflict(f"There is a campaign {about.slug!r} already: a backup makes a new one.")
    campaign = _campaign(about)
    sessions = {number: _session(backup, campaign, number) for number in backup.sessions}
    _secrets(backup, campaign, sessions)
    for kind in KINDS:
        registry.rebuild(campaign=campaign, kind=kind)
    players.rebuild(campaign=campaign)
    audit.record(
        by=by,
        act="campaign.restore",
        subject=campaign,
        campaign=campaign,
        sessions=len(sessions),
        digest=backup.digest,
    )
    return campaign


def _campaign(about: CampaignFile) -> Campaign:
    campaign = Campaign.objects.create(slug=about.slug, name=about.name, public=about.public)
    _at(campaign, created_at=about.created_at)
    RosterEntry.objects.bulk_create(RosterEntry(campaign=campaign, **line.model_dump()) for line in about.roster)
    GlossaryTerm.objects.bulk_create(GlossaryTerm(campaign=campaign, **line.model_dump()) for line in about.glossary)
    return campaign


def _session(backup: Backup, campaign: Campaign, number: int) -> GameSession:
    folder = session_folder(number)
    about = backup.read(f"{folder}/session.json", SessionFile)
    if about.number != number:
        raise Refused(f"{folder}/session.json is of another session.")
    session = GameSession.objects.create(campaign=campaign, number=number, title=about.title)
    _at(session, created_at=about.created_at)
    transcripts = {one.revision: _transcript(backup, session, one) for one in about.transcripts}
    versions = _versions(backup, session, about, transcripts)
    _decisions(session, backup.read(f"{folder}/decisions.json", list[DecisionLine]), versions)
    index_newest(session)
    return session


def _transcript(backup: Backup, session: GameSession, about: Revision) -> Transcript:
    path = f"{session_folder(session.number)}/transcripts/{about.revision}.json"
    units = backup.read(path, TranscriptFile).units
    said = [SourceUnit(**unit.model_dump()) for unit in units]
    source_id = f"{session.campaign.slug}.s{session.number}.t{about.revision}"
    if units_digest(said) != about.digest or about.source_id != source_id:
        raise Refused(f"{path} is not the transcript that its session names.")
    if about.earlier_digests and all(unit.text != Unit.WITHDRAWN for unit in said):
        raise Refused(f"{path} had another digest, but nothing was withdrawn from it.")
    transcript = Transcript.objects.create(
        session=session, unit_count=len(said), **about.model_dump(exclude={"earlier_digests", "created_at"})
    )
    _at(transcript, created_at=about.created_at)
    Unit.objects.bulk_create(
        (Unit(transcript=transcript, position=position, **unit.model_dump()) for position, unit in enumerate(units)),
        batch_size=BATCH,
    )
    return transcript


Versions = dict[tuple[str, int], ArtifactVersion]


def _versions(backup: Backup, session: GameSession, told: SessionFile, transcripts: dict[int, Transcript]) -> Versions:
    """Store the versions in the order they were made in, so that each finds the one that it was made from."""
    made: Versions = {}
    digests = {one.revision: {one.digest, *one.earlier_digests} for one in told.transcripts}
    for about in sorted(told.versions, key=lambda version: (version.lane, version.number)):
        path = f"{session_folder(session.number)}/{about.lane}/{about.number}.json"
        transcript = transcripts.get(about.revision)
        parent = made.get((about.lane, about.parent or 0))
        if about.lane not in LANES or transcript is None or (about.parent is not None and parent is None):
            raise Refused(f"{path} is of a lane, a transcript or a version that the backup does not have.")
        payload = backup.bytes_of(path)
        artifact, _ = Artifact.objects.get_or_create(session=session, lane=about.lane)
        version = ArtifactVersion.objects.create(
            artifact=artifact,
            transcript=transcript,
            parent=parent,
            payload=payload.decode(),
            record_count=_records(path, payload, about, transcript, digests[about.revision]),
            **about.model_dump(exclude={"lane", "parent", "revision", "created_at"}),
        )
        _at(version, created_at=about.created_at)
        made[about.lane, about.number] = version
    return made


def _records(path: str, payload: bytes, about: Version, transcript: Transcript, digests: Set[str]) -> int:
    """Return how many records the artifact has; Refused where it is not the durable artifact that the session names.

    `digests` are all that its transcript ever had: what was made before words were withdrawn names an earlier one.
    """
    try:
        artifact = orjson.loads(payload)
        records = read_payload(about.lane, artifact)
    except (ValueError, InternalError) as error:
        raise Refused(f"{path} is no durable artifact of its lane.") from error
    sources = [
        {"source_id": transcript.source_id, "digest": digest, "unit_count": transcript.unit_count} for digest in digests
    ]
    if artifact["source"] not in sources or bytes_digest(payload) != about.digest:
        raise Refused(f"{path} is not the artifact that its session names.")
    return len(records)


def _decisions(session: GameSession, told: Sequence[DecisionLine], versions: Versions) -> None:
    made: dict[int, Decision] = {}
    numbers: dict[int, int] = {}
    for place, line in enumerate(told, start=1):
        about, version = made.get(line.about or 0), versions.get((line.lane, line.made or 0))
        if (line.about is not None and about is None) or (line.made is not None and version is None):
            raise Refused(f"{session_folder(session.number)}/decisions.json names what the backup does not have.")
        # A decision names none but those before it.
        row = Decision.objects.create(
            session=session,
            about=about,
            made=version,
            data=renumbered(line.data, numbers),
            **line.model_dump(include={"lane", "kind", "keys", "reason"}),
        )
        _at(row, at=line.at)
        made[place], numbers[place] = row, row.pk


def _secrets(backup: Backup, campaign: Campaign, sessions: dict[int, GameSession]) -> None:
    for line in backup.read(SECRETS, list[SecretLine]):
        if line.session is not None and line.session not in sessions:
            raise Refused(f"{SECRETS} names a session that the backup does not have.")
        if line.kind == Secret.Kind.RANGE and not _is_passage(sessions[line.session or 0], line.binding):
            raise Refused(f"{SECRETS} names a passage that its transcript does not have.")
        secret = Secret.objects.create(
            campaign=campaign,
            session=sessions.get(line.session or 0),
            **line.model_dump(exclude={"session", "hidden_at"}),
        )
        _at(secret, hidden_at=line.hidden_at)


def _is_passage(session: GameSession, binding: Mapping[str, Any]) -> bool:
    """Say whether a revision of the session's transcript has both ends of the passage, in their order."""
    start, end = binding["start"], binding["end"]
    rows = Unit.objects.filter(transcript__session=session, transcript__source_id=binding["source_id"])
    places = dict(rows.filter(unit_id__in=(start, end)).values_list("unit_id", "position"))
    return start in places and end in places and places[start] <= places[end]


def _at(row: Model, **moments: datetime) -> None:
    """Give the row the time at which it was first made: on creation it always gets the present."""
    type(row)._default_manager.filter(pk=row.pk).update(**moments)
    for name, moment in moments.items():
        setattr(row, name, moment)
