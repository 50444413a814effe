"""Strict validators of evidence. They collect; nothing is repaired here."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from extraction.framework import Cited, Code, Finding, Scope, SourceRef, canonical, earliest, rejection, span


def validate_source_refs(records: Sequence[Cited], scope: Scope) -> list[Finding]:
    """Return a rejection for each record without evidence and each reference that cannot be cited in this scope."""
    findings: list[Finding] = []
    for number, record in enumerate(records):
        where = f"record[{number}]"
        if not record.source_refs:
            findings.append(rejection(Code.EVIDENCE_MISSING, where))
        for at, ref in enumerate(record.source_refs):
            if (code := _fault(ref, scope)) is not None:
                findings.append(rejection(code, f"{where}.source_refs[{at}]"))
    return findings


def validate_canonical_refs(records: Sequence[Cited], scope: Scope) -> list[Finding]:
    """Return a rejection for each record whose references are repeated or not in document order."""
    return [
        rejection(Code.EVIDENCE_NOT_CANONICAL, f"record[{number}]")
        for number, record in enumerate(records)
        if canonical(record.source_refs, scope.index) != record.source_refs
    ]


def validate_record_order(records: Sequence[Cited], scope: Scope) -> list[Finding]:
    """Return a rejection for each record whose earliest evidence stands before that of the record above it."""
    places = [earliest(record.source_refs, scope.index)[0] for record in records]
    return [
        rejection(Code.RECORD_ORDER, f"record[{number}]")
        for number, (before, place) in enumerate(pairwise(places), start=1)
        if place < before
    ]


def is_citable(ref: SourceRef, scope: Scope) -> bool:
    """Return whether the reference is a forward range of this scope's document and chunk."""
    return _fault(ref, scope) is None


def _fault(ref: SourceRef, scope: Scope) -> Code | None:
    if ref.source_id != scope.index.source_id:
        return Code.EVIDENCE_WRONG_SOURCE
    positions = span(ref, scope.index)
    if positions is None:
        return Code.EVIDENCE_UNKNOWN_UNIT
    start, end = positions
    if start > end:
        return Code.EVIDENCE_RANGE_REVERSED
    if start not in scope.chunk_positions or end not in scope.chunk_positions:
        return Code.EVIDENCE_OUTSIDE_CHUNK
    return None
