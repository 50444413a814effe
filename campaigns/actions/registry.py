"""The campaign registry: the union of the approved session registries, rebuilt as a whole at each approval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson
from django.db import transaction

from campaigns.joining import Entry, SessionRegistry, join
from campaigns.models import ArtifactVersion, Campaign, EntryAlias, EntryEvidence, RegistryEntry, RegistryState
from extraction.canonical import digest
from extraction.identity import comparison_key

if TYPE_CHECKING:
    from campaigns.querysets import ArtifactVersionQuerySet

Kind = RegistryEntry.Kind
KEY_LIMIT = 300
BATCH = 1_000


@dataclass(frozen=True, slots=True)
class Source:
    """Where a kind's records come from: the lane, the records key, and whether names join beside ids."""

    lane: str
    records: str
    by_name: bool = False


KINDS: Mapping[str, Source] = {
    Kind.NPC: Source("dnd/npcs", "npcs"),
    Kind.ITEM: Source("dnd/items", "items"),
    # A place's id holds its session, so that the same place has another id in every session.
    Kind.LOCATION: Source("dnd/locations", "locations", by_name=True),
}


def kind_of(lane: str) -> str | None:
    """Return the kind of registry that the lane's approved versions make up, or None."""
    return next((kind for kind, source in KINDS.items() if source.lane == lane), None)


@transaction.atomic
def rebuild(*, campaign: Campaign, kind: str) -> RegistryState:
    """Replace the campaign's registry of this kind by the union of its approved versions and return its state.

    How records join is said in `joining.join`. Evidence is in the order of session numbers and, within a session, of
    the record's references, which stand in transcript order.
    """
    # Two approvals at once would each miss the other's session; whoever waits here reads what the first has committed.
    Campaign.objects.select_for_update().get(pk=campaign.pk)
    entries = union_of(campaign, kind, versions_of(campaign, kind).approved())
    RegistryEntry.objects.filter(campaign=campaign, kind=kind).delete()
    _store(campaign, kind, entries)
    state, _ = RegistryState.objects.update_or_create(
        campaign=campaign, kind=kind, defaults={"digest": digest([entry.as_json() for entry in entries])}
    )
    return state


def latest_of(campaign: Campaign, kind: str) -> list[ArtifactVersion]:
    """Return the newest usable version of each session, without its content, in the order of sessions."""
    rows = versions_of(campaign, kind).usable().select_related("artifact__session").order_by("number")
    newest = {row.artifact_id: row for row in rows.only("pk", "artifact__session__number")}
    return sorted(newest.values(), key=lambda version: version.artifact.session.number)


def versions_of(campaign: Campaign, kind: str) -> ArtifactVersionQuerySet:
    """Return all versions of the campaign's session registries of this kind."""
    return ArtifactVersion.objects.filter(artifact__lane=KINDS[kind].lane, artifact__session__campaign=campaign)


def union_of(campaign: Campaign, kind: str, chosen: ArtifactVersionQuerySet) -> list[Entry]:
    """Return the union of the chosen versions, at most one a session.

    The ids of every version that was ever approved lead to what has taken its place.
    """
    current = chosen.order_by("artifact__session__number")
    given = versions_of(campaign, kind).filter(decided_at__isnull=False, state__in=("approved", "superseded"))
    earlier = given.exclude(pk__in=chosen.values("pk")).order_by("-decided_at", "-pk")
    return join(_read(current, kind), by_name=KINDS[kind].by_name, earlier=_read(earlier, kind))


def _read(versions: ArtifactVersionQuerySet, kind: str) -> list[SessionRegistry]:
    rows = versions.values_list("artifact__session_id", "artifact__session__number", "payload", "consolidations")
    return [
        SessionRegistry(
            session_id,
            number,
            orjson.loads(payload)[KINDS[kind].records],
            {
                member["id"]: group["id"]
                for group in consolidations.get("applied", ())
                for member in group["members"]
                if member["id"] != group["id"]
            },
        )
        for session_id, number, payload, consolidations in rows.iterator()
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
    pairs = list(zip(rows, entries, strict=True))
    EntryAlias.objects.bulk_create(
        (
            EntryAlias(entry=row, campaign=campaign, kind=kind, entity_id=entity_id)
            for row, entry in pairs
            for entity_id in entry.other_ids
        ),
        batch_size=BATCH,
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
            for row, entry in pairs
            for position, cited in enumerate(entry.evidence)
        ),
        batch_size=BATCH,
    )
