"""What people decided in a review, applied to the records and the safe proposals of a later run.

A decision names records by comparison key, a place also by the unit its evidence starts at. Nothing is resolved
silently: a proposal that goes against a decision is left out, and decisions that contradict each other are left out
together, whichever is newer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from extraction.dnd.artifacts.registry import Entity
from extraction.dnd.shared.registry import Identify
from extraction.framework import Judged, Judgement, Scope, canonical, comparison_key, earliest, span

APPLIED, ABSENT, CONTRADICTED = "applied", "absent", "contradicted"


@dataclass(frozen=True, slots=True)
class Group:
    """A safe proposal by its place in the reply, with record numbers."""

    at: int
    members: tuple[int, ...]
    canonical: int


@dataclass(frozen=True, slots=True)
class Union:
    """Records that are one, and what they are called; a single one is only renamed.

    `proposed` says whether a model proposed any of it, `decided` whether a person's decision is part of it.
    """

    members: tuple[int, ...]
    name: str
    proposed: bool = True
    decided: bool = False


@dataclass(frozen=True, slots=True)
class Decided:
    """`overruled` has proposals by place in the reply, with the decisions that they go against; `outcomes` says by
    decision what became of it."""

    unions: tuple[Union, ...]
    removed: frozenset[int]
    overruled: Mapping[int, frozenset[int]]
    outcomes: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class _Found:
    """A judgement with the numbers of the records that it names and that are here."""

    decision: int
    kind: Judged
    members: tuple[int, ...]
    name: str
    chosen: int | None


@dataclass(slots=True)
class _Left:
    """What has been left out so far: whole decisions, the names that decisions give, proposals with what is against
    them."""

    decisions: set[int] = field(default_factory=set)
    names: set[int] = field(default_factory=set)
    groups: dict[int, frozenset[int]] = field(default_factory=dict)


def decide_groups(records: Sequence[Entity], groups: Sequence[Group], scope: Scope, identify: Identify) -> Decided:
    """Return which records are one, and how they are called, when decisions have had their say."""
    found = [one for judgement in scope.verdicts if (one := _find(judgement, records, scope)) is not None]
    left = _Left(decisions={decision for wrong in _contradictions(found) for decision in wrong})
    kept = [one for one in found if one.decision not in left.decisions]
    removed = frozenset(member for one in kept if one.kind is Judged.REMOVE for member in one.members)
    left.groups = _overruled(kept, groups, removed)
    while True:
        unions = _unions(records, kept, groups, removed, left)
        colliding = _colliding(records, unions, removed, scope, identify)
        if not colliding or not _leave_out(colliding, kept, groups, left):
            break
        kept = [one for one in kept if one.decision not in left.decisions]
        removed = frozenset(member for one in kept if one.kind is Judged.REMOVE for member in one.members)
    outcomes = {judgement.decision: ABSENT for judgement in scope.verdicts}
    outcomes |= {one.decision: APPLIED for one in found}
    outcomes |= dict.fromkeys(left.decisions | left.names, CONTRADICTED)
    return Decided(tuple(unions), removed, left.groups, dict(sorted(outcomes.items())))


def _find(judgement: Judgement, records: Sequence[Entity], scope: Scope) -> _Found | None:
    """Return the judgement over the records that are here; None where too few are for it to say anything."""
    numbers = [
        number
        for named in judgement.members
        for number, record in enumerate(records)
        if comparison_key(record.name) == named.key and named.anchor in (None, anchor_of(record, scope))
    ]
    members = tuple(sorted(set(numbers)))
    chosen = None
    if judgement.chosen is not None:
        one = Judgement(judgement.decision, Judged.REMOVE, (judgement.chosen,))
        known = _find(one, records, scope)
        chosen = known.members[0] if known is not None and len(known.members) == 1 else None
    enough = {
        Judged.SAME: len(members) > 1,
        # Two of three that are not all one may well be one.
        Judged.APART: len(members) >= len(judgement.members) > 1,
        Judged.REMOVE: bool(members),
        Judged.CANONICAL: chosen is not None,
        Judged.RENAME: bool(members),
    }[judgement.kind]
    return _Found(judgement.decision, judgement.kind, members, judgement.name, chosen) if enough else None


def anchor_of(record: Entity, scope: Scope) -> int | None:
    """Return the unit at which the record's earliest evidence starts."""
    first = earliest(record.source_refs, scope.index)
    return next((ref.start_unit_id for ref in record.source_refs if span(ref, scope.index) == first), None)


