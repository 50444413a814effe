"""Records as a review takes them apart and puts them together: pure functions, nothing is stored here.

A node is one record of the artifact. A registry's node may stand for several members, each a record with its own id
and evidence: what an extraction found, whatever was made of it since.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from campaigns.errors import Invalid, Problem
from extraction.codes import Code
from extraction.identity import comparison_key
from extraction.lanes.lane import Scope
from extraction.registry import entity_of
from extraction.source.references import SourceRef

Record: TypeAlias = "dict[str, Any]"  # Any: JSON of a stored record, whose shape is its lane's
HEADINGS = ("name", "actor", "spell", "enemy", "title")
REVIEW = "review"


@dataclass(frozen=True, slots=True)
class Node:
    """`origin` is the position in the version that the reviewer saw, None for a new record; `parts` are the positions
    of all that it was made of, where records were parted or joined. `members` are empty where the record stands for
    itself alone. `touched` says whether anything changed, `decided` whether a person vouches for the members."""

    record: Record
    members: tuple[Record, ...] = ()
    decided: bool = False
    origin: int | None = None
    touched: bool = False
    parts: tuple[int, ...] = ()

    @property
    def made_of(self) -> tuple[int, ...]:
        """Return the positions of all that it was made of."""
        return self.parts or (() if self.origin is None else (self.origin,))

    @property
    def atoms(self) -> tuple[Record, ...]:
        """Return what the node consists of: its members, else its record."""
        return self.members or (self.record,)

    @property
    def naming(self) -> Record:
        """Return the atom that the name is from: the first one where it is from none."""
        key = comparison_key(heading(self.record))
        return next((atom for atom in self.atoms if comparison_key(heading(atom)) == key), self.atoms[0])

    def as_json(self) -> Record:
        """Return the node as a decision keeps it, to be compared with another version's."""
        return {"record": self.record, "members": list(self.members)} if self.members else {"record": self.record}


def made_of(new: Sequence[Node], old: Sequence[Node]) -> list[Node]:
    """Return the new records that take the place of the old ones: of all of them, where there are more or fewer."""
    if len(new) == len(old):
        return list(new)
    parts = tuple(node.origin for node in old if node.origin is not None)
    return [replace(node, parts=parts) for node in new]


def read_nodes(records: Sequence[Record], consolidations: Mapping[str, Any]) -> list[Node]:
    """Return one node a record, with the members of its consolidation."""
    applied = {group["id"]: group for group in consolidations.get("applied", ())}
    nodes = []
    for position, record in enumerate(records):
        group = applied.get(record.get("id"), {})
        decided = group.get("by") == REVIEW
        nodes.append(Node(record, tuple(group.get("members", ())), decided, position))
    return nodes


def heading(record: Mapping[str, Any]) -> str:
    """Return the name under which a record is known."""
    return next((str(record[field]) for field in HEADINGS if field in record), "")


def key_of(record: Mapping[str, Any], *, anchored: bool) -> Record:
    """Return what names the record in a decision: its comparison key, and where its evidence starts if that counts."""
    refs = record.get("source_refs")
    start = refs[0]["start_unit_id"] if refs else record.get("start_unit_id")
    return {"key": comparison_key(heading(record)), "anchor": start if anchored else None}


def unite(nodes: Sequence[Node], name: str, lane: str, scope: Scope, *, decided: bool = True) -> Node:
    """Return one node of all atoms of the nodes, under this name, in the place of the first."""
    return node_of([atom for node in nodes for atom in node.atoms], name, lane, scope, nodes[0].origin, decided=decided)


def node_of(
    atoms: Sequence[Record], name: str, lane: str, scope: Scope, origin: int | None, *, decided: bool = True
) -> Node:
    """Return the node of these atoms under this name. A single one of its own name has no members."""
    refs = [source_ref(ref) for atom in atoms for ref in atom["source_refs"]]
    record = entity_of(lane, name, refs, scope)
    alone = len(atoms) == 1 and atoms[0]["name"] == name
    return Node(record, () if alone else tuple(atoms), decided and not alone, origin, touched=True)


def recited(node: Node, refs: Sequence[Record], lane: str, scope: Scope) -> Node:
    """Return the registry's node with this evidence; Invalid where a member would be left with none.

    What is gone goes from every member that has it. What is new and shares units with it comes to them in its place;
    what is new otherwise comes to the one that the name is from.
    """
    if not node.members:
        name = node.record["name"]
        record = entity_of(lane, name, [source_ref(ref) for ref in refs], scope)
        return replace(node, record=record, touched=True)
    before, after = node.record["source_refs"], list(refs)
    # What comes to one member may be equal to what another has: count them.
    new = list(after)
    for ref in before:
        if ref in new:
            new.remove(ref)
    gone = [ref for ref in before if ref not in after]
    fresh = [ref for ref in new if not any(_meets(ref, one, scope) for one in gone)]
    atoms = []
    for atom in node.members:
        lost = [ref for ref in atom["source_refs"] if ref not in after]
        instead = [ref for ref in new if any(_meets(ref, one, scope) for one in lost)]
        kept = [ref for ref in atom["source_refs"] if ref in after] + instead + (fresh if atom is node.naming else [])
        if not kept:
            raise _unproven(node, atom)
        changed = kept != atom["source_refs"]
        atoms.append(entity_of(lane, atom["name"], [source_ref(r) for r in kept], scope) if changed else atom)
    return node_of(atoms, node.record["name"], lane, scope, node.origin, decided=node.decided)


def _unproven(node: Node, member: Record) -> Invalid:
    sentence = (
        f"Of the merged names, {member['name']} would be left without evidence: "
        f"keep a line of {member['name']}, or undo the merge first."
    )
    return Invalid([Problem(node.origin, "source_refs", Code.REVIEW_MEMBER_UNPROVEN.value, sentence)])


def _meets(one: Record, other: Record, scope: Scope) -> bool:
    """Say whether the ranges have a unit in common."""
    ends = [scope.index.find(ref[name]) for ref in (one, other) for name in ("start_unit_id", "end_unit_id")]
    start, end, first, last = (-1 if at is None else at for at in ends)
    return min(start, first) > -1 and start <= last and first <= end


def source_ref(ref: Mapping[str, Any]) -> SourceRef:
    return SourceRef(ref["source_id"], ref["start_unit_id"], ref["end_unit_id"])


def without_source(value: Any) -> Any:  # Any: JSON
    """Return the value as it is in any revision of the transcript: without source ids, and ids that hang on nothing."""
    if isinstance(value, Mapping):
        return {key: without_source(item) for key, item in value.items() if key != "source_id"}
    return [without_source(item) for item in value] if isinstance(value, list) else value


def same_nodes(one: Iterable[Record], other: Iterable[Record]) -> bool:
    return bool(without_source(list(one)) == without_source(list(other)))
