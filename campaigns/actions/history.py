"""What was decided and how to go back: undo, redo, withdraw, roll back, and the history of a record.

Undo and redo work on the acts since the last extraction, newest first, across pages and people. A decision from before
it, which a run has applied since, is withdrawn instead: the next run of the lane, which asks no model, does without it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django.db import transaction

from campaigns.actions import audit, decisions
from campaigns.actions.drafts import (
    Reviewed,
    checked_reason,
    copy_of,
    decide,
    locked_head,
    write_version,
)
from campaigns.actions.locking import lock_artifact
from campaigns.actions.nodes import key_of
from campaigns.errors import Conflict, NotFound
from campaigns.models import Artifact, ArtifactVersion, Decision
from extraction.codes import Code
from extraction.registry import is_registry

if TYPE_CHECKING:
    from django.contrib.auth.models import User

Kind = Decision.Kind
Origin = ArtifactVersion.Origin


@dataclass(frozen=True, slots=True)
class Stack:
    """The acts since the last extraction, each newest last: those that stand, and those undone that a redo would do.

    Decisions that made one version together are undone and done again together.
    """

    done: list[Decision] = field(default_factory=list)
    undone: list[Decision] = field(default_factory=list)

    @property
    def next_undo(self) -> Decision | None:
        return self.done[-1] if self.done else None

    @property
    def next_redo(self) -> Decision | None:
        return self.undone[-1] if self.undone else None

    @property
    def to_undo(self) -> list[Decision]:
        """Return all that an undo would undo, newest first."""
        return _together(self.done)

    @property
    def to_redo(self) -> list[Decision]:
        """Return all that a redo would do again, oldest first."""
        return _together(self.undone)


def stack_of(head: ArtifactVersion) -> Stack:
    """Return what can be undone and redone from this version."""
    stack = Stack()
    rows = Decision.objects.filter(made__in=lineage(head))
    for row in rows.select_related("about", "by", "made").order_by("pk"):
        if row.kind == Kind.UNDO and stack.done:
            stack.undone.append(stack.done.pop())
        elif row.kind == Kind.REDO and stack.undone:
            stack.done.append(stack.undone.pop())
        elif row.kind not in Decision.ABOUT_OTHERS:
            stack.done.append(row)
            stack.undone.clear()
    return stack


@transaction.atomic
def undo(*, artifact_id: int, expected_version: int, reason: str = "", by: User) -> Reviewed:
    """Undo the newest act that stands: the next version equals the one from before it, in content and consolidations.

    Raises Conflict where there is none, or where the version is not the head.
    """
    head = locked_head(artifact_id, expected_version)
    acts = stack_of(head).to_undo
    made = acts[0].made if acts else None
    if made is None or made.parent_id is None:
        raise Conflict("There is nothing to undo since the last extraction.", code=Code.REVIEW_NOTHING)
    return _restored(head, ArtifactVersion.objects.get(pk=made.parent_id), Kind.UNDO, acts, reason, by)


@transaction.atomic
def redo(*, artifact_id: int, expected_version: int, reason: str = "", by: User) -> Reviewed:
    """Do the act again that was undone last. Raises Conflict where none was, or another act came since."""
    head = locked_head(artifact_id, expected_version)
    acts = stack_of(head).to_redo
    if not acts or acts[0].made_id is None:
        raise Conflict("There is nothing to do again.", code=Code.REVIEW_NOTHING)
    return _restored(head, ArtifactVersion.objects.get(pk=acts[0].made_id), Kind.REDO, acts, reason, by)


@transaction.atomic
def roll_back(*, version_id: int, expected_version: int, reason: str = "", by: User) -> Reviewed:
    """Make the next version equal to an old one of the same artifact. Can be undone like any act.

    Decisions made since stand no longer, and those that stood then stand again.
    """
    old = ArtifactVersion.objects.filter(pk=version_id).first()
    if old is None:
        raise NotFound("There is no such artifact version.", code=Code.VERSION_UNKNOWN)
    head = locked_head(old.artifact_id, expected_version)
    session, lane = head.artifact.session, head.artifact.lane
    rows = list(Decision.objects.of(session.pk, lane).select_related("made"))
    then = [row for row in rows if row.made is None or row.made.number <= old.number]
    until = max((row.pk for row in then if row.made is not None), default=0)
    gone = decisions.abandoned(head.artifact.versions.all())
    stood = {row.pk for row in decisions.live_of([row for row in then if row.pk <= until], gone)}
    stand = {row.pk for row in decisions.live_of(rows, gone)}
    data = {"to": old.number, "revived": sorted(stood - stand), "dropped": sorted(stand - stood)}
    version = write_version(head, copy_of(old), act=Kind.ROLL_BACK, by=by, like=old)
    return decide(version, kind=Kind.ROLL_BACK, data=data, reason=checked_reason(reason), by=by)


@transaction.atomic
def withdraw(*, decision_id: int, reason: str = "", by: User) -> Decision:
    """Have a decision bind no more, whatever version it made; return the row that says so. Makes no version.

    What it did to the present version stays until the lane runs again. Raises Conflict for one that stands no longer.
    """
    reason = checked_reason(reason)
    known = Decision.objects.select_related("session__campaign").filter(pk=decision_id).first()
    if known is None:
        raise NotFound("There is no such decision.", code=Code.DECISION_UNKNOWN)
    about = Artifact.objects.filter(session=known.session, lane=known.lane).first()
    if about is not None:
        lock_artifact(about.pk)
    if known.kind not in Decision.BINDING or known not in decisions.live(known.session, known.lane):
        raise Conflict("This decision binds nothing any more.", code=Code.REVIEW_NOTHING)
    row = Decision.objects.create(
        session=known.session, lane=known.lane, kind=Kind.WITHDRAW, keys=known.keys, reason=reason, about=known, by=by
    )
    audit.record(
        by=by,
        act="review.withdraw",
        subject=row,
        campaign=known.session.campaign,
        lane=known.lane,
        decision=decision_id,
    )
    return row


def of_record(
    rows: Sequence[Decision], record: Mapping[str, Any], lane: str, members: Sequence[Mapping[str, Any]] = ()
) -> list[Decision]:
    """Return, newest first, the rows of a history that are about a record or any of its members.

    Undo, redo and withdrawal are about what the decision that they answer is about.
    """
    anchored = not is_registry(lane) or lane == "dnd/locations"
    keys = [key_of(one, anchored=anchored) for one in (record, *members)]
    return [row for row in reversed(rows) if any(key in keys for key in (row.about or row).keys)]


def _restored(
    head: ArtifactVersion, like: ArtifactVersion, kind: Kind, about: Sequence[Decision], reason: str, by: User
) -> Reviewed:
    version = write_version(head, copy_of(like), act=kind, by=by, like=like)
    reason = checked_reason(reason)
    return [decide(version, kind=kind, keys=row.keys, reason=reason, about=row, by=by) for row in about][-1]


def _together(acts: Sequence[Decision]) -> list[Decision]:
    """Return the last acts that made one version, last first."""
    return [row for row in reversed(acts) if row.made_id == acts[-1].made_id]


def lineage(head: ArtifactVersion) -> list[int]:
    """Return the review versions from the head back to what an extraction gave."""
    rows = {
        pk: (parent, origin)
        for pk, parent, origin in head.artifact.versions.values_list("pk", "parent_id", "origin").order_by()
    }
    line: list[int] = []
    at: int | None = head.pk
    while at is not None and at in rows and rows[at][1] == Origin.REVIEW:
        line.append(at)
        at = rows[at][0]
    return line