def contradictory(judgements: Sequence[Judgement]) -> list[frozenset[int]]:
    """Return the sets of decisions that cannot all hold, wherever the records that they name are met."""
    places = {
        named: at
        for at, named in enumerate(dict.fromkeys(named for one in judgements for named in (*one.members, one.chosen)))
    }
    found = [
        _Found(
            one.decision,
            one.kind,
            tuple(sorted({places[named] for named in one.members})),
            one.name,
            None if one.chosen is None else places[one.chosen],
        )
        for one in judgements
    ]
    wrong = _contradictions(found)
    out = frozenset().union(*wrong) if wrong else frozenset()
    classes = _classes(one for one in found if one.kind is Judged.SAME and one.decision not in out)
    for kind in (Judged.RENAME, Judged.CANONICAL):
        by_class: dict[frozenset[int], list[_Found]] = {}
        for one in found:
            if one.kind is kind:
                first = one.members[0] if one.chosen is None else one.chosen
                by_class.setdefault(classes.get(first, frozenset({first})), []).append(one)
        wrong += [
            frozenset(one.decision for one in named)
            for named in by_class.values()
            if len({one.chosen if kind is Judged.CANONICAL else one.name for one in named}) > 1
        ]
    return list(dict.fromkeys(wrong))


def _contradictions(found: Sequence[_Found]) -> list[frozenset[int]]:
    """Return the decisions that cannot all hold. Each is held against all others, so that no order counts."""
    sames = [one for one in found if one.kind is Judged.SAME]
    wrong: list[frozenset[int]] = []
    for apart in (one for one in found if one.kind is Judged.APART):
        involved: set[int] = set()
        while True:
            links = [one for one in sames if one.decision not in involved]
            if not _all_one(_classes(links), apart.members):
                break
            for start, end in zip(apart.members, apart.members[1:], strict=False):
                involved |= _path(links, start, end)
        if involved:
            wrong.append(frozenset({*involved, apart.decision}))
    for removal in (one for one in found if one.kind is Judged.REMOVE):
        for same in sames:
            if set(same.members) & set(removal.members) and not set(same.members) <= set(removal.members):
                wrong.append(frozenset({same.decision, removal.decision}))
    return wrong


def _path(links: Sequence[_Found], start: int, end: int) -> set[int]:
    """Return the decisions on the shortest ways of *same* from one record to the other, all of them."""
    near, far = _distances(links, start), _distances(links, end)
    if end not in near:
        return set()
    return {
        link.decision
        for link in links
        for one in link.members
        for other in link.members
        if one != other and one in near and other in far and near[one] + 1 + far[other] == near[end]
    }


def _distances(links: Sequence[_Found], start: int) -> dict[int, int]:
    """Return how many decisions lie between the record and each that is one with it."""
    distances = {start: 0}
    line = [start]
    for here in line:
        for there in [member for link in links if here in link.members for member in link.members]:
            if there not in distances:
                distances[there] = distances[here] + 1
                line.append(there)
    return distances


def _classes(linked: Iterable[_Found | Group]) -> dict[int, frozenset[int]]:
    """Return, for each record that anything links, the records that are one with it."""
    classes: dict[int, frozenset[int]] = {}
    for link in linked:
        joined = frozenset(link.members).union(*(classes.get(member, frozenset()) for member in link.members))
        classes.update(dict.fromkeys(joined, joined))
    return classes


def _all_one(classes: Mapping[int, frozenset[int]], members: Sequence[int]) -> bool:
    return set(members) <= classes.get(members[0], frozenset({members[0]}))


