"""The acts of a review as bodies of requests: each knows the action that does it.

A record, a member and a piece of evidence are named by their place, counted from 0, in the version that the act is
posted to. Evidence is ranges of unit ids.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from ninja import Schema
from pydantic import ConfigDict, Field, JsonValue

from campaigns.actions import bulk, editing, history, reruns, reviews
from campaigns.actions.drafts import Reviewed
from campaigns.acts import Call
from campaigns.api.schemas import BIG, PLAIN
from campaigns.errors import NotFound
from campaigns.models import ArtifactVersion
from extraction.codes import Code

Place: TypeAlias = Annotated[int, Field(ge=0, le=2**31 - 1)]
Places: TypeAlias = Annotated[list[Place], Field(min_length=1, max_length=1_000)]
Name: TypeAlias = Annotated[str, Field(min_length=1, max_length=300, pattern=PLAIN)]
UnitId: TypeAlias = Annotated[int, Field(ge=1, le=2**53)]
RowNumber: TypeAlias = Annotated[int, Field(ge=1, le=BIG)]
# JSON of whatever shape; the action holds it against the rules of the lane.
Fields: TypeAlias = dict[str, JsonValue]


class Units(Schema):
    model_config = ConfigDict(extra="forbid")

    start_unit_id: UnitId
    end_unit_id: UnitId


Ranges: TypeAlias = Annotated[list[Units], Field(max_length=1_000)]


def pairs(ranges: list[Units]) -> list[tuple[int, int]]:
    return [(one.start_unit_id, one.end_unit_id) for one in ranges]


class ActIn(Schema):
    model_config = ConfigDict(extra="forbid")

    reason: str = Field("", max_length=2_000, pattern=PLAIN)


class AcceptIn(ActIn):
    """Confirm a consolidation: its members are one under this name."""

    act: Literal["accept"]
    record: Place

    def do(self, call: Call) -> Reviewed:
        return reviews.accept(**call, record=self.record)


class AcceptAllIn(ActIn):
    """Confirm these consolidations; one undo takes all of them back."""

    act: Literal["accept_all"]
    records: Places

    def do(self, call: Call) -> Reviewed:
        return bulk.accept_all(**call, records=self.records)


class ExplodeIn(ActIn):
    """Take a consolidation apart: its members return with their own evidence and ids."""

    act: Literal["explode"]
    record: Place

    def do(self, call: Call) -> Reviewed:
        return reviews.undo_consolidation(**call, record=self.record)


class CanonicalIn(ActIn):
    """Name a consolidation after one of its members."""

    act: Literal["canonical"]
    record: Place
    member: Place

    def do(self, call: Call) -> Reviewed:
        return reviews.choose_canonical(**call, record=self.record, member=self.member)


class MergeIn(ActIn):
    """Unite records under the name of one of them."""

    act: Literal["merge"]
    records: Places
    canonical: Place

    def do(self, call: Call) -> Reviewed:
        return reviews.merge(**call, records=self.records, canonical=self.canonical)


class SplitIn(ActIn):
    """Move evidence of a registry's record to another record, or to a new one of this name."""

    act: Literal["split"]
    record: Place
    refs: Places
    to: Place | None = None
    name: str = Field("", max_length=300, pattern=PLAIN)

    def do(self, call: Call) -> Reviewed:
        return reviews.split_evidence(**call, record=self.record, refs=self.refs, to=self.to, name=self.name)


class RenameIn(ActIn):
    """Give a record another name; the old id keeps answering."""

    act: Literal["rename"]
    record: Place
    name: Name

    def do(self, call: Call) -> Reviewed:
        return reviews.rename(**call, record=self.record, name=self.name)


class RemoveIn(ActIn):
    """Say that a record is nothing of this registry's kind; later runs leave it out."""

    act: Literal["remove"]
    record: Place

    def do(self, call: Call) -> Reviewed:
        return reviews.remove(**call, record=self.record)


class SameIn(ActIn):
    """Judge two records the same: they become one under the first one's name."""

    act: Literal["same"]
    record: Place
    other: Place

    def do(self, call: Call) -> Reviewed:
        return reviews.mark_same(**call, one=self.record, other=self.other)


class NotSameIn(ActIn):
    """Judge two records, or some members of one and its others, not the same. Give either `other` or `members`."""

    act: Literal["not_same"]
    record: Place
    other: Place | None = None
    members: list[Place] = Field([], max_length=1_000)

    def do(self, call: Call) -> Reviewed:
        return reviews.mark_not_same(**call, one=self.record, other=self.other, members=self.members)


