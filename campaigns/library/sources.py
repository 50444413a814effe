"""Which stored versions a registry is made of, and how they are read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from campaigns.joining import Entry, SessionRegistry, join
from campaigns.models import ArtifactVersion, Campaign, RegistryEntry

if TYPE_CHECKING:
    from campaigns.querysets import ArtifactVersionQuerySet

Kind = RegistryEntry.Kind


@dataclass(frozen=True, slots=True)
class Source:
    """Where a kind's records come from: the lane, the records key, and whether names join beside ids.

    `occurrences` is the family that tells where the kind's entries occur, by the id in the field `id_field`.
    """

    lane: str
    records: str
    occurrences: str
    id_field: str
    by_name: bool = False


KINDS: Mapping[str, Source] = {
    Kind.NPC: Source("dnd/npcs", "npcs", "npc-occurrences", "npc_id"),
    Kind.ITEM: Source("dnd/items", "items", "item-occurrences", "item_id"),
    # A place's id holds its session, so that the same place has another id in every session.
    Kind.LOCATION: Source("dnd/locations", "locations", "location-occurrences", "location_id", by_name=True),
}


def kind_of(lane: str) -> str | None:
    """Return the kind of registry that the lane's approved versions make up, or None."""
    return next((kind for kind, source in KINDS.items() if source.lane == lane), None)


def versions_of(campaign: Campaign, kind: str, as_of: int | None = None) -> ArtifactVersionQuerySet:
    """Return all versions of the campaign's session registries of this kind, up to session `as_of`."""
    rows = ArtifactVersion.objects.filter(artifact__lane=KINDS[kind].lane, artifact__session__campaign=campaign)
    return rows if as_of is None else rows.filter(artifact__session__number__lte=as_of)


def latest_of(campaign: Campaign, kind: str, as_of: int | None = None) -> list[ArtifactVersion]:
    """Return the newest usable version of each session, without its content, in the order of sessions."""
    rows = versions_of(campaign, kind, as_of).usable().select_related("artifact__session").order_by("number")
    newest = {row.artifact_id: row for row in rows.only("pk", "artifact__session__number")}
    return sorted(newest.values(), key=lambda version: version.artifact.session.number)


def union_of(campaign: Campaign, kind: str, chosen: ArtifactVersionQuerySet, as_of: int | None = None) -> list[Entry]:
    """Return the union of the chosen versions, at most one a session, with nothing kept secret.

    The ids of every version that was ever approved lead to what has taken its place.
    """
    current, earlier = read_chosen(campaign, kind, chosen, as_of)
    return join(
        [session_registry(each) for each in current],
        by_name=KINDS[kind].by_name,
        earlier=[session_registry(each) for each in earlier],
    )


@dataclass(frozen=True, slots=True)
class Told:
    """One version's registry as it is stored: records, and the consolidations that were applied to it."""

    session_id: int
    number: int
    records: list[dict[str, Any]]
    groups: list[dict[str, Any]]


def read_chosen(
    campaign: Campaign, kind: str, chosen: ArtifactVersionQuerySet, as_of: int | None = None
) -> tuple[list[Told], list[Told]]:
    """Return what the chosen versions tell, by session, and what earlier approved ones told, the newest first."""
    current = chosen.order_by("artifact__session__number")
    given = versions_of(campaign, kind, as_of).filter(decided_at__isnull=False, state__in=("approved", "superseded"))
    earlier = given.exclude(pk__in=chosen.values("pk")).order_by("-decided_at", "-pk")
    return _read(current, kind), _read(earlier, kind)


def session_registry(told: Told) -> SessionRegistry:
    """Return the registry as it is joined with others."""
    return SessionRegistry(
        told.session_id,
        told.number,
        told.records,  # type: ignore[arg-type] # validated when the version was made
        dict(_replaced(told.groups)),
        {group["id"]: [member["name"] for member in group["members"]] for group in told.groups},
    )


def _replaced(groups: Iterable[Mapping[str, Any]]) -> Iterable[tuple[str, str]]:
    for group in groups:
        yield from ((member["id"], group["id"]) for member in group["members"] if member["id"] != group["id"])


def _read(versions: ArtifactVersionQuerySet, kind: str) -> list[Told]:
    rows = versions.values_list("artifact__session_id", "artifact__session__number", "payload", "consolidations")
    return [
        Told(session_id, number, orjson.loads(payload)[KINDS[kind].records], consolidations.get("applied", []))
        for session_id, number, payload, consolidations in rows.iterator()
    ]
