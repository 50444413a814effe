"""Which part of a record's evidence goes to another record: whole references, or units out of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from campaigns.actions.drafts import Draft, fault, unknown
from campaigns.actions.nodes import Record
from campaigns.errors import Invalid, Problem
from extraction.codes import Code

Range = tuple[int, int]
# What a record keeps, and what goes from it.
Parts = tuple[list[Record], list[Record]]
NOT_CITED = "This record does not cite all of these units."


def part_evidence(draft: Draft, record: int, refs: Sequence[int], ranges: Sequence[Range]) -> Parts:
    """Return what the record keeps and what goes: the references at these places, and these units out of the others.

    Raises NotFound for places that it does not have, or where nothing is named, and Invalid for units that the
    transcript does not have or the record does not cite.
    """
    cited: list[Record] = draft.node(record).record["source_refs"]
    if not (refs or ranges) or not all(0 <= at < len(cited) for at in refs):
        raise unknown("There is no such evidence to move to another record.")
    wanted = _places(draft, record, ranges)
    kept: list[Record] = []
    going: list[Record] = []
    for at, ref in enumerate(cited):
        if at in refs:
            going.append(ref)
            continue
        for goes, piece in _pieces(draft, ref, wanted):
            (going if goes else kept).append(piece)
    if wanted - _cited(draft, cited):
        raise Invalid([Problem(record, "source_refs", Code.REVIEW_NOT_APPLICABLE.value, NOT_CITED)])
    return kept, going


def _places(draft: Draft, record: int, ranges: Sequence[Range]) -> set[int]:
    found: set[int] = set()
    for ends in ranges:
        start, end = (draft.scope.index.find(unit) for unit in ends)
        if start is None or end is None:
            raise fault(record, "source_refs", Code.EVIDENCE_UNKNOWN_UNIT)
        found.update(range(min(start, end), max(start, end) + 1))
    return found


def _cited(draft: Draft, refs: Sequence[Record]) -> set[int]:
    return {at for ref in refs for at in _stretch(draft, ref)}


def _stretch(draft: Draft, ref: Record) -> range:
    start, end = (draft.scope.index.find(ref[name]) for name in ("start_unit_id", "end_unit_id"))
    return range(0) if start is None or end is None else range(start, end + 1)


def _pieces(draft: Draft, ref: Record, wanted: set[int]) -> Iterator[tuple[bool, Record]]:
    """Return the reference cut where wanted units begin and end, whole where it has none."""
    stretch = _stretch(draft, ref)
    if wanted.isdisjoint(stretch):
        yield False, ref
        return
    for goes, run in groupby(stretch, lambda at: at in wanted):
        places = list(run)
        first, last = (draft.scope.index.unit_at(at).unit_id for at in (places[0], places[-1]))
        yield goes, {**ref, "start_unit_id": first, "end_unit_id": last}
