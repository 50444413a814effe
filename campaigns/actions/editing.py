"""What a reviewer changes in the records of any lane: fields, evidence, records themselves, and turns of a fight.

Arguments and errors are those of `reviews`. Evidence is given as ranges of unit ids; endpoints are put in document
order, ids are derived, names take the registry's spelling. Edits bind no later run: `reruns` offers them again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from campaigns.actions import reviews
from campaigns.actions.drafts import Change, Draft, Reviewed, fault, revise, unknown
from campaigns.actions.nodes import Node, Record, made_of
from campaigns.actions.parting import part_evidence
from campaigns.actions.reviews import edited
from campaigns.errors import ActionError, Invalid, Problem
from campaigns.models import Decision
from extraction.canonical import JsonValue
from extraction.codes import Code
from extraction.registry import LANES, ordered_refs

if TYPE_CHECKING:
    from django.contrib.auth.models import User

Kind = Decision.Kind
Range = tuple[int, int]
Fields = Mapping[str, JsonValue]
TURNS, SCENES = "dnd/combat-turns", "dnd/scenes"
LONGEST_TEXT = 20_000
LARGEST = 2**53
SOME_ACTIONS = "Name some of the turn's actions, and not all of them."
ONLY_SCENE = "A transcript has at least one scene: give this one another title or mode instead."
SUMMARY_EACH = "Say in a summary of its own what happens in this turn."
DERIVED = frozenset({"source_refs", "end_unit_id", "id"})
BLANK: Mapping[str, Record] = {
    "item-occurrences": {"item_id": "", "actor": None, "recipient": None, "detail": None},
    "npc-occurrences": {"npc_id": ""},
    "location-occurrences": {"location_id": ""},
    "spells": {"level": None, "targets": [], "outcome": None},
    "combat-turns": {"round": None},
    "enemy-events": {"actor": None},
}
ENTRY_IDS = frozenset({"npc_id", "item_id", "location_id"})


def edit_record(
    *, artifact_id: int, expected_version: int, record: int, fields: Fields, reason: str = "", by: User
) -> Reviewed:
    """Give the record these values in place of its own; fields that are not named stay.

    A registry's record has a `name` alone, and this renames it. An occurrence is led to another entry of its registry
    by `name`, or, where that is not one entry's, by the entry's id. A scene's end follows from the next one's start.
    """

    def change(draft: Draft) -> Change:
        _writable(draft, fields, record)
        if draft.is_registry:
            if set(fields) != {"name"}:
                raise ActionError("A record of a registry has a name to edit, and evidence.")
            return reviews.renamed(draft, record, str(fields["name"]))
        node = draft.node(record)
        return _exchange(draft, Kind.EDIT, [node], [_written(node, fields)])

    return revise(artifact_id=artifact_id, expected_version=expected_version, reason=reason, by=by, change=change)


def set_evidence(
    *, artifact_id: int, expected_version: int, record: int, ranges: Sequence[Range], reason: str = "", by: User
) -> Reviewed:
    """Give the record exactly this evidence."""

    def change(draft: Draft) -> Change:
        refs = _refs(draft, ranges, record)
        if draft.is_registry:
            old, new = reviews.recite(draft, record, refs)
            return edited(draft, Kind.EVIDENCE, [old], [new])
        node = draft.node(record)
        return _exchange(draft, Kind.EVIDENCE, [node], [_cited(node, refs)])

    return revise(artifact_id=artifact_id, expected_version=expected_version, reason=reason, by=by, change=change)


def move_evidence(
    *,
    artifact_id: int,
    expected_version: int,
    record: int,
    refs: Sequence[int],
    ranges: Sequence[Range] = (),
    to: int,
    reason: str = "",
    by: User,
) -> Reviewed:
    """Move the references at these places, and the units of `ranges`, to another record.

    That one unites them with its own. A reference of which only some units go is cut.
    """

    def change(draft: Draft) -> Change:
        _with_evidence(draft)
        kept, going = parts = part_evidence(draft, record, refs, ranges)
        if draft.is_registry:
            return reviews.moved(draft, record, parts, to, "", Kind.MOVE_EVIDENCE)
        node, target = draft.node(record), draft.node(to)
        if node is target:
            raise unknown("There is no such evidence to move to another record.")
        if not kept:
            raise fault(record, "source_refs", Code.EVIDENCE_MISSING)
        new = [_cited(node, kept), _cited(target, [*target.record["source_refs"], *going])]
        return _exchange(draft, Kind.MOVE_EVIDENCE, [node, target], new)

    return revise(artifact_id=artifact_id, expected_version=expected_version, reason=reason, by=by, change=change)


def add_record(
    *, artifact_id: int, expected_version: int, fields: Fields, ranges: Sequence[Range] = (), reason: str = "", by: User
) -> Reviewed:
    """Add a record that was missed. A scene has no evidence, and takes over from its `start_unit_id` on."""

    def change(draft: Draft) -> Change:
        _writable(draft, fields, None)
        if draft.lane == SCENES:
            node = Node({**fields, "end_unit_id": fields.get("start_unit_id")}, touched=True)
            return _exchange(draft, Kind.ADD, [], [node])
        refs = _refs(draft, ranges, None)
        if draft.is_registry:
            if set(fields) != {"name"}:
                raise ActionError("A record of a registry has a name and evidence.")
            node = reviews.entity_node(draft, str(fields["name"]), refs)
        else:
            node = Node({**_blank(draft), **fields, "source_refs": refs}, touched=True)
        return _exchange(draft, Kind.ADD, [], [node])

    return revise(artifact_id=artifact_id, expected_version=expected_version, reason=reason, by=by, change=change)


def delete_record(*, artifact_id: int, expected_version: int, record: int, reason: str = "", by: User) -> Reviewed:
    """Take the record out. In a registry this is `reviews.remove`, which binds later runs.

    A scene's stretch goes to the scene before it, the first one's to the next. Invalid for the only one.
    """

    def change(draft: Draft) -> Change:
        if draft.is_registry:
            return reviews.removed(draft, record)
        node = draft.node(record)
        if draft.lane == SCENES and len(draft.nodes) == 1:
            raise Invalid([Problem(record, "", Code.SCENES_NOT_A_PARTITION.value, ONLY_SCENE)])
        if draft.lane != SCENES or record > 0:
            return _exchange(draft, Kind.DELETE, [node], [])
        after = draft.node(1)
        return _exchange(
            draft, Kind.DELETE, [node, after], [_written(after, {"start_unit_id": node.record["start_unit_id"]})]
        )

    return revise(artifact_id=artifact_id, expected_version=expected_version, reason=reason, by=by, change=change)


def split_turn(
    *,
    artifact_id: int,
    expected_version: int,
    record: int,
    actions: Sequence[int],
    ranges: Sequence[Range],
    kept: Sequence[Range],
    fields: Fields,
    kept_summary: str,
    reason: str = "",
    by: User,
) -> Reviewed:
    """Make a second turn of these actions of a combat turn, with its own evidence and `fields`; the rest stays.

    `kept` and `kept_summary` are the first turn's from now on, and `fields` has the second's `summary`: what was said
    of both is true of neither. Every unit that was cited must be cited by one of the two.
    """

    def change(draft: Draft) -> Change:
        _turns_only(draft)
        node = draft.node(record)
        given: list[Record] = node.record["actions"]
        going = sorted(set(actions))
        if not going or len(going) >= len(given) or not all(0 <= at < len(given) for at in going):
            raise Invalid([Problem(record, "actions", Code.REVIEW_NOT_APPLICABLE.value, SOME_ACTIONS)])
        _writable(draft, {"kept_summary": kept_summary, **fields}, record)
        _refuse_unsaid(record, {"kept_summary": kept_summary, "summary": fields.get("summary")})
        stays = [action for at, action in enumerate(given) if at not in going]
        first = _written(node, {"actions": stays, "summary": kept_summary})
        second = _written(node, {"actions": [given[at] for at in going], **fields})
        first = _cited(first, _refs(draft, kept, record))
        second = replace(_cited(second, _refs(draft, ranges, record)), origin=None)
        _refuse_lost(draft, node, [first, second])
        return _exchange(draft, Kind.SPLIT_TURN, [node], [first, second])

    return revise(artifact_id=artifact_id, expected_version=expected_version, reason=reason, by=by, change=change)


def join_turns(
    *,
    artifact_id: int,
    expected_version: int,
    records: Sequence[int],
    fields: Fields | None = None,
    reason: str = "",
    by: User,
) -> Reviewed:
    """Make one turn of several: actions in their order, evidence united, summaries one after the other.

    Actor, kind and round are the first one's, unless `fields` says otherwise.
    """

    def change(draft: Draft) -> Change:
        _turns_only(draft)
        if len(set(records)) < 2:
            raise ActionError("Name at least two different turns.")
        _writable(draft, fields or {}, None)
        nodes = [draft.node(number) for number in sorted(set(records))]
        values: dict[str, JsonValue] = {
            "actions": [action for node in nodes for action in node.record["actions"]],
            "summary": " ".join(dict.fromkeys(str(node.record["summary"]) for node in nodes)),
            **(fields or {}),
        }
        refs = [ref for node in nodes for ref in node.record["source_refs"]]
        return _exchange(draft, Kind.JOIN_TURNS, nodes, [_cited(_written(nodes[0], values), refs)])

    return revise(artifact_id=artifact_id, expected_version=expected_version, reason=reason, by=by, change=change)


def _exchange(draft: Draft, kind: Kind, old: Sequence[Node], new: Sequence[Node]) -> Change:
    """Put the new records in the place of the old ones, and say so."""
    if old:
        new = made_of(new, old)
        draft.spread(new, *old)
    else:
        draft.nodes.extend(new)
    return edited(draft, kind, old, new)


def _written(node: Node, fields: Fields) -> Node:
    record = {**node.record, **fields}
    if "name" in fields:
        # The entry is found by its name anew, unless its id says which.
        record |= {field: "" for field in ENTRY_IDS & set(node.record) if field not in fields}
    return replace(node, record=record, touched=True)


def _cited(node: Node, refs: Sequence[Record]) -> Node:
    return replace(node, record={**node.record, "source_refs": list(refs)}, touched=True)


def _blank(draft: Draft) -> Record:
    """Return what a new record says where nothing is given: that nothing is known."""
    return dict(BLANK.get(LANES[draft.lane].family, {}))


def _refs(draft: Draft, ranges: Sequence[Range], record: int | None) -> list[Record]:
    _with_evidence(draft)
    if not ranges:
        raise fault(record, "source_refs", Code.EVIDENCE_MISSING)
    return [dict(ref) for ref in ordered_refs(ranges, draft.scope)]


def _with_evidence(draft: Draft) -> None:
    if draft.lane == SCENES:
        raise ActionError("A scene cites nothing: give it another start.")


def _turns_only(draft: Draft) -> None:
    if draft.lane != TURNS:
        raise ActionError("Only turns of a fight are split and joined.")


def _writable(draft: Draft, fields: Fields, record: int | None) -> None:
    """Raise Invalid for fields that code derives, and for text that no artifact holds."""
    if not fields.keys().isdisjoint(DERIVED):
        raise ActionError("Ids are derived and evidence is set apart: neither is a field to write.")
    for field, value in fields.items():
        if not _plain(value):
            raise fault(record, field, Code.RECORD_SHAPE)


def _plain(value: Any) -> bool:  # Any: JSON of whatever shape somebody sent
    if isinstance(value, str):
        return len(value) <= LONGEST_TEXT and all(
            sign.isprintable() or sign in "\n\t\u00a0\u2028\u2029" for sign in value.replace(" ", "")
        )
    if isinstance(value, Mapping):
        return all(isinstance(key, str) and _plain(item) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return all(map(_plain, value))
    return value is None or (isinstance(value, int) and abs(value) <= LARGEST)


def _refuse_unsaid(record: int, summaries: Fields) -> None:
    """Raise Invalid for each half of a turn whose summary nobody gave."""
    unsaid = [field for field, text in summaries.items() if not isinstance(text, str) or not text.strip()]
    if unsaid:
        raise Invalid([Problem(record, field, Code.RECORD_SHAPE.value, SUMMARY_EACH) for field in unsaid])


def _refuse_lost(draft: Draft, old: Node, new: Sequence[Node]) -> None:
    """Raise Invalid where a unit that the old record cites would be cited by none of the new ones."""
    if _units(draft, [old]) - _units(draft, new):
        raise fault(old.origin, "source_refs", Code.REVIEW_EVIDENCE_LOST)


def _units(draft: Draft, nodes: Sequence[Node]) -> set[int]:
    index = draft.scope.index
    found: set[int] = set()
    for node in nodes:
        for ref in node.record["source_refs"]:
            start, end = index.find(ref["start_unit_id"]), index.find(ref["end_unit_id"])
            if start is not None and end is not None:
                found.update(range(start, end + 1))
    return found
