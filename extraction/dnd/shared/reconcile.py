"""Which records of a registry are one identity: the model proposes groups, this code decides which are safe.

Domain-neutral: NPCs, items and locations share the private schema, the resolution of descriptors, the safety rules
and the application. What counts as the same identity is each family's own prompt text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from extraction.dnd.artifacts.registry import Entity
from extraction.dnd.shared.references import is_citable
from extraction.dnd.shared.registry import Identify
from extraction.dnd.shared.reply import RangeReply, Reply
from extraction.dnd.shared.verdicts import CONTRADICTED, Decided, decide_groups, united
from extraction.dnd.shared.verdicts import Group as SafeGroup
from extraction.framework import (
    CONTEXT_RADIUS,
    Code,
    Finding,
    JsonValue,
    Question,
    RetryRequest,
    Scope,
    Settled,
    SourceRef,
    StageOutcome,
    canonical,
    comparison_key,
    rejection,
    unit_material,
    warning,
    windows,
)

RECONCILE_POLICY = "reconcile.descriptors.v1"
CONTEXT_POLICY = f"reconcile.windows.radius-{CONTEXT_RADIUS}.thin-evenly.v1"
APPLIED = "applied"
REVIEW = "review"
"""By whom a consolidation is, where a decision is part of it."""


class Descriptor(Reply):
    """Selects one candidate. Its ranges are a selector and no evidence: compared as a set, never swapped."""

    name: str
    source_refs: list[RangeReply]


class Group(Reply):
    members: list[Descriptor]
    canonical: Descriptor


class ReconcileReply(Reply):
    duplicate_groups: list[Group]


Ranges = frozenset[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What code says of one proposed group: `code` is None for a safe one, `members` are record numbers."""

    members: tuple[int, ...]
    canonical: int | None
    code: Code | None


def eligible(records: Sequence[Entity], scope: Scope) -> list[int]:
    """Return the numbers of the records that may be offered.

    A record needs a name and wholly valid evidence, and must be distinguishable: records of one key and equal
    ranges are not offered at all. What is not offered stays as it is, for the validators to judge.
    """
    fit = [
        number
        for number, record in enumerate(records)
        if comparison_key(record.name)
        and record.source_refs
        and all(is_citable(ref, scope) for ref in record.source_refs)
    ]
    selectors = Counter(_selector(records[number]) for number in fit)
    return [number for number in fit if selectors[_selector(records[number])] == 1]


def ask(prompt: str, records: Sequence[Entity], scope: Scope) -> Question | tuple[Finding, ...] | None:
    """Return the question to put, None with fewer than two candidates, or the finding that it would be too large.

    Windows are thinned, by one fixed policy, until the prepared request fits the input budget; candidates and their
    references are never cut.
    """
    numbers = eligible(records, scope)
    if len(numbers) < 2:
        return None
    offered = [records[number] for number in numbers]
    if scope.tokens(prompt, _materials(offered, 0, scope)) > scope.input_budget:
        return (warning(Code.RECONCILE_TOO_LARGE, candidates=len(offered)),)
    most = max(len(record.source_refs) for record in offered)
    kept = _largest(most, lambda count: scope.tokens(prompt, _materials(offered, count, scope)) <= scope.input_budget)
    materials = _materials(offered, kept, scope)
    left_out = sum(max(0, len(record.source_refs) - kept) for record in offered)
    return Question(materials, {"candidates": len(offered), "windows_left_out": left_out})


def assess_groups(groups: Sequence[Group], records: Sequence[Entity], scope: Scope) -> list[Verdict]:
    """Return one verdict a proposed group, in the order of the reply.

    A safe group has at least two distinct resolved members, its canonical among them, none repeated, and shares no
    member with any other proposed group; of groups that share one, the whole connected set is dropped, also where
    one of them is invalid by itself.
    """
    resolver = _Resolver(records, eligible(records, scope))
    verdicts = [_assess_alone(group, resolver) for group in groups]
    uses = Counter(member for verdict in verdicts for member in set(verdict.members))
    return [
        Verdict(verdict.members, verdict.canonical, Code.RECONCILE_CONFLICT)
        if any(uses[member] > 1 for member in verdict.members)
        else verdict
        for verdict in verdicts
    ]


