"""What a reviewer does with a registry: accept, take apart, merge, rename, remove, judge pairs.

Common to every act, here and in `editing`: `artifact_id` names the artifact, `expected_version` is the number of the
version that the reviewer sees, `record` is a record's position in that version's payload, `by` the person. Each act is
atomic, makes version n+1 (origin review) and one decision, and raises

- Conflict, code `version.stale`: another version was made meanwhile; nothing was written,
- Invalid with a problem a field (422): the result would break the lane's rules; nothing was written,
- NotFound: there is no such artifact, record, member or reference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from campaigns.actions import decisions
from campaigns.actions.drafts import Change, Draft, Reviewed, fault, revise, unknown
from campaigns.actions.nodes import Node, Record, node_of, recited, source_ref, unite
from campaigns.actions.parting import Parts, part_evidence
from campaigns.errors import ActionError
from campaigns.models import Decision
from extraction.codes import Code
from extraction.identity import comparison_key
from extraction.registry import entity_of

if TYPE_CHECKING:
    from django.contrib.auth.models import User

Kind = Decision.Kind


def accept(*, artifact_id: int, expected_version: int, record: int, reason: str = "", by: User) -> Reviewed:
    """Confirm a consolidation: its members bind as *same* under this name. The payload stays as it is."""

    def change(draft: Draft) -> Change:
        return accepted(draft, record)

    return revise(artifact_id=artifact_id, expected_version=expected_version, reason=reason, by=by, change=change)


def accepted(draft: Draft, record: int) -> Change:
    """Vouch for a consolidation in the draft."""
    node = _consolidation(draft, record)
    draft.put(_vouched(node), node)
    return Change(Kind.ACCEPT, draft.keys(node), {"canonical": draft.key(node.naming)})


def undo_consolidation(*, artifact_id: int, expected_version: int, record: int, reason: str = "", by: User) -> Reviewed:
    """Take a consolidation apart: members return with exactly their own evidence and ids.

    Later runs leave out what would make all of them one again. A record that was only renamed gets its name back.
    """

    def change(draft: Draft) -> Change:
        return exploded(draft, record)

    return revise(artifact_id=artifact_id, expected_version=expected_version, reason=reason, by=by, change=change)


def exploded(draft: Draft, record: int) -> Change:
    """Take a consolidation apart in the draft."""
    node = _consolidation(draft, record)
    draft.spread([Node(member, touched=True) for member in node.members], node)
    keys = draft.keys(node)
    _overrule(draft, [{key["key"] for key in keys}])
    return Change(Kind.EXPLODE, keys, {"names_over": _names_over(draft, keys)})


def choose_canonical(
    *, artifact_id: int, expected_version: int, record: int, member: int, reason: str = "", by: User
) -> Reviewed:
    """Name a consolidation after the member at this place of its list; the id follows, the old one keeps resolving."""

    def change(draft: Draft) -> Change:
        return called_after(draft, record, member)

    return revise(artifact_id=artifact_id, expected_version=expected_version, reason=reason, by=by, change=change)


def called_after(draft: Draft, record: int, member: int) -> Change:
    """Name a consolidation in the draft after one of its members."""
    node = _consolidation(draft, record)
    chosen = _member(node, member)
    keys = draft.keys(node)
    data = {"canonical": draft.key(chosen), "names_over": _names_over(draft, keys)}
    draft.put(node_of(node.atoms, chosen["name"], draft.lane, draft.scope, node.origin), node)
    return Change(Kind.CANONICAL, keys, data)


def merge(
    *, artifact_id: int, expected_version: int, records: Sequence[int], canonical: int, reason: str = "", by: User
) -> Reviewed:
    """Unite two or more records under the name of `canonical`, which is one of them. Binds later runs as *same*."""

    def change(draft: Draft) -> Change:
        return merged(draft, records, canonical, Kind.MERGE)

    return revise(artifact_id=artifact_id, expected_version=expected_version, reason=reason, by=by, change=change)


def mark_same(*, artifact_id: int, expected_version: int, one: int, other: int, reason: str = "", by: User) -> Reviewed:
    """Judge two records the same: unites them under the first one's name. Binds later runs."""

    def change(draft: Draft) -> Change:
        return merged(draft, (one, other), one, Kind.SAME)

    return revise(artifact_id=artifact_id, expected_version=expected_version, reason=reason, by=by, change=change)


def merged(draft: Draft, records: Sequence[int], canonical: int, kind: Kind) -> Change:
    """Unite the records in the draft; ActionError for fewer than two, or a canonical that is none of them."""
    registry_only(draft)
    if len(set(records)) < 2 or len(set(records)) < len(records) or canonical not in records:
        raise ActionError("Name at least two different records, and one of them to give the name.")
    nodes = [draft.node(number) for number in records]
    named = draft.node(canonical)
    others = draft.keys(*(node for node in nodes if node is not named))
    data = {"canonical": draft.key(named.naming), "names_over": _names_over(draft, others)}
    keys = draft.keys(*nodes)
    ordered = sorted(nodes, key=lambda node: draft.nodes.index(node))
    draft.put(unite(ordered, named.record["name"], draft.lane, draft.scope), *ordered)
    return Change(kind, keys, data)


