"""The campaign registry: the union of the approved session registries, rebuilt as a whole at each approval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict

import orjson
from django.db import transaction

from campaigns.models import ArtifactVersion, Campaign, EntryEvidence, RegistryEntry, RegistryState
from extraction.canonical import JsonValue, digest
from extraction.identity import comparison_key

Kind = RegistryEntry.Kind

# Kinds whose records join by id, with the lane and the records key they come from. Places need a rule of their own.
LANES: Mapping[str, tuple[str, str]] = {Kind.NPC: ("dnd/npcs", "npcs")}
KEY_LIMIT = 300


class Ref(TypedDict):
    source_id: str
    start_unit_id: int
    end_unit_id: int


class Record(TypedDict):
    """A record of a stored registry, which has passed its lane's validators."""

    id: str
    name: str
    source_refs: list[Ref]


@dataclass(frozen=True, slots=True)
class Citation:
    session_id: int
    source_id: str
    start_unit_id: int
    end_unit_id: int


@dataclass(slots=True)
class Entry:
    """One identity while it is put together; sessions and evidence arrive in order."""

    entity_id: str
    name: str
    sessions: list[int] = field(default_factory=list)
    evidence: list[Citation] = field(default_factory=list)

    def as_json(self) -> dict[str, JsonValue]:
        return {
            "id": self.entity_id,
            "name": self.name,
            "sessions": self.sessions,
            "evidence": [[cited.source_id, cited.start_unit_id, cited.end_unit_id] for cited in self.evidence],
        }


def kind_of(lane: str) -> str | None:
    """Return the kind of registry that the lane's approved versions make up, or None."""
    return next((kind for kind, (key, _) in LANES.items() if key == lane), None)


@transaction.atomic
def rebuild(*, campaign: Campaign, kind: str) -> RegistryState:
    """Replace the campaign's registry of this kind by the union of its approved versions and return its state.

    Records join by id. An entry has the name of its earliest session's record; its evidence is in the order of
    session numbers and, within a session, of the record's references, which stand in transcript order.
    """
    # Two approvals at once would each miss the other's session; whoever waits here reads what the first has committed.
    Campaign.objects.select_for_update().get(pk=campaign.pk)
    lane, records = LANES[kind]
    approved = (
        ArtifactVersion.objects.approved()
        .filter(artifact__lane=lane, artifact__session__campaign=campaign)
        .order_by("artifact__session__number")
        .values_list("artifact__session_id", "artifact__session__number", "payload")
    )
    entries: dict[str, Entry] = {}
    for session_id, number, payload in approved.iterator():
        _join(entries, session_id, number, orjson.loads(payload)[records])
    ordered = sorted(entries.values(), key=lambda entry: (comparison_key(entry.name), entry.entity_id))
    RegistryEntry.objects.filter(campaign=campaign, kind=kind).delete()
    _store(campaign, kind, ordered)
    state, _ = RegistryState.objects.update_or_create(
        campaign=campaign, kind=kind, defaults={"digest": digest([entry.as_json() for entry in ordered])}
    )
    return state


def _join(entries: dict[str, Entry], session_id: int, number: int, records: Sequence[Record]) -> None:
    for record in records:
        entry = entries.setdefault(record["id"], Entry(record["id"], record["name"]))
        if number not in entry.sessions:
            entry.sessions.append(number)
        entry.evidence += [
            Citation(session_id, ref["source_id"], ref["start_unit_id"], ref["end_unit_id"])
            for ref in record["source_refs"]
        ]


def _store(campaign: Campaign, kind: str, entries: Sequence[Entry]) -> None:
    rows = RegistryEntry.objects.bulk_create(
        RegistryEntry(
            campaign=campaign,
            kind=kind,
            entity_id=entry.entity_id,
            name=entry.name,
            key=comparison_key(entry.name)[:KEY_LIMIT],
            sessions=entry.sessions,
            evidence_count=len(entry.evidence),
        )
        for entry in entries
    )
    EntryEvidence.objects.bulk_create(
        (
            EntryEvidence(
                entry=row,
                session_id=cited.session_id,
                position=position,
                source_id=cited.source_id,
                start_unit_id=cited.start_unit_id,
                end_unit_id=cited.end_unit_id,
            )
            for row, entry in zip(rows, entries, strict=True)
            for position, cited in enumerate(entry.evidence)
        ),
        batch_size=1_000,
    )