def _overruled(kept: Sequence[_Found], groups: Sequence[Group], removed: frozenset[int]) -> dict[int, frozenset[int]]:
    """Return, by place, the proposals that go against decisions, by themselves or with others, and which those are."""
    sames = [one for one in kept if one.kind is Judged.SAME]
    aparts = [one for one in kept if one.kind is Judged.APART]
    removals = [one for one in kept if one.kind is Judged.REMOVE]

    def broken(classes: Mapping[int, frozenset[int]], group: Group) -> frozenset[int]:
        one = classes[group.members[0]]
        apart = {judged.decision for judged in aparts if set(judged.members) <= one}
        gone = {judged.decision for judged in removals if one & removed and set(judged.members) & one}
        return frozenset(apart | gone)

    alone = {group.at: against for group in groups if (against := broken(_classes([*sames, group]), group))}
    rest = [group for group in groups if group.at not in alone]
    classes = _classes([*sames, *rest])
    return alone | {group.at: against for group in rest if (against := broken(classes, group))}


def _unions(
    records: Sequence[Entity],
    kept: Sequence[_Found],
    groups: Sequence[Group],
    removed: frozenset[int],
    left: _Left,
) -> list[Union]:
    """Return the unions in the order of their earliest members; names that contradict each other go to `left`."""
    standing = [group for group in groups if group.at not in left.groups]
    sames = [one for one in kept if one.kind is Judged.SAME]
    names = [one for one in kept if one.kind in (Judged.RENAME, Judged.CANONICAL)]
    classes = _classes([*sames, *standing])
    for one in names:
        for member in one.members if one.kind is Judged.RENAME else ():
            classes.setdefault(member, frozenset({member}))
    unions = []
    for members in sorted({one for one in classes.values() if not one & removed}, key=min):
        proposed = [group for group in standing if set(group.members) <= members]
        named = [one for one in names if one.decision not in left.names and _speaks_of(one, members)]
        name = _name(records, members, proposed, named, left)
        decided = any(set(one.members) & members for one in sames) or any(
            one.decision not in left.names for one in named
        )
        if len(members) > 1 or name != records[min(members)].name:
            unions.append(Union(tuple(sorted(members)), name, bool(proposed), decided))
    return unions


def _speaks_of(one: _Found, members: frozenset[int]) -> bool:
    if one.kind is Judged.CANONICAL:
        return one.chosen in members and len(members) > 1
    return bool(set(one.members) & members)


def _name(
    records: Sequence[Entity], members: frozenset[int], proposed: Sequence[Group], named: Sequence[_Found], left: _Left
) -> str:
    for kind in (Judged.RENAME, Judged.CANONICAL):
        of_kind = [one for one in named if one.kind is kind]
        given = {
            records[one.chosen].name if kind is Judged.CANONICAL and one.chosen is not None else one.name
            for one in of_kind
        }
        if len(given) == 1:
            return given.pop()
        if given:
            left.names |= {one.decision for one in of_kind}
    if proposed:
        return records[min(proposed, key=lambda group: min(group.members)).canonical].name
    return records[min(members)].name


def united(records: Sequence[Entity], union: Union, scope: Scope, identify: Identify) -> Entity:
    """Return the record that stands for all of the union: its name, their evidence, the id anew."""
    refs = canonical((ref for member in union.members for ref in records[member].source_refs), scope.index)
    return Entity(identify(union.name, refs, scope), union.name, refs)


def _colliding(
    records: Sequence[Entity], unions: Sequence[Union], removed: frozenset[int], scope: Scope, identify: Identify
) -> list[Union]:
    """Return the unions that would take the id of another record."""
    inside = {member for union in unions for member in union.members} | removed
    ids = [united(records, union, scope, identify).id for union in unions]
    taken = Counter([*ids, *(record.id for number, record in enumerate(records) if number not in inside)])
    return [union for union, own in zip(unions, ids, strict=True) if taken[own] > 1]


def _leave_out(colliding: Sequence[Union], kept: Sequence[_Found], groups: Sequence[Group], left: _Left) -> bool:
    """Leave out what makes unions collide: names first, then decisions, then proposals. False: there is nothing."""
    members = frozenset(member for union in colliding for member in union.members)
    renames = {one.decision for one in kept if one.kind is Judged.RENAME and set(one.members) & members} - left.names
    if renames:
        left.names |= renames
        return True
    sames = {one.decision for one in kept if one.kind is Judged.SAME and set(one.members) & members}
    if sames:
        left.decisions |= sames
        return True
    proposals = {group.at for group in groups if set(group.members) & members} - left.groups.keys()
    left.groups |= dict.fromkeys(proposals, frozenset())
    return bool(proposals)