def split_evidence(
    *,
    artifact_id: int,
    expected_version: int,
    record: int,
    refs: Sequence[int],
    ranges: Sequence[tuple[int, int]] = (),
    to: int | None = None,
    name: str = "",
    reason: str = "",
    by: User,
) -> Reviewed:
    """Move the references at these places, and the units of `ranges`, to the record `to` or to a new one called `name`.

    Every member of a consolidation must keep evidence of its own: else undo the consolidation first.
    """

    def change(draft: Draft) -> Change:
        registry_only(draft)
        return moved(draft, record, part_evidence(draft, record, refs, ranges), to, name, Kind.SPLIT_EVIDENCE)

    return revise(artifact_id=artifact_id, expected_version=expected_version, reason=reason, by=by, change=change)


def moved(draft: Draft, record: int, parts: Parts, to: int | None, name: str, kind: Kind) -> Change:
    """Move the second of the parts of a registry's record in the draft; it keeps the first."""
    node = draft.node(record)
    kept, going = parts
    source = _recited(draft, node, kept)
    old: list[Node] = [node]
    if to is None:
        if not comparison_key(name) or not " ".join(name.split()).isprintable():
            raise fault(record, "name", Code.RECORD_NAME_EMPTY)
        new = [source, entity_node(draft, name, going)]
    else:
        target = draft.node(to)
        if target is node:
            raise ActionError("Evidence moves to another record.")
        old.append(target)
        new = [source, _recited(draft, target, [*target.record["source_refs"], *going])]
    draft.spread(new, *old)
    return edited(draft, kind, old, new)


def rename(*, artifact_id: int, expected_version: int, record: int, name: str, reason: str = "", by: User) -> Reviewed:
    """Give the record another display name. Its id follows the identity policy, the old one keeps resolving."""

    def change(draft: Draft) -> Change:
        registry_only(draft)
        return renamed(draft, record, name)

    return revise(artifact_id=artifact_id, expected_version=expected_version, reason=reason, by=by, change=change)


def renamed(draft: Draft, record: int, name: str) -> Change:
    """Rename a registry's record in the draft."""
    node = draft.node(record)
    tidy = " ".join(name.split())
    if not comparison_key(tidy) or not tidy.isprintable():
        raise fault(record, "name", Code.RECORD_NAME_EMPTY)
    keys = draft.keys(node)
    data = {"name": tidy, "target": draft.key(node.naming), "names_over": _names_over(draft, keys)}
    draft.put(node_of(node.atoms, tidy, draft.lane, draft.scope, node.origin), node)
    return Change(Kind.RENAME, keys, data)


def remove(*, artifact_id: int, expected_version: int, record: int, reason: str = "", by: User) -> Reviewed:
    """Say that the record is nothing of this registry's kind. Later runs leave it out."""

    def change(draft: Draft) -> Change:
        registry_only(draft)
        return removed(draft, record)

    return revise(artifact_id=artifact_id, expected_version=expected_version, reason=reason, by=by, change=change)


def removed(draft: Draft, record: int) -> Change:
    """Remove a registry's record from the draft; its members stand in the review data."""
    node = draft.node(record)
    draft.spread([], node)
    draft.removed = [*draft.removed, *node.atoms]
    return Change(Kind.REMOVE, draft.keys(node))


def mark_not_same(
    *,
    artifact_id: int,
    expected_version: int,
    one: int,
    other: int | None = None,
    members: Sequence[int] = (),
    reason: str = "",
    by: User,
) -> Reviewed:
    """Judge two records, or some members of the consolidation `one` and its others, not the same. Binds later runs.

    A consolidation judged so is parted: the side that the name is from keeps it. Give either `other` or `members`.
    """

    def change(draft: Draft) -> Change:
        registry_only(draft)
        if other is not None and not members:
            return kept_apart(draft, one, other)
        return parted(draft, one, members)

    return revise(artifact_id=artifact_id, expected_version=expected_version, reason=reason, by=by, change=change)


def kept_apart(draft: Draft, one: int, other: int, **more: int) -> Change:
    """Judge two separate records not the same; the draft stays as it is."""
    first, second = draft.node(one), draft.node(other)
    if first is second:
        raise ActionError("Name two different records.")
    sides = [draft.keys(first), draft.keys(second)]
    return Change(Kind.NOT_SAME, [*sides[0], *sides[1]], {"sides": sides, **more})


def mark_unsure(
    *, artifact_id: int, expected_version: int, one: int, other: int, reason: str = "", by: User
) -> Reviewed:
    """Note that nobody can tell yet whether two records are one. Binds nothing; the payload stays as it is."""

    def change(draft: Draft) -> Change:
        registry_only(draft)
        apart = kept_apart(draft, one, other)
        return Change(Kind.UNSURE, apart.about, apart.data)

    return revise(artifact_id=artifact_id, expected_version=expected_version, reason=reason, by=by, change=change)