class UnsureIn(ActIn):
    """Note that nobody can tell yet whether two records are one."""

    act: Literal["unsure"]
    record: Place
    other: Place

    def do(self, call: Call) -> Reviewed:
        return reviews.mark_unsure(**call, one=self.record, other=self.other)


class EditIn(ActIn):
    """Give fields of a record other values; those that are not named stay."""

    act: Literal["edit"]
    record: Place
    fields: Fields

    def do(self, call: Call) -> Reviewed:
        return editing.edit_record(**call, record=self.record, fields=self.fields)


class EvidenceIn(ActIn):
    """Give a record exactly this evidence."""

    act: Literal["evidence"]
    record: Place
    ranges: Ranges

    def do(self, call: Call) -> Reviewed:
        return editing.set_evidence(**call, record=self.record, ranges=pairs(self.ranges))


class MoveIn(ActIn):
    """Move evidence of a record to another one."""

    act: Literal["move"]
    record: Place
    refs: Places
    to: Place

    def do(self, call: Call) -> Reviewed:
        return editing.move_evidence(**call, record=self.record, refs=self.refs, to=self.to)


class AddIn(ActIn):
    """Add a record that was missed. A scene has no evidence and begins at its `start_unit_id`."""

    act: Literal["add"]
    fields: Fields
    ranges: Ranges = Field([], max_length=1_000)

    def do(self, call: Call) -> Reviewed:
        return editing.add_record(**call, fields=self.fields, ranges=pairs(self.ranges))


class DeleteIn(ActIn):
    """Take a record out."""

    act: Literal["delete"]
    record: Place

    def do(self, call: Call) -> Reviewed:
        return editing.delete_record(**call, record=self.record)


class SplitTurnIn(ActIn):
    """Make a second turn of some of a turn's actions, with its own evidence; `kept` is the first one's.

    Each needs a summary of its own: `kept_summary` the first, `summary` in `fields` the second.
    """

    act: Literal["split_turn"]
    record: Place
    actions: Places
    ranges: Ranges
    kept: Ranges
    fields: Fields
    kept_summary: str = Field(max_length=editing.LONGEST_TEXT)

    def do(self, call: Call) -> Reviewed:
        return editing.split_turn(
            **call,
            record=self.record,
            actions=self.actions,
            ranges=pairs(self.ranges),
            kept=pairs(self.kept),
            fields=self.fields,
            kept_summary=self.kept_summary,
        )


class JoinTurnsIn(ActIn):
    """Make one turn of several."""

    act: Literal["join_turns"]
    records: Places
    fields: Fields = Field({})

    def do(self, call: Call) -> Reviewed:
        return editing.join_turns(**call, records=self.records, fields=self.fields or None)


class AdoptIn(ActIn):
    """Take over a decision that another session offers."""

    act: Literal["adopt"]
    decision: RowNumber

    def do(self, call: Call) -> Reviewed:
        return reviews.adopt(**call, decision_id=self.decision)


class ReapplyIn(ActIn):
    """Do an edit again that a later run lost."""

    act: Literal["reapply"]
    decision: RowNumber

    def do(self, call: Call) -> Reviewed:
        return reruns.reapply_edit(**call, decision_id=self.decision)


class UndoIn(ActIn):
    """Undo the newest act."""

    act: Literal["undo"]

    def do(self, call: Call) -> Reviewed:
        return history.undo(**call)


class RedoIn(ActIn):
    """Do again what was undone last."""

    act: Literal["redo"]

    def do(self, call: Call) -> Reviewed:
        return history.redo(**call)


class RollBackIn(ActIn):
    """Make the next version equal to an old one of the same artifact."""

    act: Literal["roll_back"]
    target: RowNumber = Field(description="The id of the old version.")

    def do(self, call: Call) -> Reviewed:
        if not ArtifactVersion.objects.filter(pk=self.target, artifact_id=call["artifact_id"]).exists():
            raise NotFound("There is no such version of this artifact.", code=Code.VERSION_UNKNOWN)
        return history.roll_back(
            version_id=self.target, expected_version=call["expected_version"], reason=call["reason"], by=call["by"]
        )


AnAct: TypeAlias = Annotated[
    AcceptIn
    | AcceptAllIn
    | ExplodeIn
    | CanonicalIn
    | MergeIn
    | SplitIn
    | RenameIn
    | RemoveIn
    | SameIn
    | NotSameIn
    | UnsureIn
    | EditIn
    | EvidenceIn
    | MoveIn
    | AddIn
    | DeleteIn
    | SplitTurnIn
    | JoinTurnsIn
    | AdoptIn
    | ReapplyIn
    | UndoIn
    | RedoIn
    | RollBackIn,
    Field(discriminator="act"),
]
