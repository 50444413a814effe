"""What the pages of a review say about decisions: sentences for rows, impacts and comparisons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from campaigns.act_forms import Seen, cited_as
from campaigns.actions import comparing, decisions, history
from campaigns.actions.comparing import Comparison, Range
from campaigns.actions.drafts import head_of
from campaigns.actions.history import Stack
from campaigns.actions.impacts import Impact
from campaigns.actions.nodes import heading
from campaigns.models import ArtifactVersion, Decision
from campaigns.record_fields import show_ranges
from campaigns.wording import lane_name, sentence_for
from extraction.canonical import digest
from extraction.identity import comparison_key

Names = Mapping[str, str]
LONGEST_ID = 24
NEITHER = "Later runs apply neither until one of them is withdrawn or undone."
DID: Mapping[str, str] = {
    "accept": "Accepted the merge",
    "explode": "Undid the merge",
    "canonical": "Chose the name",
    "merge": "Merged",
    "same": "Judged the same",
    "not_same": "Judged not the same",
    "unsure": "Noted as unsure",
    "rename": "Renamed",
    "remove": "Removed",
    "split_evidence": "Split evidence off",
    "edit": "Edited",
    "evidence": "Changed the evidence",
    "move_evidence": "Moved evidence",
    "add": "Added",
    "delete": "Removed",
    "split_turn": "Split the turn",
    "join_turns": "Joined turns",
    "roll_back": "Rolled back",
    "undo": "Undone",
    "redo": "Done again",
    "withdraw": "Withdrawn",
}
CAUSES: Mapping[str, str] = {
    comparing.PERSON: "a person's review",
    comparing.PROMPT: "another prompt",
    comparing.MODEL: "another model or profile",
    comparing.TRANSCRIPT: "another revision of the transcript",
    comparing.DECISIONS: "decisions that the run applied",
    comparing.REGISTRY: "another version of a registry",
    comparing.RULES: "another version of the lane's rules",
}
FIELD_NAMES: Mapping[str, str] = {"id": "API id", "start_unit_id": "starts at", "end_unit_id": "ends at"}


@dataclass(frozen=True, slots=True)
class Row:
    """One decision as the page of decisions lists it."""

    decision: Decision
    did: str
    gone: bool
    withdrawable: bool


@dataclass(frozen=True, slots=True)
class Verdict:
    """One proposed merge and what was done with it; `records` are where its names stand, if all of them do."""

    names: tuple[str, ...]
    canonical: str
    applied: bool
    sentence: str
    records: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """One record of a comparison: what it is called, where it stands in the second version, what is otherwise."""

    name: str
    record: int | None
    details: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Told:
    """One turn in a line: what it is called, its place in its version, what it cites and tells."""

    name: str
    record: int
    line: str


@dataclass(frozen=True, slots=True)
class Became:
    """One turn of which several were made, or several of which one was."""

    before: tuple[Told, ...]
    after: tuple[Told, ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a version stands among the others: `head` is what acts go on from, `names` are spelled as it has them."""

    head: ArtifactVersion
    stack: Stack
    names: Names

    @property
    def next_undo(self) -> str:
        return did_together(self.stack.to_undo, self.names)

    @property
    def next_redo(self) -> str:
        return did_together(self.stack.to_redo, self.names)


def standing(version: ArtifactVersion) -> Standing:
    """Return the head of the version's artifact and what can be undone from it."""
    head = head_of(version.artifact) or version
    if head.origin != ArtifactVersion.Origin.REVIEW:
        return Standing(head, Stack(), {})
    return Standing(head, history.stack_of(head), Seen.of(head).spelled())


def did(row: Decision, names: Names) -> str:
    """Return in a few words what the row did, with the names it is about.

    They are spelled as the decision has them, else as `names` has them by comparison key.
    """
    about = row.about
    if about is not None:
        return f"{DID[row.kind]}: {did(about, names)}"
    if row.kind == Decision.Kind.ROLL_BACK:
        return f"Rolled back to version {row.data.get('to')}"
    spelled = {**names, **_spelled(row)}
    called = [spelled.get(key["key"], str(key["key"])) for key in row.keys]
    new, chosen = row.data.get("name"), row.data.get("canonical")
    if chosen and not new:
        new = spelled.get(chosen["key"], chosen["key"])
    whom = ", ".join(dict.fromkeys(called)) + (f" as {new}" if new else "")
    return f"{DID[row.kind]}: {whom}" if called else DID[row.kind]


