"""The acts of a review, and the action that each calls with what its form said."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, TypedDict

from campaigns.act_forms import (
    Ask,
    Posted,
    Seen,
    as_asked,
    cited_units,
    what_is_new,
    what_moves,
    what_splits,
    which_apart,
    which_fields,
    which_halves,
    which_member,
    which_merges,
    which_name,
    which_other,
    which_records,
    which_turns,
    which_units,
)
from campaigns.actions import bulk, editing, history, impacts, reruns, reviews
from campaigns.actions.drafts import Reviewed
from campaigns.actions.impacts import Impact
from campaigns.actions.nodes import key_of
from campaigns.errors import ActionError
from campaigns.models import ArtifactVersion
from campaigns.record_fields import read_fields, refusal
from extraction.registry import is_registry

if TYPE_CHECKING:
    from django.contrib.auth.models import User


class Call(TypedDict):
    """What every action on an artifact takes."""

    artifact_id: int
    expected_version: int
    reason: str
    by: User


Do = Callable[[Seen, Posted, Call], Reviewed]
Foresee = Callable[[Seen, Posted, int], Impact | None]


class On(Enum):
    """Whose records an act is for."""

    ALL = "all"
    REGISTRY = "registry"
    OTHERS = "others"
    CITING = "citing"
    TURNS = "turns"


@dataclass(frozen=True, slots=True)
class Act:
    """`ask` says what the form has beside the reason.

    `foresee` tells what an act on a registry would change elsewhere, which is shown before it is saved; None where
    there is nothing to tell.
    """

    key: str
    title: str
    button: str
    do: Do
    ask: Ask = lambda seen, posted: ()
    foresee: Foresee | None = None
    help: str = ""
    on: On = On.ALL

    def fits(self, lane: str) -> bool:
        """Say whether the act is for the records of this lane."""
        return {
            On.ALL: True,
            On.REGISTRY: is_registry(lane),
            On.OTHERS: not is_registry(lane),
            On.CITING: lane != editing.SCENES,
            On.TURNS: lane == editing.TURNS,
        }[self.on]


def place_of(reviewed: Reviewed, number: int | None) -> int:
    """Return the record of the new version that the act was about: the first one that its decision names."""
    version = reviewed.version
    lane = version.artifact.lane
    anchored = not is_registry(lane) or lane == "dnd/locations"
    keys = reviewed.decision.keys
    nodes = Seen.of(version).nodes
    about = [at for at, node in enumerate(nodes) if any(key_of(atom, anchored=anchored) in keys for atom in node.atoms)]
    return about[0] if about else min(number or 0, max(0, len(nodes) - 1))


def _same(seen: Seen, posted: Posted, call: Call) -> Reviewed:
    return reviews.mark_same(**call, one=posted.record(), other=posted.chosen("other", "Choose the other record."))


def _sides(posted: Posted) -> tuple[list[int], int | None]:
    """Return the members that are apart from the others, or the other record."""
    members, other = posted.numbers("members"), posted.number("other")
    if not members and other is None:
        raise refusal("other", "Choose another record, or members of this one.")
    if members and other is not None:
        raise refusal("other", "Judge either members or another record, one at a time.")
    return members, other


def _not_same(seen: Seen, posted: Posted, call: Call) -> Reviewed:
    members, other = _sides(posted)
    return reviews.mark_not_same(**call, one=posted.record(), other=other, members=members)


def _unsure(seen: Seen, posted: Posted, call: Call) -> Reviewed:
    return reviews.mark_unsure(**call, one=posted.record(), other=posted.chosen("other", "Choose the other record."))


def _canonical(seen: Seen, posted: Posted, call: Call) -> Reviewed:
    member = posted.chosen("member", "Choose one of the names.")
    return reviews.choose_canonical(**call, record=posted.record(), member=member)


def _accept_all(seen: Seen, posted: Posted, call: Call) -> Reviewed:
    records = posted.numbers("records")
    if not records:
        raise refusal("records", "Choose at least one merge.")
    return bulk.accept_all(**call, records=records)


def _merge(seen: Seen, posted: Posted, call: Call) -> Reviewed:
    return reviews.merge(**call, records=posted.numbers("records"), canonical=_name_giver(posted))


def _name_giver(posted: Posted) -> int:
    canonical = posted.chosen("canonical", "Choose the name that stays.")
    if canonical not in posted.numbers("records"):
        raise refusal("canonical", "The name that stays is one of the records chosen below.")
    return canonical


def _split(seen: Seen, posted: Posted, call: Call) -> Reviewed:
    to = posted.number("to")
    return reviews.split_evidence(
        **call,
        record=posted.record(),
        refs=posted.numbers("refs"),
        ranges=cited_units(seen, posted),
        to=to,
        name=posted.text("name"),
    )


def _edit(seen: Seen, posted: Posted, call: Call) -> Reviewed:
    number = posted.record()
    node = seen.node(number)
    fields = seen.led(read_fields(seen.family, posted.data, node.record if node else None))
    return editing.edit_record(**call, record=number, fields=fields)


def _evidence(seen: Seen, posted: Posted, call: Call) -> Reviewed:
    return editing.set_evidence(**call, record=posted.record(), ranges=cited_units(seen, posted, needed=True))


def _move(seen: Seen, posted: Posted, call: Call) -> Reviewed:
    to = posted.chosen("to", "Choose the record that it moves to.")
    return editing.move_evidence(
        **call, record=posted.record(), refs=posted.numbers("refs"), ranges=cited_units(seen, posted), to=to
    )


def _add(seen: Seen, posted: Posted, call: Call) -> Reviewed:
    fields = seen.led(read_fields(seen.family, posted.data, None))
    return editing.add_record(**call, fields=fields, ranges=cited_units(seen, posted, needed=seen.family != "scenes"))


def _split_turn(seen: Seen, posted: Posted, call: Call) -> Reviewed:
    kept, going = (posted.text(name).replace("\r\n", "\n") for name in ("kept_summary", "summary"))
    return editing.split_turn(
        **call,
        record=posted.record(),
        actions=posted.numbers("going"),
        ranges=cited_units(seen, posted, needed=True),
        kept=cited_units(seen, posted, "kept", needed=True),
        fields={"summary": going},
        kept_summary=kept,
    )


def _roll_back(seen: Seen, posted: Posted, call: Call) -> Reviewed:
    target = posted.chosen("target", "Choose a version.")
    if not ArtifactVersion.objects.filter(pk=target, artifact_id=call["artifact_id"]).exists():
        raise ActionError("There is no such version of this artifact.")
    return history.roll_back(
        version_id=target, expected_version=call["expected_version"], reason=call["reason"], by=call["by"]
    )


def _foresee_same(seen: Seen, posted: Posted, expected: int) -> Impact:
    one, other = posted.record(), posted.chosen("other", "Choose the other record.")
    return impacts.impact_of_merge(
        artifact_id=seen.version.artifact_id, expected_version=expected, records=(one, other), canonical=one
    )


def _foresee_merge(seen: Seen, posted: Posted, expected: int) -> Impact:
    return impacts.impact_of_merge(
        artifact_id=seen.version.artifact_id,
        expected_version=expected,
        records=posted.numbers("records"),
        canonical=_name_giver(posted),
    )


def _foresee_rename(seen: Seen, posted: Posted, expected: int) -> Impact:
    return impacts.impact_of_rename(
        artifact_id=seen.version.artifact_id,
        expected_version=expected,
        record=posted.record(),
        name=posted.text("name"),
    )


def _foresee_canonical(seen: Seen, posted: Posted, expected: int) -> Impact:
    member = posted.chosen("member", "Choose one of the names.")
    return impacts.impact_of_canonical(
        artifact_id=seen.version.artifact_id, expected_version=expected, record=posted.record(), member=member
    )


def _foresee_explode(seen: Seen, posted: Posted, expected: int) -> Impact:
    return impacts.impact_of_undo(
        artifact_id=seen.version.artifact_id, expected_version=expected, record=posted.record()
    )


def _foresee_not_same(seen: Seen, posted: Posted, expected: int) -> Impact:
    """Two separate records stay as they are; of a consolidation, members part from it."""
    members, other = _sides(posted)
    record, artifact_id = posted.record(), seen.version.artifact_id
    if other is not None:
        impact = impacts.impact_of_apart(artifact_id=artifact_id, expected_version=expected, one=record, other=other)
        both = f"{seen.name(record)} and {seen.name(other)} stay as they are"
        return replace(impact, said=f"{both}, and later runs never make them one.")
    impact = impacts.impact_of_parting(
        artifact_id=artifact_id, expected_version=expected, record=record, members=members
    )
    names = [str(one["name"]) for one in seen.nodes[record].members]
    there = " and ".join(name for at, name in enumerate(names) if at in members)
    here = " and ".join(name for at, name in enumerate(names) if at not in members)
    part = "parts" if len(set(members)) == 1 else "part"
    return replace(impact, said=f"{there} {part} from {here}, and later runs never make them one.")


def _foresee_remove(seen: Seen, posted: Posted, expected: int) -> Impact:
    return impacts.impact_of_remove(
        artifact_id=seen.version.artifact_id, expected_version=expected, record=posted.record()
    )


def _on_record(action: Callable[..., Reviewed]) -> Do:
    return lambda seen, posted, call: action(**call, record=posted.record())


def _on_decision(action: Callable[..., Reviewed]) -> Do:
    return lambda seen, posted, call: action(
        **call, decision_id=posted.chosen("decision", "Choose a decision on the page of decisions.")
    )


FOR: Mapping[str, On] = {
    **dict.fromkeys(
        (
            "accept",
            "accept_all",
            "explode",
            "canonical",
            "merge",
            "split",
            "rename",
            "remove",
            "same",
            "not_same",
            "unsure",
            "adopt",
        ),
        On.REGISTRY,
    ),
    **dict.fromkeys(("edit", "delete"), On.OTHERS),
    **dict.fromkeys(("evidence", "move"), On.CITING),
    **dict.fromkeys(("split_turn", "join_turns"), On.TURNS),
}
ACTS: Mapping[str, Act] = {
    act.key: replace(act, on=FOR.get(act.key, On.ALL))
    for act in (
        Act("accept", "Accept the merge", "Accept", _on_record(reviews.accept)),
        Act(
            "accept_all",
            "Accept what nobody disputes",
            "Accept these",
            _accept_all,
            which_merges,
            help="Look through the list and take out what you doubt. One undo takes all of them back.",
        ),
        Act(
            "explode",
            "Undo the merge",
            "Undo the merge",
            _on_record(reviews.undo_consolidation),
            as_asked(),
            _foresee_explode,
        ),
        Act("canonical", "Choose the name", "Use this name", _canonical, which_member, _foresee_canonical),
        Act("merge", "Merge records", "Merge", _merge, which_records, _foresee_merge),
        Act("split", "Split evidence off", "Split off", _split, what_splits),
        Act(
            "rename",
            "Rename",
            "Rename",
            lambda seen, posted, call: reviews.rename(**call, record=posted.record(), name=posted.text("name")),
            which_name,
            _foresee_rename,
        ),
        Act(
            "remove",
            "Remove",
            "Remove",
            _on_record(reviews.remove),
            as_asked(),
            _foresee_remove,
            "Later runs leave it out.",
        ),
        Act(
            "same",
            "The same as another",
            "Same",
            _same,
            which_other,
            _foresee_same,
            "They become one; later runs obey.",
        ),
        Act(
            "not_same",
            "Not the same",
            "Not the same",
            _not_same,
            which_apart,
            _foresee_not_same,
            "Later runs never merge them.",
        ),
        Act("unsure", "Nobody can tell yet", "Unsure", _unsure, which_other, help="Binds nothing; it is only noted."),
        Act("edit", "Edit", "Save", _edit, which_fields),
        Act("evidence", "Evidence", "Save", _evidence, which_units),
        Act("move", "Move evidence", "Move", _move, what_moves),
        Act("add", "Add a record", "Add", _add, what_is_new),
        Act("delete", "Remove", "Remove", _on_record(editing.delete_record)),
        Act("split_turn", "Split the turn", "Split", _split_turn, which_halves),
        Act(
            "join_turns",
            "Join turns",
            "Join",
            lambda seen, posted, call: editing.join_turns(**call, records=posted.numbers("records")),
            which_turns,
        ),
        Act("adopt", "Take over a decision", "Take over", _on_decision(reviews.adopt), as_asked("decision")),
        Act("reapply", "Do an edit again", "Do it again", _on_decision(reruns.reapply_edit), as_asked("decision")),
        Act("undo", "Undo", "Undo", lambda seen, posted, call: history.undo(**call)),
        Act("redo", "Redo", "Redo", lambda seen, posted, call: history.redo(**call)),
        Act("roll_back", "Roll back", "Roll back", _roll_back, as_asked("target")),
    )
}


def act_for(key: str, lane: str) -> Act | None:
    """Return the act as it is called for the records of this lane; None where it is not for them."""
    act = ACTS.get(key)
    if act is None or not act.fits(lane):
        return None
    return replace(act, title="Add a turn") if act.key == "add" and lane == editing.TURNS else act
