"""Two versions of one artifact side by side: by record, by line of the transcript, and why they differ."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from campaigns.actions.history import lineage
from campaigns.actions.nodes import Node, Record, heading, read_nodes, without_source
from campaigns.errors import ActionError
from campaigns.models import ArtifactVersion, Decision, Unit
from extraction.canonical import digest
from extraction.identity import comparison_key
from extraction.registry import LANES

Range = tuple[int, int]
Places = dict[int, int]
# By how many bits the length has: where ranges begin and end, and who cites them; first those that begin first.
Stretches = dict[int, list[tuple[int, int, tuple[int, Range]]]]
TRAITS = 7
PERSON, PROMPT, MODEL, TRANSCRIPT, DECISIONS, REGISTRY, RULES = (
    "person",
    "prompt",
    "model",
    "transcript",
    "decisions",
    "registry",
    "rules",
)


@dataclass(frozen=True, slots=True)
class FieldChange:
    field: str
    before: Any  # Any: JSON
    after: Any


@dataclass(frozen=True, slots=True)
class Changed:
    """A record that both versions have. Positions are those of each version's payload."""

    before: int
    after: int
    fields: tuple[FieldChange, ...]
    evidence_added: tuple[Range, ...]
    evidence_removed: tuple[Range, ...]


@dataclass(frozen=True, slots=True)
class Moved:
    """A range that one record cites in the first version and another in the second, by their positions."""

    range: Range
    before: tuple[int, ...]
    after: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """`removed` are positions in the first version, `added` in the second. `causes` say what made the difference.

    `ranges` has each cited range of which the two versions do not say the same, with the positions of who cites it.
    `decisions` are those between the versions, oldest first, where the second goes back to the first by review.
    """

    added: tuple[int, ...]
    removed: tuple[int, ...]
    changed: tuple[Changed, ...]
    moved: tuple[Moved, ...]
    ranges: tuple[Moved, ...]
    causes: tuple[str, ...]
    decisions: tuple[Decision, ...]

    @property
    def equal(self) -> bool:
        return not (self.added or self.removed or self.changed)


def compare(a: ArtifactVersion, b: ArtifactVersion) -> Comparison:
    """Return what the second version has otherwise than the first. ActionError for versions of two artifacts.

    Records are one by id, by a member that both have, by equality, or by what they are called and cite, in that order.
    """
    if a.artifact_id != b.artifact_id:
        raise ActionError("Only two versions of one artifact can be compared.")
    before, after = _records(a), _records(b)
    pairs = _pairs(a, b, before, after)
    partner = dict(pairs)
    ranges = tuple(_ranges(before, after, partner))
    return Comparison(
        added=tuple(sorted(set(range(len(after))) - set(partner.values()))),
        removed=tuple(at for at in range(len(before)) if at not in partner),
        changed=tuple(change for one, other in pairs if (change := _change(one, other, before, after)) is not None),
        moved=tuple(moved for moved in ranges if moved.before and moved.after),
        ranges=ranges,
        causes=tuple(_causes(a, b)),
        decisions=tuple(_between(a, b)),
    )


def partners(a: ArtifactVersion, b: ArtifactVersion) -> dict[int, int]:
    """Return the positions of the records that both versions have, the second version's by the first's."""
    return dict(_pairs(a, b, _records(a), _records(b)))


def _records(version: ArtifactVersion) -> list[Record]:
    found: list[Record] = orjson.loads(version.payload)[LANES[version.artifact.lane].records_key]
    return found


def places_of(*versions: ArtifactVersion) -> list[Places]:
    """Return for each version where the units of its transcript stand."""
    found: dict[int, Places] = {version.transcript_id: {} for version in versions}
    units = Unit.objects.filter(transcript__in=found)
    for transcript, unit, position in units.values_list("transcript_id", "unit_id", "position"):
        found[transcript][unit] = position
    return [found[version.transcript_id] for version in versions]


def citing(records: Sequence[Record], wanted: Iterable[Range], places: Places) -> list[list[tuple[int, Range]]]:
    """Return for each wanted range who cites any unit of it: positions of the records, and what they cite."""
    cited: Stretches = {}
    for at, record in enumerate(records):
        for ref in record.get("source_refs", ()):
            found = _stretch(_range(ref), places)
            if found:
                cited.setdefault(len(found).bit_length(), []).append((found.start, found.stop, (at, _range(ref))))
    for alike in cited.values():
        alike.sort()
    return [sorted(set(_meeting(cited, _stretch(ends, places)))) for ends in wanted]


def _stretch(ends: Range, places: Places) -> range:
    """Return the positions of the range's units; none where an end is not there."""
    found = [places[unit] for unit in ends if unit in places]
    return range(min(found), max(found) + 1) if len(found) == len(ends) else range(0)