def _spelled(row: Decision) -> dict[str, str]:
    """Return the names that an edit keeps, by comparison key: what it began from over what it came to."""
    nodes = [*row.data.get("after", ()), *row.data.get("before", ())]
    found = [heading(one) for node in nodes for one in (node["record"], *node.get("members", ()))]
    return {comparison_key(name): name for name in found}


def did_together(rows: Sequence[Decision], names: Names) -> str:
    """Return what the rows of one version did: the first in words, the others by number."""
    more = f" and {len(rows) - 1} more" if len(rows) > 1 else ""
    return f"{did(rows[0], names)}{more}" if rows else ""


def rows_of(version: ArtifactVersion, stack: Stack, record: int | None) -> list[Row]:
    """Return the history of the artifact, or of one of its records, newest first."""
    session, lane = version.artifact.session, version.artifact.lane
    everything = decisions.history(session, lane)
    gone = decisions.abandoned(ArtifactVersion.objects.filter(artifact=version.artifact))
    stand = {row.pk for row in decisions.live_of(everything, gone)}
    done = {row.pk for row in stack.done}
    seen = Seen.of(version)
    node, names = seen.node(record), seen.spelled()
    listed = everything[::-1] if node is None else history.of_record(everything, node.record, lane, node.members)
    return [
        Row(
            row,
            did(row, names),
            _gone(row, stand),
            row.pk in stand and row.kind in Decision.BINDING and row.pk not in done,
        )
        for row in listed
    ]


def _gone(row: Decision, stand: Collection[int]) -> bool:
    return row.pk not in stand and row.kind not in Decision.ABOUT_OTHERS


def verdicts(version: ArtifactVersion, seen: Seen) -> tuple[Verdict, ...]:
    """Return every proposed merge of a registry with what code did with it."""
    proposals = version.consolidations.get("proposals", ())
    where: dict[str, int] = {}
    for at, node in enumerate(seen.nodes if proposals else ()):
        for atom in node.atoms:
            where.setdefault(comparison_key(str(atom.get("name", ""))), at)
    found = []
    for proposal in proposals:
        members = proposal.get("members", ())
        names = tuple(map(str, members)) if isinstance(members, list) else ()
        places = [where.get(comparison_key(name)) for name in names]
        records = tuple(dict.fromkeys(number for number in places if number is not None))
        records = records if None not in places else ()
        applied = proposal["verdict"] == "applied"
        sentence = "Applied." if applied else sentence_for({"code": proposal["verdict"]})
        found.append(Verdict(names, str(proposal.get("canonical", "")), applied, sentence, records))
    return tuple(found)


def impact_lines(impact: Impact, names: Names) -> list[str]:
    """Return what an act would change elsewhere, a sentence each."""
    others = (impact.occurrences, impact.combat_turns, impact.spells, impact.enemy_events)
    lines = [
        f"{lane_name(one.lane)}, version {one.version}: {one.count} would be named or led otherwise."
        for one in others
        if one is not None and one.count
    ]
    if not any(others):
        lines.append("No other artifact of this session names these records yet.")
    elif not lines:
        lines.append("No record of another artifact would be named or led otherwise.")
    opposed = [f"It contradicts a decision that stands: {did(row, names)}. {NEITHER}" for row in impact.against]
    lines = [*opposed, *filter(None, (impact.said,)), *lines]
    for old, new in impact.ids:
        became = (
            f"{_whose(new, impact)} takes its place, and the old one keeps resolving"
            if new
            else "nothing takes its place"
        )
        lines.append(f"API id {_whose(old, impact)} goes: {became}.")
    if not impact.ids:
        lines.append("No API id changes.")
    return lines


def _whose(entity_id: str, impact: Impact) -> str:
    return f"{short(entity_id)} ({impact.names[entity_id]})"


def short(text: str) -> str:
    """Return an id shortened for reading."""
    return text if len(text) <= LONGEST_ID else f"{text[:LONGEST_ID]}…"


def turns_parted(comparison: Comparison, before: Seen, after: Seen) -> tuple[Comparison, list[Became]]:
    """Return the turns that were split or joined, and the comparison without them.

    A turn became several where these have between them just what was done in it, and are no other turn's heirs.
    """
    heirs = {one.before: one.after for one in comparison.changed}
    origins = {one.after: one.before for one in comparison.changed}
    split = _parts(heirs | dict.fromkeys(comparison.removed), comparison.added, before, after)
    joined = _parts(origins | dict.fromkeys(comparison.added), comparison.removed, after, before)
    found = [((whole,), parts) for whole, parts in split] + [(parts, (whole,)) for whole, parts in joined]
    then, now = ({at for pair in found for at in pair[side]} for side in (0, 1))
    rest = replace(
        comparison,
        added=tuple(at for at in comparison.added if at not in now),
        removed=tuple(at for at in comparison.removed if at not in then),
        changed=tuple(one for one in comparison.changed if one.before not in then and one.after not in now),
    )
    return rest, [Became(_told(before, old), _told(after, new)) for old, new in found]


