"""The game masters' edition as JSON: all that is needed to have the campaign again, for them alone.

Of people there is nothing but what the roster says: no account, no author. Runs, checkpoints and exchanges stay: they
are how artifacts were made, and are made again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Set
from datetime import UTC, datetime
from typing import Any

import orjson
from django.db.models import Count

from campaigns.adapters.documents import load_document
from campaigns.errors import Forbidden
from campaigns.exports.files import ExportFile, Progress
from campaigns.exports.layout import CAMPAIGN, SECRETS, entry_of, manifest, session_folder
from campaigns.library.sight import Edition, Sight
from campaigns.models import ArtifactVersion, Campaign, Decision, GameSession, Secret, Transcript
from extraction.canonical import JsonValue, canonical_json

# Fields of a decision's data that name other decisions by their row.
DECISION_LISTS, DECISION_FIELDS = ("revived", "dropped"), ("again",)


def files(sight: Sight, progress: Progress) -> Iterator[ExportFile]:
    """Yield the files, the manifest last; Forbidden for any sight but a game master's of the whole campaign."""
    if sight.edition is not Edition.GM or not sight.words or sight.as_of is not None:
        raise Forbidden("A backup is for game masters, and of the whole campaign.")
    entries = []
    for file in _content(sight.campaign, progress):
        entries.append(entry_of(file))
        yield file
    yield manifest({"edition": Edition.GM.value, "as_of": None, "members": _members(sight.campaign)}, entries)


def _content(campaign: Campaign, progress: Progress) -> Iterator[ExportFile]:
    yield _json(CAMPAIGN, _campaign(campaign))
    secrets = campaign.secrets.select_related("session").order_by("pk")
    yield _json(SECRETS, [_secret(secret) for secret in secrets])
    sessions = list(campaign.sessions.order_by("number"))
    progress(1, len(sessions) + 1)
    for done, session in enumerate(sessions, start=2):
        yield from _session(session)
        progress(done, len(sessions) + 1)


def _members(campaign: Campaign) -> Mapping[str, JsonValue]:
    """Return how many members of each role there are: who they are is not taken out."""
    rows = campaign.memberships.order_by("role").values("role").annotate(total=Count("pk"))
    return {row["role"]: row["total"] for row in rows}


def _campaign(campaign: Campaign) -> JsonValue:
    return {
        "slug": campaign.slug,
        "name": campaign.name,
        "public": campaign.public,
        "created_at": moment(campaign.created_at),
        "roster": [
            {
                "kind": line.kind,
                "position": line.position,
                "player": line.player,
                "character": line.character,
                "speaker_labels": line.speaker_labels,
                "other_names": line.other_names,
            }
            for line in campaign.roster.order_by("kind", "position", "pk")
        ],
        "glossary": [
            {"position": line.position, "term": line.term, "heard_as": line.heard_as}
            for line in campaign.glossary.order_by("position", "pk")
        ],
    }


def _secret(secret: Secret) -> JsonValue:
    return {
        "session": secret.session.number if secret.session else None,
        "kind": secret.kind,
        "entry_kind": secret.entry_kind,
        "token": secret.token,
        "label": secret.label,
        "binding": secret.binding,
        "note": secret.note,
        "hidden_at": moment(secret.hidden_at),
        "revealed_at": moment(secret.revealed_at),
    }


def _session(session: GameSession) -> Iterator[ExportFile]:
    folder = session_folder(session.number)
    transcripts = list(session.transcripts.order_by("revision"))
    for transcript in transcripts:
        yield ExportFile(f"{folder}/transcripts/{transcript.revision}.json", _transcript(transcript))
    versions = ArtifactVersion.objects.filter(artifact__session=session).select_related(
        "artifact", "parent", "transcript"
    )
    told: list[JsonValue] = []
    sources: defaultdict[int, set[str]] = defaultdict(set)
    for version in versions.order_by("artifact__lane", "number").iterator(chunk_size=50):
        yield ExportFile(f"{folder}/{version.artifact.lane}/{version.number}.json", version.payload.encode())
        told.append(_version(version))
        sources[version.transcript_id].add(orjson.loads(version.payload)["source"]["digest"])
    about: JsonValue = {
        "number": session.number,
        "title": session.title,
        "created_at": moment(session.created_at),
        "transcripts": [_revision(transcript, sources[transcript.pk]) for transcript in transcripts],
        "versions": told,
    }
    yield _json(f"{folder}/session.json", about)
    yield _json(f"{folder}/decisions.json", _decisions(session))


def _transcript(transcript: Transcript) -> bytes:
    document = load_document(transcript)
    units = [unit.as_json() for unit in document.units]
    return canonical_json({"schema": "notarius.transcript.v1", "title": document.title, "units": units})


def _revision(transcript: Transcript, sources: Set[str]) -> JsonValue:
    """Return what is told of a revision. `sources` are the digests of it that its artifacts name.

    Those that it had before words were withdrawn from it are told too, and nothing of them where there are none.
    """
    earlier: list[JsonValue] = [*sorted(sources - {transcript.digest})]
    return {
        **({"earlier_digests": earlier} if earlier else {}),
        "revision": transcript.revision,
        "source_id": transcript.source_id,
        "digest": transcript.digest,
        "title": transcript.title,
        "format": transcript.format,
        "encoding": transcript.encoding,
        "notes": transcript.notes,
        "created_at": moment(transcript.created_at),
    }


def _version(version: ArtifactVersion) -> JsonValue:
    return {
        "lane": version.artifact.lane,
        "number": version.number,
        "state": version.state,
        "origin": version.origin,
        "parent": version.parent.number if version.parent else None,
        "revision": version.transcript.revision,
        "digest": version.digest,
        "manifest": version.manifest,
        "findings": version.findings,
        "consolidations": version.consolidations,
        "note": version.note,
        "created_at": moment(version.created_at),
        "decided_at": moment(version.decided_at),
    }


def _decisions(session: GameSession) -> JsonValue:
    """Return the session's decisions in the order they were made; each is named by its place from 1 on."""
    rows = list(session.decisions.order_by("pk").select_related("made"))
    places = {row.pk: place for place, row in enumerate(rows, start=1)}
    return [_decision(row, places) for row in rows]


def _decision(row: Decision, places: Mapping[int, int]) -> JsonValue:
    return {
        "lane": row.lane,
        "kind": row.kind,
        "keys": row.keys,
        "data": renumbered(row.data, places),
        "reason": row.reason,
        "about": places[row.about_id] if row.about_id else None,
        "made": row.made.number if row.made else None,
        "at": moment(row.at),
    }


def renumbered(data: Mapping[str, Any], numbers: Mapping[int, int]) -> dict[str, Any]:
    """Return a decision's data with the decisions that it names named anew; those without a new name are left out."""
    lists = {name: [numbers[old] for old in data[name] if old in numbers] for name in DECISION_LISTS if name in data}
    fields = {name: numbers.get(data[name]) for name in DECISION_FIELDS if name in data}
    return {**data, **lists, **fields}


def moment(at: datetime | None) -> str | None:
    return at.astimezone(UTC).isoformat() if at else None


def _json(path: str, value: JsonValue) -> ExportFile:
    return ExportFile(path, canonical_json(value))
