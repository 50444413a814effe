"""What became of the records of one extraction in its review, told from the acts on it that stand."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from campaigns.actions.decisions import judgements_of
from campaigns.actions.nodes import key_of, without_source
from campaigns.models import Decision
from extraction.canonical import digest
from extraction.lanes.job import Judged, NamedRecord
from extraction.registry import is_registry

Kind = Decision.Kind
# These give names and unite: what they did is gone where the record is taken apart again.
NAMING = frozenset({Kind.MERGE, Kind.SAME, Kind.RENAME, Kind.CANONICAL})
PLACES, SCENES = "dnd/locations", "dnd/scenes"
Group: TypeAlias = "frozenset[NamedRecord]"
# A record as it was proposed: the names of its members, or what it said.
Origin: TypeAlias = "frozenset[Hashable]"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How many proposed records are edited, how many taken out, how many merges undone.

    Each record counts once, however often it was changed: as taken out where it was that. `changed` are all of these.
    """

    edited: int
    removed: int
    undone: int
    changed: int


def outcome_of(lane: str, groups: Iterable[Group], merges: Iterable[Group], acts: Sequence[Decision]) -> Outcome:
    """Return what became of the records. `groups` are the members of each that was united when it was proposed.

    `merges` are those of the groups that are judged here. `acts` stand, and are in order.
    """
    trail = _Trail(lane, groups)
    for act in acts:
        trail.follow(act)
    edited = (trail.edited | trail.named) - trail.removed
    undone = {merge for merge in merges if _is_undone(merge, acts)}
    return Outcome(len(edited), len(trail.removed), len(undone), len(edited | trail.removed | undone))


class _Trail:
    """Leads from what an act names, which is a record as it was at that moment, to what was proposed.

    What a reviewer added leads to nothing: nobody proposed it.
    """

    def __init__(self, lane: str, groups: Iterable[Group]) -> None:
        self._lane = lane
        self._came_from: dict[Hashable, frozenset[Origin]] = {
            name: frozenset({group}) for group in groups for name in group
        }
        self.edited: set[Origin] = set()
        self.named: set[Origin] = set()
        self.removed: set[Origin] = set()

    def follow(self, act: Decision) -> None:
        if act.kind in NAMING:
            self.named |= self._origins(_named(act.keys))
        elif act.kind == Kind.EXPLODE:
            self.named -= self._origins(_named(act.keys))
        elif act.kind == Kind.NOT_SAME and "parted" in act.data:
            alone = [side for side in act.data["sides"] if len(side) == 1]
            self.named -= self._origins(name for side in alone for name in _named(side))
        elif act.kind == Kind.REMOVE:
            self.removed |= self._origins(_named(act.keys))
        elif act.kind in Decision.EDITS:
            self._edit(act)

    def _edit(self, act: Decision) -> None:
        before = [self._origins(self._names(node)) for node in act.data["before"]]
        if act.kind == Kind.DELETE:
            # The scene behind it only takes over its stretch.
            self.removed |= before.pop(0)
        else:
            self.edited.update(*before)
        after = act.data["after"]
        for at, node in enumerate(after):
            # What was joined comes from all of its parts; what was split off is told of with the rest.
            origins = frozenset().union(*before[at : None if at + 1 == len(after) else at + 1])
            self._came_from.update(dict.fromkeys(self._names(node), origins))

    def _origins(self, names: Iterable[Hashable]) -> frozenset[Origin]:
        return frozenset().union(*(self._came_from.get(name, frozenset({frozenset({name})})) for name in names))

    def _names(self, node: Mapping[str, Any]) -> list[Hashable]:
        """Return what tells the record, or each of its members, from others of the lane."""
        if is_registry(self._lane):
            atoms = node.get("members") or [node["record"]]
            return list(_named(key_of(atom, anchored=self._lane == PLACES) for atom in atoms))
        if self._lane == SCENES:
            # Where a scene ends follows from the next one.
            return [int(node["record"]["start_unit_id"])]
        return [digest(without_source(node["record"]))]


def _named(keys: Iterable[Mapping[str, Any]]) -> Iterable[NamedRecord]:
    return (NamedRecord(key["key"], key["anchor"]) for key in keys)


def _is_undone(merge: Group, acts: Sequence[Decision]) -> bool:
    """Return whether the last word on the merge is that some of its members are not the same."""
    undone = False
    for said in (judgement for act in acts for judgement in judgements_of([act])):
        if said.kind is Judged.APART and len(merge.intersection(said.members)) > 1:
            undone = True
        elif said.kind is Judged.SAME and merge.issubset(said.members):
            undone = False
    return undone