def _parts(
    wholes: Mapping[int, int | None], spare: Sequence[int], one: Seen, other: Seen
) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield each whole with the records of the other side that its actions went to: its heir and spare ones."""
    free = set(spare)
    for whole, heir in sorted(wholes.items()):
        left, parts = _actions(one, whole), []
        for at in ([] if heir is None else [heir]) + sorted(free - {heir}):
            own = _actions(other, at)
            if own and own <= left:
                left -= own
                parts.append(at)
        if len(parts) > 1 and not left and heir in (None, parts[0]):
            free.difference_update(parts)
            yield whole, tuple(sorted(parts))


def _actions(seen: Seen, at: int) -> Counter[str]:
    return Counter(map(digest, seen.nodes[at].record.get("actions", ())))


def _told(seen: Seen, places: Sequence[int]) -> tuple[Told, ...]:
    records = [(at, seen.nodes[at].record) for at in places]
    return tuple(Told(seen.name(at), at, f"{cited_as(record)}: {record['summary']}") for at, record in records)


def differences(
    comparison: Comparison, before: Seen, after: Seen
) -> tuple[list[Difference], list[Difference], list[Difference]]:
    """Return what was added, what was removed and what changed, by name."""
    added = [Difference(after.name(at), at) for at in comparison.added]
    removed = [Difference(before.name(at), None) for at in comparison.removed]
    changed = [
        Difference(
            after.name(one.after),
            one.after,
            (
                *((_called(each.field), said(each.before), said(each.after)) for each in one.fields),
                *_cited(one.evidence_removed, one.evidence_added),
            ),
        )
        for one in comparison.changed
    ]
    return added, removed, changed


def by_lines(comparison: Comparison, before: Seen, after: Seen) -> list[tuple[str, str, str]]:
    """Return each cited range of which the versions do not say the same: its units, who cited them, who does."""
    ranges = [moved.range for moved in comparison.ranges]
    if not ranges:
        return []
    places = comparing.places_of(before.version, after.version)
    was, now = (_citing(seen, ranges, there) for seen, there in zip((before, after), places, strict=True))
    return list(zip(map(_units, ([ends] for ends in ranges)), was, now, strict=True))


def _citing(seen: Seen, ranges: Sequence[Range], places: comparing.Places) -> list[str]:
    """Return who cites units of each range: first who cites just these, then who cites others too, and which."""
    found = comparing.citing([node.record for node in seen.nodes], ranges, places)
    return [_citers(seen, ends, who) for ends, who in zip(ranges, found, strict=True)]


def _citers(seen: Seen, ends: Range, who: Sequence[tuple[int, Range]]) -> str:
    just = [at for at, cited in who if cited == ends]
    others: dict[int, list[Range]] = {}
    for at, cited in who:
        if at not in just:
            others.setdefault(at, []).append(cited)
    told = [*map(seen.name, just), *(f"{seen.name(at)} ({_units(cited)})" for at, cited in others.items())]
    return ", ".join(told) or "nobody"


def said(value: Any) -> str:  # Any: JSON
    """Return a field's value for reading."""
    if value is None or value in ("", []):
        return "nothing"
    if isinstance(value, Mapping):
        return ", ".join(f"{_called(str(key))}: {said(one)}" for key, one in value.items())
    if isinstance(value, list):
        return "; ".join(said(one) for one in value)
    return short(str(value)) if ":sha256:" in str(value) else str(value)


def _called(field: str) -> str:
    return FIELD_NAMES.get(field, field.removesuffix("_id").replace("_", " "))


def _cited(removed: Sequence[Range], added: Sequence[Range]) -> Iterator[tuple[str, str, str]]:
    if removed or added:
        yield "evidence", _units(removed), _units(added)


def _units(ranges: Sequence[Range]) -> str:
    refs = [{"start_unit_id": start, "end_unit_id": end} for start, end in ranges]
    noun = "unit" if len(ranges) == 1 and ranges[0][0] == ranges[0][1] else "units"
    return f"{noun} {show_ranges(refs)}" if refs else "nothing"
