"""What an extraction made of a reviewed session: edits that it lost, each offered to be done again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from campaigns.actions import decisions
from campaigns.actions.drafts import Change, Draft, Reviewed, open_draft, revise, unknown
from campaigns.actions.history import lineage
from campaigns.actions.nodes import Node, Record, made_of, source_ref, without_source
from campaigns.actions.reviews import edited
from campaigns.errors import Conflict
from campaigns.models import ArtifactVersion, Decision
from extraction.codes import Code
from extraction.registry import entity_of, ordered_refs

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@dataclass(frozen=True, slots=True)
class LostEdit:
    """An edit that a later extraction does not have. `now` are this version's records that cite any of its lines.

    `applicable` says whether the records that it changed are here as they were then, so that it can be done again.
    """

    decision: Decision
    before: tuple[Record, ...]
    after: tuple[Record, ...]
    now: tuple[Record, ...]
    applicable: bool


def lost_edits(version: ArtifactVersion) -> list[LostEdit]:
    """Return the standing edits from before the version's extraction that it does not have, oldest first.

    An edit is not lost where the version has its outcome, by whatever way, or where a later edit that is not lost
    began from its outcome.
    """
    edits = _earlier_edits(version)
    return _lost(edits, open_draft(version).nodes) if edits else []


def reapply_edit(*, artifact_id: int, expected_version: int, decision_id: int, reason: str = "", by: User) -> Reviewed:
    """Do a lost edit again on the head; NotFound for one that is not lost, Conflict where its records changed."""

    def change(draft: Draft) -> Change:
        edits = _lost(_earlier_edits(draft.base), draft.nodes)
        lost = next((edit for edit in edits if edit.decision.pk == decision_id), None)
        if lost is None:
            raise unknown("There is no such edit to do again.")
        if not lost.applicable:
            raise Conflict(
                "The records that this edit changed are others now: make the edit by hand.",
                code=Code.REVIEW_NOT_APPLICABLE,
            )
        old = [_matching(draft.nodes, before) for before in lost.before]
        kept = [node for node in old if node is not None]
        new = [
            _renewed(draft, after, kept[at].origin if at < len(kept) else None) for at, after in enumerate(lost.after)
        ]
        if kept:
            new = made_of(new, kept)
            draft.spread(new, *kept)
        else:
            draft.nodes.extend(new)
        change = edited(draft, lost.decision.kind, kept, new)
        return replace(change, data={**change.data, "again": decision_id})

    return revise(artifact_id=artifact_id, expected_version=expected_version, reason=reason, by=by, change=change)


def _earlier_edits(version: ArtifactVersion) -> list[Decision]:
    """Return the edits that stand from before the extraction that the version goes back to, without those redone."""
    line = lineage(version)
    base = ArtifactVersion.objects.get(pk=line[-1]).parent if line else version
    if base is None:
        return []
    artifact = version.artifact
    edits = [row for row in decisions.live(artifact.session, artifact.lane) if row.kind in Decision.EDITS]
    again = {row.data.get("again") for row in edits}
    before = set(artifact.versions.filter(number__lt=base.number).values_list("pk", flat=True))
    return [row for row in edits if row.made_id in before and row.pk not in again]


def _lost(edits: Sequence[Decision], nodes: Sequence[Node]) -> list[LostEdit]:
    there = [without_source(node.as_json()) for node in nodes]
    # What the version has, and what later edits began from that have not been lost.
    accounted = list(there)
    lost = []
    for edit in reversed(edits):
        before, after = edit.data["before"], edit.data["after"]
        bare = [without_source(node) for node in before]
        kept = all(without_source(node) in accounted for node in after)
        if kept and (after or all(node not in there for node in bare)):
            accounted += bare
        else:
            lost.append(_told(edit, before, after, nodes))
    return lost[::-1]


def _told(edit: Decision, before: Sequence[Record], after: Sequence[Record], nodes: Sequence[Node]) -> LostEdit:
    lines = {_range(ref) for one in (*before, *after) for ref in one["record"].get("source_refs", ())}
    now = [node.record for node in nodes if any(_range(ref) in lines for ref in node.record.get("source_refs", ()))]
    applicable = all(_matching(nodes, one) is not None for one in before)
    return LostEdit(edit, tuple(before), tuple(after), tuple(now), applicable)


def _matching(nodes: Sequence[Node], wanted: Record) -> Node | None:
    """Return the node that equals the one of another version, whatever transcript revision it cites."""
    bare = without_source(wanted)
    return next((node for node in nodes if without_source(node.as_json()) == bare), None)


def _renewed(draft: Draft, node: Record, origin: int | None) -> Node:
    """Return an edit's node with its evidence in the draft's transcript."""

    def here(record: Record) -> Record:
        if "source_refs" not in record:
            return record
        ranges = [_range(ref) for ref in record["source_refs"]]
        refs: list[Any] = ordered_refs(ranges, draft.scope)
        if draft.is_registry:
            return entity_of(draft.lane, record["name"], [source_ref(ref) for ref in refs], draft.scope)
        return {**record, "source_refs": refs}

    members = tuple(here(member) for member in node.get("members", ()))
    return Node(here(node["record"]), members, bool(members), origin, touched=True)


def _range(ref: Record) -> tuple[int, int]:
    return ref["start_unit_id"], ref["end_unit_id"]
