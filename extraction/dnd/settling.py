"""Records that a person has changed, made into an artifact again: tidied, named, ordered and checked by the lane.

Nothing of a record is repaired that a model's record would not be: white space, the order of endpoints, exact names
of the bound registry. Ids are derived and never taken from whoever edits.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from extraction.dnd.artifacts.reading import records_of, shape_faults
from extraction.dnd.items.identity import identify as item_identity
from extraction.dnd.locations.identity import identify as place_identity
from extraction.dnd.npcs.identity import identify as npc_identity
from extraction.dnd.shared.bound import bound_entities, by_key
from extraction.dnd.shared.evidence import cited_refs
from extraction.dnd.shared.name_book import NameBook
from extraction.dnd.shared.registry import Identify
from extraction.dnd.shared.reply import RangeReply
from extraction.framework import (
    Code,
    Finding,
    JsonValue,
    Lane,
    Scope,
    SourceRef,
    comparison_key,
    earliest,
    rejection,
)

Record = Mapping[str, Any]  # Any: a record's JSON, not yet known to have its shape
IDENTITIES: Mapping[str, Identify] = MappingProxyType(
    {"npcs": npc_identity, "items": item_identity, "locations": place_identity}
)
ENTRY_OF: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "npc-occurrences": ("npcs", "npc_id"),
        "item-occurrences": ("items", "item_id"),
        "location-occurrences": ("locations", "location_id"),
    }
)
"""Family of an occurrence lane to the slot of its registry and the field that names the entry."""
SCENES = "scenes"


@dataclass(frozen=True, slots=True)
class SettledPayload:
    """`order[at]` is the number, in what was given, of the record that stands at `at`.

    `payload` is None where a finding rejects; such a finding's place counts in what was given, that of a warning in
    the payload.
    """

    payload: Mapping[str, JsonValue] | None
    order: tuple[int, ...]
    findings: tuple[Finding, ...]


def settle_records(
    lane: Lane[Any], envelope: Mapping[str, JsonValue], given: Sequence[Record], touched: Collection[int], scope: Scope
) -> SettledPayload:
    """Return the artifact of these records, of which those numbered in `touched` were changed by hand.

    `envelope` holds `schema` and `source`.
    """
    folder = lane.family.replace("-", "_")
    named, faults = _prepared(lane, given, touched, scope)
    faults += shape_faults(folder, {**envelope, lane.records_key: named})
    if faults:
        return SettledPayload(None, (), tuple(_once(faults)))
    records = records_of(folder, named)
    for number in touched:
        # Scenes are stitched as a whole, which is not for one of them.
        tidied = (records[number],) if lane.family == SCENES else lane.normalize([records[number]], scope).value
        if len(tidied) != 1:
            return SettledPayload(None, (), (rejection(Code.IDENTITY_ROSTER, f"record[{number}].name"),))
        records[number] = tidied[0]
    order = _order(lane, records, scope) if touched else tuple(range(len(records)))
    placed = [records[number] for number in order]
    found = [finding for validate in lane.validators for finding in validate(placed, scope)]
    rejected = [_given_place(finding, order) for finding in found if finding.severity == "reject"]
    if rejected:
        return SettledPayload(None, (), tuple(rejected))
    return SettledPayload({**envelope, **lane.publish(placed, scope)}, order, tuple(found))


def entity_id(family: str, name: str, refs: Sequence[SourceRef], scope: Scope) -> str:
    """Return the durable id of a registry's record."""
    return IDENTITIES[family](name, tuple(refs), scope)


def canonical_refs(refs: Sequence[SourceRef], scope: Scope) -> tuple[SourceRef, ...]:
    """Return the ranges in the scope's document: endpoints in document order, no repeats, in document order."""
    ranges = [RangeReply(start_unit_id=ref.start_unit_id, end_unit_id=ref.end_unit_id) for ref in refs]
    return cited_refs(ranges, scope.index)