def _meeting(cited: Stretches, wanted: range) -> Iterator[tuple[int, Range]]:
    """Yield who cites any of these positions, without going through those of long ranges one by one."""
    for bits, alike in cited.items() if wanted else ():
        # What is shorter than this and begins earlier than this does not reach here.
        first = bisect_left(alike, (wanted.start - (1 << bits) + 2,))
        last = bisect_left(alike, (wanted.stop,))
        yield from (who for _, stop, who in alike[first:last] if stop > wanted.start)


def _pairs(a: ArtifactVersion, b: ArtifactVersion, before: list[Record], after: list[Record]) -> list[tuple[int, int]]:
    """Return the positions of records that are one, in the order of the first version."""
    held = ((before, a.consolidations), (after, b.consolidations))
    sides = [[_traits(node) for node in read_nodes(records, groups)] for records, groups in held]
    partner: dict[int, int] = {}
    taken: set[int] = set()
    for rule in range(TRAITS):
        having: dict[Hashable, list[int]] = {}
        for at, traits in enumerate(sides[1]):
            for trait in traits[rule] if at not in taken else ():
                having.setdefault(trait, []).append(at)
        for one, traits in enumerate(sides[0]):
            if one in partner:
                continue
            found = min((at for trait in traits[rule] for at in having.get(trait, ()) if at not in taken), default=None)
            if found is not None:
                partner[one] = found
                taken.add(found)
    return sorted(partner.items())


def _traits(node: Node) -> tuple[frozenset[Hashable], ...]:
    """Return what makes a record one with another's, strongest first: any trait that both have will do."""
    record = node.record
    title = comparison_key(heading(record))
    cited = frozenset(_range(ref) for ref in record.get("source_refs", ()))
    named = "id" in record
    return (
        frozenset({record["id"]} if named else ()),
        frozenset(atom["id"] for atom in node.atoms if named),
        frozenset({digest(without_source(record))}),
        frozenset({(title, cited)} if cited else ()),
        frozenset((title, piece) for piece in cited),
        frozenset({cited} if cited else ()),
        frozenset({record["start_unit_id"]} if "start_unit_id" in record else ()),
    )


def _change(one: int, other: int, before: Sequence[Record], after: Sequence[Record]) -> Changed | None:
    old, new = before[one], after[other]
    fields = tuple(
        FieldChange(field, old.get(field), new.get(field))
        for field in dict.fromkeys((*old, *new))
        if field != "source_refs" and old.get(field) != new.get(field)
    )
    had, has = ([_range(ref) for ref in record.get("source_refs", ())] for record in (old, new))
    added = tuple(ref for ref in has if ref not in had)
    removed = tuple(ref for ref in had if ref not in has)
    return Changed(one, other, fields, added, removed) if fields or added or removed else None


def _ranges(before: Sequence[Record], after: Sequence[Record], partner: Mapping[int, int]) -> Iterator[Moved]:
    """Yield each range that is not cited by the same records on both sides."""
    citing: dict[Range, tuple[list[int], list[int]]] = {}
    for side, records in enumerate((before, after)):
        for at, record in enumerate(records):
            for ref in record.get("source_refs", ()):
                citing.setdefault(_range(ref), ([], []))[side].append(at)
    for found, (old, new) in citing.items():
        if sorted(partner.get(at, -1) for at in old) != sorted(new):
            yield Moved(found, tuple(old), tuple(new))


def _between(a: ArtifactVersion, b: ArtifactVersion) -> list[Decision]:
    line = lineage(b)
    if a.pk in line:
        line = line[: line.index(a.pk)]
    elif not line or ArtifactVersion.objects.filter(pk=line[-1], parent=a).first() is None:
        return []
    return list(Decision.objects.filter(made__in=line).select_related("by", "about").order_by("pk"))


def _causes(a: ArtifactVersion, b: ArtifactVersion) -> Iterator[str]:
    """Yield what the manifests say is different, a person's hand first."""
    origin = ArtifactVersion.Origin.REVIEW
    if origin in (a.origin, b.origin):
        yield PERSON
    if a.transcript_id != b.transcript_id:
        yield TRANSCRIPT
    one, other = a.manifest, b.manifest
    if _of(one, "extract", "prompt") != _of(other, "extract", "prompt") or _of(one, "normalize", "prompt") != _of(
        other, "normalize", "prompt"
    ):
        yield PROMPT
    if (one.get("profile"), one.get("provider")) != (other.get("profile"), other.get("provider")):
        yield MODEL
    if _of(one, "verdicts", "digest") != _of(other, "verdicts", "digest"):
        yield DECISIONS
    if _bound(one) != _bound(other):
        yield REGISTRY
    if (one.get("lane_version"), one.get("policies")) != (other.get("lane_version"), other.get("policies")):
        yield RULES


def _of(manifest: Mapping[str, Any], part: str, field: str) -> Any:  # Any: JSON
    return manifest.get(part, {}).get(field)


def _bound(manifest: Mapping[str, Any]) -> dict[str, str]:
    return {slot: bound["digest"] for slot, bound in manifest.get("references", {}).items()}


def _range(ref: Mapping[str, Any]) -> Range:
    return ref["start_unit_id"], ref["end_unit_id"]
