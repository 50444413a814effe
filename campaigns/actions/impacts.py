"""What an act on a registry would change elsewhere, told before it is done. Nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from campaigns.actions import decisions, reviews
from campaigns.actions.drafts import Change, Draft, check_expected, head_of, open_draft, settle
from campaigns.actions.nodes import Record
from campaigns.errors import NotFound
from campaigns.models import Artifact, ArtifactVersion, Decision
from extraction.codes import Code
from extraction.identity import comparison_key
from extraction.registry import LANES

OCCURRENCES: Mapping[str, tuple[str, str]] = {
    "dnd/npcs": ("dnd/npc-occurrences", "npc_id"),
    "dnd/items": ("dnd/item-occurrences", "item_id"),
    "dnd/locations": ("dnd/location-occurrences", "location_id"),
}
# What takes the names of the NPC registry: turns, casts and events are written with them.
NAMED_LANES = ("dnd/combat-turns", "dnd/spells", "dnd/enemy-events")


@dataclass(frozen=True, slots=True)
class Affected:
    """Records of another artifact's head that would be named or led otherwise: their positions in that version."""

    lane: str
    version: int
    positions: tuple[int, ...]

    @property
    def count(self) -> int:
        return len(self.positions)


@dataclass(frozen=True, slots=True)
class Impact:
    """`ids` pairs each API id that would change with the one that takes its place, None where nothing does.

    `names` are the records' by all these ids. `against` are the standing decisions that the act would contradict.
    `said` is what the act does to the records themselves, where that is more than their ids tell.
    """

    ids: tuple[tuple[str, str | None], ...]
    occurrences: Affected | None
    combat_turns: Affected | None
    spells: Affected | None
    enemy_events: Affected | None
    names: Mapping[str, str]
    against: tuple[Decision, ...]
    said: str = ""


def impact_of_merge(*, artifact_id: int, expected_version: int, records: Sequence[int], canonical: int) -> Impact:
    """Return what `reviews.merge` with these arguments would change. Raises what it would raise."""
    return _preview(
        artifact_id,
        expected_version,
        lambda draft: reviews.merged(draft, records, canonical, reviews.Kind.MERGE),
    )


def impact_of_rename(*, artifact_id: int, expected_version: int, record: int, name: str) -> Impact:
    """Return what `reviews.rename` would change."""
    return _preview(artifact_id, expected_version, lambda draft: reviews.renamed(draft, record, name))


def impact_of_canonical(*, artifact_id: int, expected_version: int, record: int, member: int) -> Impact:
    """Return what `reviews.choose_canonical` would change."""
    return _preview(artifact_id, expected_version, lambda draft: reviews.called_after(draft, record, member))


def impact_of_undo(*, artifact_id: int, expected_version: int, record: int) -> Impact:
    """Return what `reviews.undo_consolidation` would change."""
    return _preview(artifact_id, expected_version, lambda draft: reviews.exploded(draft, record))


def impact_of_parting(*, artifact_id: int, expected_version: int, record: int, members: Sequence[int]) -> Impact:
    """Return what `reviews.mark_not_same` of some members of a consolidation would change."""
    return _preview(artifact_id, expected_version, lambda draft: reviews.parted(draft, record, members))


def impact_of_apart(*, artifact_id: int, expected_version: int, one: int, other: int) -> Impact:
    """Return what `reviews.mark_not_same` of two separate records would change: what it contradicts at most."""
    return _preview(artifact_id, expected_version, lambda draft: reviews.kept_apart(draft, one, other))


def impact_of_remove(*, artifact_id: int, expected_version: int, record: int) -> Impact:
    """Return what `reviews.remove` would change."""
    return _preview(artifact_id, expected_version, lambda draft: reviews.removed(draft, record))


def _preview(artifact_id: int, expected_version: int, change: Callable[[Draft], Change]) -> Impact:
    artifact = Artifact.objects.filter(pk=artifact_id).first()
    head = None if artifact is None else head_of(artifact)
    if head is None:
        raise NotFound("There is no such artifact.", code=Code.ARTIFACT_NONE)
    check_expected(head, expected_version)
    draft = open_draft(head)
    reviews.registry_only(draft)
    before = {node.record["id"]: node for node in draft.nodes}
    made = change(draft)
    settle(draft)
    after = {node.record["id"]: node for node in draft.nodes}
    heir = {atom["id"]: node.record["id"] for node in draft.nodes for atom in node.atoms}
    ids = tuple((old, heir.get(node.atoms[0]["id"])) for old, node in before.items() if old not in after)
    # What led to a record that is parted may belong to either part.
    parted = {old for old, node in before.items() if len({heir.get(atom["id"]) for atom in node.atoms}) > 1}
    divided = {comparison_key(before[old].record["name"]) for old in parted}
    gone = parted | {old for old, _ in ids}
    renamed = {
        comparison_key(name): node.record["name"]
        for node in draft.nodes
        if node.touched
        for name in (node.record["name"], *(atom["name"] for atom in node.atoms))
    }
    npcs = draft.lane == "dnd/npcs"
    turns, spells, events = (_named(head, lane, renamed, divided) if npcs else None for lane in NAMED_LANES)
    names = {at: node.record["name"] for at, node in after.items()}
    return Impact(
        ids=ids,
        occurrences=_led(head, gone, names),
        combat_turns=turns,
        spells=spells,
        enemy_events=events,
        names={**{at: node.record["name"] for at, node in before.items()}, **names},
        against=decisions.opposing(head.artifact.session, draft.lane, made.kind, made.about, made.data),
    )


def _led(head: ArtifactVersion, gone: set[str], names: Mapping[str, str]) -> Affected | None:
    """Return the occurrences that lead to an id that changes, or by another spelling to one that stays."""
    lane, field = OCCURRENCES[head.artifact.lane]
    return _affected(
        head, lane, lambda one: one[field] in gone or (one[field] in names and names[one[field]] != one["name"])
    )


def _named(head: ArtifactVersion, lane: str, renamed: Mapping[str, str], divided: Collection[str]) -> Affected | None:
    """Return the records with a name that would be written otherwise, or may be: that of a record that is divided."""

    def otherwise(name: str) -> bool:
        key = comparison_key(name)
        return key in divided or renamed.get(key, name) != name

    return _affected(head, lane, lambda one: any(map(otherwise, names_in(one))))


def names_in(record: Mapping[str, Any]) -> list[str]:
    """Return the names of people in a turn, a cast or an event."""
    own = [record.get(field) for field in ("actor", "caster", "enemy")]
    targets = [
        *record.get("targets", ()),
        *(name for action in record.get("actions", ()) for name in action["targets"]),
    ]
    return [name for name in (*own, *targets) if name]


def _affected(head: ArtifactVersion, lane: str, touches: Callable[[Record], bool]) -> Affected | None:
    artifact = Artifact.objects.filter(session=head.artifact.session_id, lane=lane).first()
    version = None if artifact is None else head_of(artifact)
    if version is None:
        return None
    records: list[Record] = orjson.loads(version.payload)[LANES[lane].records_key]
    return Affected(lane, version.number, tuple(at for at, record in enumerate(records) if touches(record)))