def _prepared(
    lane: Lane[Any], given: Sequence[Record], touched: Collection[int], scope: Scope
) -> tuple[list[dict[str, JsonValue]], list[Finding]]:
    """Return the records with what code derives: evidence in order, ids, entries of the registry, ends of scenes."""
    if lane.family == SCENES:
        return _scenes(given, scope)
    prepared: list[dict[str, JsonValue]] = []
    faults: list[Finding] = []
    for number, record in enumerate(given):
        if number not in touched:
            prepared.append(dict(record))
            continue
        changed = dict(record)
        refs = _refs(record)
        if refs is not None:
            ordered = canonical_refs(refs, scope)
            changed["source_refs"] = [ref.as_json() for ref in ordered]
            if lane.family in IDENTITIES and isinstance(record.get("name"), str):
                changed["name"] = " ".join(record["name"].split())
                changed["id"] = entity_id(lane.family, changed["name"], ordered, scope)
                faults += _nameless(changed["name"], ordered, number, scope)
        if lane.family in ENTRY_OF:
            entry = _entry(lane.family, record, scope)
            if entry is None:
                faults.append(rejection(Code.IDENTITY_UNRESOLVED, f"record[{number}].name"))
            else:
                changed |= entry
        prepared.append(changed)
    # A fault of its own is said once, and better than by a malformed id.
    return prepared, faults


def _nameless(name: str, refs: Sequence[SourceRef], number: int, scope: Scope) -> list[Finding]:
    faults = [] if comparison_key(name) else [rejection(Code.RECORD_NAME_EMPTY, f"record[{number}].name")]
    if refs and earliest(refs, scope.index)[0] == len(scope.index):
        faults.append(rejection(Code.EVIDENCE_UNKNOWN_UNIT, f"record[{number}].source_refs"))
    return faults


def _refs(record: Record) -> list[SourceRef] | None:
    try:
        refs = [SourceRef(ref["source_id"], ref["start_unit_id"], ref["end_unit_id"]) for ref in record["source_refs"]]
    except (KeyError, TypeError):
        return None
    numbers = [number for ref in refs for number in (ref.start_unit_id, ref.end_unit_id)]
    return refs if all(type(number) is int for number in numbers) else None


def _entry(family: str, record: Record, scope: Scope) -> dict[str, JsonValue] | None:
    """Return id and name of the one entry that is meant: by id where one is given, else by name."""
    slot, field = ENTRY_OF[family]
    entities = bound_entities(scope, slot)
    if record.get(field):
        found = [entity for entity in entities if entity.id == record[field]]
    else:
        name = NameBook(entities).canonical(str(record.get("name", "")))
        found = list(by_key(entities).get(comparison_key(name), ()))
    return {field: found[0].id, "name": found[0].name} if len(found) == 1 else None


def _scenes(given: Sequence[Record], scope: Scope) -> tuple[list[dict[str, JsonValue]], list[Finding]]:
    """Return the scenes with their ends derived: a scene reaches to where the next one starts."""
    if not given:
        return [], []
    given_starts = [record.get("start_unit_id") for record in given]
    starts = [scope.index.find(start) if type(start) is int else None for start in given_starts]
    lost = [number for number, start in enumerate(starts) if start is None]
    if lost:
        return [], [rejection(Code.EVIDENCE_UNKNOWN_UNIT, f"record[{number}].start_unit_id") for number in lost]
    inner = sorted(start for start in starts if start is not None)
    ends = dict(zip(inner, [*(start - 1 for start in inner[1:]), len(scope.index) - 1], strict=True))
    ids = scope.index.unit_ids
    placed: list[dict[str, JsonValue]] = [
        {**record, "end_unit_id": ids[max(0, ends[start])]}
        for record, start in zip(given, starts, strict=True)
        if start is not None
    ]
    return placed, []


def _order(lane: Lane[Any], records: Sequence[Any], scope: Scope) -> tuple[int, ...]:
    """Return the numbers of the records as the artifact has them; those that begin together stay as they stood."""
    if lane.family == SCENES:
        return tuple(sorted(range(len(records)), key=lambda at: scope.index.position(records[at].start_unit_id)))

    def place(at: int) -> tuple[tuple[int, int], str]:
        key = comparison_key(records[at].name) if lane.family in IDENTITIES else ""
        return earliest(records[at].source_refs, scope.index), key

    return tuple(sorted(range(len(records)), key=place))


def _given_place(finding: Finding, order: Sequence[int]) -> Finding:
    head, _, rest = finding.where.partition("]")
    if not head.startswith("record["):
        return finding
    return replace(finding, where=f"record[{order[int(head.removeprefix('record['))]}]{rest}")


def _once(faults: Sequence[Finding]) -> list[Finding]:
    """Return the faults without a bad shape of what another one already says of the same record."""
    said = {fault.where.partition(".")[0] for fault in faults if fault.code is not Code.RECORD_SHAPE}
    return [
        fault
        for fault in faults
        if fault.code is not Code.RECORD_SHAPE
        or fault.where.partition(".")[0] not in said
        or not fault.where.endswith("id")
    ]