def adopt(*, artifact_id: int, expected_version: int, decision_id: int, reason: str = "", by: User) -> Reviewed:
    """Take over a *not the same* that another session of the campaign offers; NotFound where it is not offered."""

    def change(draft: Draft) -> Change:
        registry_only(draft)
        session = draft.base.artifact.session
        offers = decisions.offered_decisions(session, draft.lane, draft.keys(*draft.nodes))
        offer = next((offer for offer in offers if offer.decision.pk == decision_id), None)
        if offer is None:
            raise unknown("No other session offers this decision.")
        sides = [_here(draft, side) for side in offer.sides]
        return Change(Kind.NOT_SAME, [*sides[0], *sides[1]], {"sides": sides, "adopted": decision_id})

    return revise(artifact_id=artifact_id, expected_version=expected_version, reason=reason, by=by, change=change)


def edited(draft: Draft, kind: str, old: Sequence[Node], new: Sequence[Node]) -> Change:
    """Return the change that an edit is, with what it began from: a later run may have undone it."""
    return Change(kind, draft.keys(*old), {"before": [node.as_json() for node in old]}, tuple(new))


def entity_node(draft: Draft, name: str, refs: Sequence[Record]) -> Node:
    """Return a new record of a registry."""
    tidy = " ".join(name.split())
    return node_of([_entity(draft, tidy, refs)], tidy, draft.lane, draft.scope, None)


def _entity(draft: Draft, name: str, refs: Sequence[Record]) -> Record:
    return entity_of(draft.lane, name, [source_ref(ref) for ref in refs], draft.scope)


def recite(draft: Draft, record: int, refs: Sequence[Record]) -> tuple[Node, Node]:
    """Give a registry's record this evidence in the draft; return it as it was and as it is."""
    node = draft.node(record)
    new = _recited(draft, node, refs)
    draft.put(new, node)
    return node, new


def _recited(draft: Draft, node: Node, refs: Sequence[Record]) -> Node:
    if not refs:
        raise fault(node.origin, "source_refs", Code.EVIDENCE_MISSING)
    if any(draft.scope.index.find(ref[end]) is None for ref in refs for end in ("start_unit_id", "end_unit_id")):
        raise fault(node.origin, "source_refs", Code.EVIDENCE_UNKNOWN_UNIT)
    return recited(node, refs, draft.lane, draft.scope)


def parted(draft: Draft, record: int, members: Sequence[int]) -> Change:
    """Part a consolidation in the draft: these members, and the others."""
    node = _consolidation(draft, record)
    there = [_member(node, member) for member in sorted(set(members))]
    here = [atom for atom in node.members if all(atom is not one for one in there)]
    if not here or not there:
        raise ActionError("Name some of the members, and not all of them.")
    sides: list[Node] = []
    for atoms in (here, there):
        keeps_name = any(atom is node.naming for atom in atoms)
        name = node.record["name"] if keeps_name else atoms[0]["name"]
        part = node_of(atoms, name, draft.lane, draft.scope, None, decided=node.decided)
        sides.append(part)
    draft.spread(sides, node)
    keys = [draft.keys(side) for side in sides]
    _overrule(draft, [{key["key"] for key in draft.keys(node)}])
    return Change(Kind.NOT_SAME, [*keys[0], *keys[1]], {"sides": keys, "parted": [draft.key(s.naming) for s in sides]})


def _consolidation(draft: Draft, record: int) -> Node:
    registry_only(draft)
    node = draft.node(record)
    if not node.members:
        raise ActionError("This record stands for itself alone: there is no consolidation to judge.")
    return node


def _member(node: Node, member: int) -> Record:
    if not 0 <= member < len(node.members):
        raise unknown("The record has no such member.")
    return node.members[member]


def registry_only(draft: Draft) -> None:
    """Raise ActionError for an artifact that is no registry."""
    if not draft.is_registry:
        raise ActionError("Only the records of a registry are judged so.")


def _vouched(node: Node) -> Node:
    return Node(node.record, node.members, True, node.origin, node.touched)


def _names_over(draft: Draft, keys: Sequence[Record]) -> list[list[Any]]:
    return decisions.naming_over(draft.base.artifact.session, draft.lane, keys)


def _overrule(draft: Draft, parted: Sequence[set[str]]) -> None:
    """Have the verdict panel say of the proposals that made these unions that a person thinks otherwise."""
    for proposal in draft.proposals:
        names = {comparison_key(name) for name in proposal["members"]}
        if proposal["verdict"] == "applied" and any(names <= keys for keys in parted):
            proposal["verdict"] = Code.DECISION_OVERRULED.value


def _here(draft: Draft, side: Sequence[Mapping[str, Any]]) -> list[Record]:
    """Return the records of this session that have the keys of another session's."""
    wanted = {key["key"] for key in side}
    return [key for key in draft.keys(*draft.nodes) if key["key"] in wanted]