def apply_groups(
    records: Sequence[Entity], reply: ReconcileReply | None, scope: Scope, identify: Identify
) -> StageOutcome[Settled[Entity]]:
    """Return the records with every safe group applied, and a retry request where any part of the reply was unsafe.

    A group's result keeps the canonical name, has the members' evidence united and its id derived anew, and stands
    where the earliest member stood; every record that came in is represented by exactly one that goes out, unless a
    decision removes it. Decisions of a review come before the reply, and ask for no retry. `reply` is None for an
    answer that could not be used: then no group is applied.
    """
    if reply is None:
        retry = RetryRequest((rejection(Code.RECONCILE_INVALID_REPLY),))
        unasked = settle_unasked(records, scope, identify)
        return StageOutcome(unasked.value, unasked.findings, retry)
    verdicts = _without_collisions(assess_groups(reply.duplicate_groups, records, scope), records, scope, identify)
    unsafe = [rejection(verdict.code, f"group[{at}]") for at, verdict in enumerate(verdicts) if verdict.code]
    safe = [
        SafeGroup(at, verdict.members, verdict.canonical or 0)
        for at, verdict in enumerate(verdicts)
        if verdict.code is None
    ]
    decided = decide_groups(records, safe, scope, identify)
    settled = _settled(records, decided, scope, identify)
    proposals: list[JsonValue] = [
        _proposal_json(group, verdicts[at], _rivals(verdicts, at), decided.overruled.get(at))
        for at, group in enumerate(reply.duplicate_groups)
    ]
    overruled = tuple(warning(Code.DECISION_OVERRULED, f"group[{at}]") for at in sorted(decided.overruled))
    consolidations = {**settled.value.consolidations, "proposals": proposals}
    return StageOutcome(
        Settled(settled.value.records, consolidations),
        (*overruled, *settled.findings),
        RetryRequest(tuple(unsafe)) if unsafe else None,
    )


def settle_unasked(records: Sequence[Entity], scope: Scope, identify: Identify) -> StageOutcome[Settled[Entity]]:
    """Return the records as the review's decisions alone have them."""
    if not scope.verdicts:
        return StageOutcome(Settled(tuple(records)))
    settled = _settled(records, decide_groups(records, (), scope, identify), scope, identify)
    return StageOutcome(
        Settled(settled.value.records, {**settled.value.consolidations, "proposals": []}), settled.findings
    )


def _settled(
    records: Sequence[Entity], decided: Decided, scope: Scope, identify: Identify
) -> StageOutcome[Settled[Entity]]:
    """Return the records with each union in the place of its earliest member, and what was done as review data."""
    unions = {min(union.members): union for union in decided.unions}
    gone = {member for union in decided.unions for member in union.members} | decided.removed
    settled: list[Entity] = []
    applied: list[JsonValue] = []
    findings: list[Finding] = []
    if against := sum(outcome == CONTRADICTED for outcome in decided.outcomes.values()):
        findings.append(warning(Code.DECISION_CONTRADICTED, decisions=against))
    for number, record in enumerate(records):
        if (union := unions.get(number)) is not None:
            result = united(records, union, scope, identify)
            members: list[JsonValue] = [records[member].as_json() for member in union.members]
            code = Code.RECONCILE_APPLIED if union.proposed else Code.DECISION_APPLIED
            findings.append(warning(code, f"record[{len(settled)}]", members=len(members)))
            by: dict[str, JsonValue] = {"by": REVIEW} if union.decided else {}
            applied.append({"id": result.id, "canonical": result.name, "members": members, **by})
            settled.append(result)
        elif number not in gone:
            settled.append(record)
    consolidations: dict[str, JsonValue] = {"applied": applied}
    if scope.verdicts:
        consolidations["removed"] = [records[number].as_json() for number in sorted(decided.removed)]
        consolidations["decisions"] = [
            {"decision": decision, "outcome": outcome} for decision, outcome in decided.outcomes.items()
        ]
    return StageOutcome(Settled(tuple(settled), consolidations), tuple(findings))


def omitted(outcome: StageOutcome[Settled[Entity]]) -> Finding:
    """Return the one durable warning of an accepted fallback: how many proposed groups were left out."""
    unsafe = outcome.retry.findings if outcome.retry else ()
    groups = sum(finding.code is not Code.RECONCILE_INVALID_REPLY for finding in unsafe)
    return warning(Code.RECONCILE_OMITTED, groups=groups)


def _united(verdict: Verdict, records: Sequence[Entity], scope: Scope, identify: Identify) -> Entity:
    name = records[verdict.canonical or 0].name
    refs = canonical((ref for member in verdict.members for ref in records[member].source_refs), scope.index)
    return Entity(identify(name, refs, scope), name, refs)


def _without_collisions(
    verdicts: Sequence[Verdict], records: Sequence[Entity], scope: Scope, identify: Identify
) -> list[Verdict]:
    """Return the verdicts with every group in conflict whose result would take the id of another record.

    Only places can collide: a union may move a name's anchor to where another place of that name stands.
    """
    checked = list(verdicts)
    while True:
        safe = [at for at, verdict in enumerate(checked) if verdict.code is None]
        grouped = {member for at in safe for member in checked[at].members}
        ids = {at: _united(checked[at], records, scope, identify).id for at in safe}
        taken = Counter([*ids.values(), *(record.id for at, record in enumerate(records) if at not in grouped)])
        colliding = [at for at in safe if taken[ids[at]] > 1]
        if not colliding:
            return checked
        for at in colliding:
            checked[at] = replace(checked[at], code=Code.RECONCILE_CONFLICT)


