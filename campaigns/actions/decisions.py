"""What decisions stand, what they say to later runs, where they contradict each other, what other sessions offer.

A session's decisions on one lane are a history of rows. Which of them stand is told by going through it once: an act
stands from its row on, until an undo, a roll back or a withdrawal, and again from a redo on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from campaigns.models import ArtifactVersion, Decision, GameSession
from extraction.lanes.job import Judged, Judgement, NamedRecord
from extraction.registry import contradictions as contradictory
from extraction.registry import is_registry

if TYPE_CHECKING:
    from campaigns.querysets import ArtifactVersionQuerySet

Kind = Decision.Kind
UNITING = frozenset({"accept", "merge", "same"})


def history(session: GameSession, lane: str) -> list[Decision]:
    """Return all rows, oldest first, with who made them and the version each made."""
    return list(Decision.objects.of(session.pk, lane).select_related("by", "made", "about"))


def live(session: GameSession, lane: str) -> list[Decision]:
    """Return the decisions that stand, oldest first: nothing undone, withdrawn or rolled back."""
    versions = ArtifactVersion.objects.filter(artifact__session=session, artifact__lane=lane)
    return live_of(list(Decision.objects.of(session.pk, lane)), abandoned(versions))


def live_of(rows: Sequence[Decision], abandoned: Collection[int]) -> list[Decision]:
    """Return the decisions that stand after these rows, which must begin with the history's first.

    What was decided on the way to an abandoned version went with it.
    """
    by_id = {row.pk: row for row in rows}
    standing: set[int] = set()
    for row in rows:
        if row.made_id in abandoned:
            continue
        adds, drops = _effect(row, by_id)
        standing = (standing | adds) - drops
    return [row for row in rows if row.pk in standing]


def abandoned(versions: ArtifactVersionQuerySet) -> frozenset[int]:
    """Return the versions that nobody went on with: rejected ones, and what led to nothing else."""
    rows = list(versions.order_by("-number").values_list("pk", "parent_id", "state", "decided_at"))
    followed: dict[int, list[int]] = {}
    found: set[int] = set()
    for pk, parent, state, decided in rows:
        after = followed.get(pk, ())
        given_up = bool(after) and all(child in found for child in after)
        if (state == "rejected" and (given_up or not after)) or (state == "superseded" and not decided and given_up):
            found.add(pk)
        if parent is not None:
            followed.setdefault(parent, []).append(pk)
    return frozenset(found)


def verdicts_for(session: GameSession, lane: str) -> tuple[Judgement, ...]:
    """Return what the standing decisions say to a run of the lane; nothing for a lane that is no registry."""
    if not is_registry(lane):
        return ()
    return judgements_of(live(session, lane))


def judgements_of(rows: Sequence[Decision]) -> tuple[Judgement, ...]:
    """Return what these standing decisions say, in their order."""
    over = {(number, *_named([key])) for row in rows for number, key in row.data.get("names_over", ())}
    return tuple(
        judgement
        for row in rows
        for judgement in _judgements(row)
        if judgement.chosen is None or (row.pk, judgement.chosen) not in over
    )


def contradictions(session: GameSession, lane: str) -> tuple[tuple[Decision, ...], ...]:
    """Return the sets of standing decisions that cannot all hold, for people to resolve; a run applies none of them."""
    return contradictions_of(live(session, lane))


def contradictions_of(rows: Sequence[Decision]) -> tuple[tuple[Decision, ...], ...]:
    """Return the sets of these standing decisions that cannot all hold."""
    by_id = {row.pk: row for row in rows}
    return tuple(tuple(by_id[number] for number in sorted(wrong)) for wrong in contradictory(judgements_of(rows)))


def opposing(
    session: GameSession, lane: str, kind: str, keys: Sequence[Mapping[str, Any]], data: Mapping[str, Any]
) -> tuple[Decision, ...]:
    """Return the standing decisions that could not all hold beside one that says this. Nothing is written."""
    # A number that no row has.
    said = Decision(pk=0, session=session, lane=lane, kind=kind, keys=list(keys), data=dict(data))
    found = contradictions_of([*live(session, lane), said])
    # Two of these may meet it in more than one way.
    return tuple(dict.fromkeys(row for rows in found if said in rows for row in rows if row != said))


def naming_over(session: GameSession, lane: str, keys: Sequence[Mapping[str, Any]]) -> list[list[Any]]:
    """Return the standing decisions by which any of these records gives or gets a name, each with that record's key.

    A new name takes their place.
    """
    return [[row.pk, key] for row in live(session, lane) for key in _named_by(row) if key in keys]


def _named_by(row: Decision) -> list[Mapping[str, Any]]:
    found = [row.data.get("canonical"), row.data.get("target"), *row.data.get("parted", ())]
    return [key for key in found if key]


@dataclass(frozen=True, slots=True)
class Offered:
    """A judgement of another session that fits this one: both records are here, and nobody has judged them here."""

    decision: Decision
    sides: tuple[tuple[Mapping[str, Any], ...], tuple[Mapping[str, Any], ...]]


def offered_decisions(session: GameSession, lane: str, keys: Iterable[Mapping[str, Any]]) -> list[Offered]:
    """Return *not the same* of the campaign's other sessions that could be adopted here.

    `keys` are those of the records that the session has. Anchors mean nothing in another session: places of one name
    are never offered.
    """
    here = {key["key"] for key in keys}
    judged = {pair for row in live(session, lane) for pair in _pairs(row)}
    offered: list[Offered] = []
    others = Decision.objects.filter(session__campaign=session.campaign_id, lane=lane).exclude(session=session)
    versions = ArtifactVersion.objects.filter(artifact__session__campaign=session.campaign_id, artifact__lane=lane)
    gone = abandoned(versions)
    by_session: dict[int, list[Decision]] = {}
    for row in others.select_related("session", "by").order_by("pk"):
        by_session.setdefault(row.session_id, []).append(row)
    for rows in by_session.values():
        for row in live_of(rows, gone):
            pairs = set(_pairs(row)) if row.kind == Kind.NOT_SAME else set()
            if pairs and all(len(pair) == 2 and pair <= here for pair in pairs) and not pairs <= judged:
                judged |= pairs
                offered.append(Offered(row, (tuple(row.data["sides"][0]), tuple(row.data["sides"][1]))))
    return offered


def _pairs(row: Decision) -> list[frozenset[str]]:
    """Return the pairs of comparison keys that the row judges, either way."""
    if row.kind in (Kind.NOT_SAME, Kind.UNSURE):
        one, other = row.data["sides"]
        return [frozenset({first["key"], second["key"]}) for first in one for second in other]
    if row.kind in UNITING:
        return [frozenset({first["key"], second["key"]}) for first in row.keys for second in row.keys]
    return []


def _effect(row: Decision, by_id: Mapping[int, Decision]) -> tuple[set[int], set[int]]:
    """Return which decisions stand from this row on, and which no longer."""
    if row.kind in (Kind.UNDO, Kind.WITHDRAW, Kind.REDO) and row.about_id is not None:
        adds, drops = _effect(by_id[row.about_id], by_id)
        return (adds, drops) if row.kind == Kind.REDO else (drops, adds)
    if row.kind == Kind.ROLL_BACK:
        return {*row.data["revived"], row.pk}, set(row.data["dropped"])
    return {row.pk}, set()


def _judgements(row: Decision) -> list[Judgement]:
    """Return all that the decision says. What gives a name has `chosen`: the record that it is of."""
    members = _named(row.keys)
    if row.kind in UNITING or row.kind == Kind.CANONICAL:
        said = [] if row.kind == Kind.CANONICAL else [Judgement(row.pk, Judged.SAME, members)]
        return said + _canonical(row, members, row.data.get("canonical"))
    if row.kind == Kind.RENAME:
        (target,) = _named([row.data["target"]])
        return [Judgement(row.pk, Judged.RENAME, (target,), row.data["name"], target)]
    if row.kind == Kind.REMOVE:
        return [Judgement(row.pk, Judged.REMOVE, members)]
    if row.kind == Kind.EXPLODE:
        return [Judgement(row.pk, Judged.APART, members)] if len(members) > 1 else []
    if row.kind == Kind.NOT_SAME:
        return _apart(row)
    return []


def _apart(row: Decision) -> list[Judgement]:
    """Return that no record of one side is one of the other's, and that each side of a parted one stays one."""
    one, other = map(_named, row.data["sides"])
    said = [Judgement(row.pk, Judged.APART, (first, second)) for first in one for second in other]
    for side, chosen in zip((one, other), row.data.get("parted", ()), strict=False):
        if len(side) > 1:
            said += [Judgement(row.pk, Judged.SAME, side), *_canonical(row, side, chosen)]
    return said


def _canonical(row: Decision, members: tuple[NamedRecord, ...], key: Mapping[str, Any] | None) -> list[Judgement]:
    return [Judgement(row.pk, Judged.CANONICAL, members, chosen=chosen) for chosen in _named([key] if key else [])]


def _named(keys: Iterable[Mapping[str, Any]]) -> tuple[NamedRecord, ...]:
    return tuple(NamedRecord(key["key"], key["anchor"]) for key in keys)