def _rivals(verdicts: Sequence[Verdict], at: int) -> list[int]:
    """Return the places of the other proposals that claim a member of this one."""
    own = set(verdicts[at].members)
    return [other for other, verdict in enumerate(verdicts) if other != at and own & set(verdict.members)]


def _proposal_json(
    group: Group, verdict: Verdict, rivals: Sequence[int], against: Collection[int] | None
) -> dict[str, JsonValue]:
    """Return the proposal with what became of it: among which others it was dropped, or against which decisions."""
    code = verdict.code if against is None else Code.DECISION_OVERRULED
    conflict: dict[str, JsonValue] = {"conflict": list(rivals)} if code is Code.RECONCILE_CONFLICT and rivals else {}
    decisions: dict[str, JsonValue] = {"decisions": sorted(against)} if against else {}
    return {
        "members": [descriptor.name for descriptor in group.members],
        "canonical": group.canonical.name,
        "verdict": code.value if code else APPLIED,
        **conflict,
        **decisions,
    }


class _Resolver:
    """Finds the one candidate that a descriptor selects: by key where the key is unique, else by key and ranges."""

    def __init__(self, records: Sequence[Entity], numbers: Sequence[int]) -> None:
        self._by_key: dict[str, list[int]] = {}
        self._ranges = {number: _ranges(records[number]) for number in numbers}
        for number in numbers:
            self._by_key.setdefault(comparison_key(records[number].name), []).append(number)

    def find(self, descriptor: Descriptor) -> int | Code:
        """Return the candidate's record number, or the code that says why there is none."""
        named = self._by_key.get(comparison_key(descriptor.name), [])
        given = frozenset((ref.start_unit_id, ref.end_unit_id) for ref in descriptor.source_refs)
        if not named:
            return Code.RECONCILE_UNKNOWN_MEMBER
        if len(named) == 1 and (not given or given == self._ranges[named[0]]):
            return named[0]
        exact = [number for number in named if self._ranges[number] == given]
        return exact[0] if len(named) > 1 and len(exact) == 1 else Code.RECONCILE_AMBIGUOUS_MEMBER


def _assess_alone(group: Group, resolver: _Resolver) -> Verdict:
    found = [resolver.find(descriptor) for descriptor in group.members]
    members = [number for number in found if isinstance(number, int)]
    codes = [code for code in found if isinstance(code, Code)]
    chosen = resolver.find(group.canonical)
    canonical_number = None if isinstance(chosen, Code) else chosen
    code: Code | None = codes[0] if codes else None
    if code is None and len(set(members)) != len(members):
        code = Code.RECONCILE_REPEATED_MEMBER
    if code is None and len(members) < 2:
        code = Code.RECONCILE_GROUP_TOO_SMALL
    if code is None and canonical_number not in members:
        code = Code.RECONCILE_CANONICAL_NOT_MEMBER
    return Verdict(tuple(dict.fromkeys(members)), canonical_number, code)


def _selector(record: Entity) -> tuple[str, Ranges]:
    return comparison_key(record.name), _ranges(record)


def _ranges(record: Entity) -> Ranges:
    return frozenset((ref.start_unit_id, ref.end_unit_id) for ref in record.source_refs)


def _materials(offered: Sequence[Entity], kept: int, scope: Scope) -> dict[str, JsonValue]:
    """Return the question's materials with the windows of at most `kept` references a candidate."""
    refs = [ref for record in offered for ref in thinned(record.source_refs, kept)]
    left_out = sum(len(record.source_refs) for record in offered) - len(refs)
    return {
        "party": scope.table.get("party", []),
        "glossary": scope.table.get("glossary", []),
        "candidates": [
            {
                "name": record.name,
                "source_refs": [
                    {"start_unit_id": ref.start_unit_id, "end_unit_id": ref.end_unit_id} for ref in record.source_refs
                ],
            }
            for record in offered
        ],
        "windows": [
            {"units": [{**unit_material(marked.unit), "cited": marked.cited} for marked in window.units]}
            for window in windows(refs, scope.index)
        ],
        "left_out": left_out,
    }


def thinned(refs: Sequence[SourceRef], kept: int) -> tuple[SourceRef, ...]:
    """Return at most `kept` references: the first, the last, and evenly spaced ones between."""
    if len(refs) <= kept:
        return tuple(refs)
    if kept <= 1:
        return tuple(refs[:kept])
    return tuple(refs[round(step * (len(refs) - 1) / (kept - 1))] for step in range(kept))


def _largest(most: int, fits: Callable[[int], bool]) -> int:
    """Return the largest count up to `most` that fits, where 0 fits and larger counts only grow."""
    if fits(most):
        return most
    low, high = 0, most - 1
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low
