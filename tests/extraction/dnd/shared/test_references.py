from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest

from extraction.codes import Code
from extraction.dnd.shared.references import (
    is_citable,
    validate_canonical_refs,
    validate_record_order,
    validate_source_refs,
)
from extraction.findings import Severity
from extraction.lanes.chunk import Chunk
from extraction.source.references import SourceRef
from tests.extraction.story import make_scope, ref

SCOPE = make_scope()
PAGE_2 = replace(SCOPE, chunk=Chunk(1, 12, 23))


@dataclass(frozen=True)
class Cited:
    source_refs: tuple[SourceRef, ...]


FAULTS = [
    pytest.param([ref(41, 41)], [], id="one-unit"),
    pytest.param([ref(55, 7)], [], id="forward-though-ids-fall"),
    pytest.param([ref(41, 211)], [], id="whole-document"),
    pytest.param([], [Code.EVIDENCE_MISSING], id="none"),
    pytest.param([ref(7, 55)], [Code.EVIDENCE_RANGE_REVERSED], id="reversed-though-ids-rise"),
    pytest.param([ref(41, 43)], [Code.EVIDENCE_UNKNOWN_UNIT], id="gap"),
    pytest.param([ref(0, 41)], [Code.EVIDENCE_UNKNOWN_UNIT], id="zero"),
    pytest.param([ref(-1, -1)], [Code.EVIDENCE_UNKNOWN_UNIT], id="negative"),
    pytest.param([ref(41, 41, "salt-ferry.s1.t2")], [Code.EVIDENCE_WRONG_SOURCE], id="other-revision"),
    pytest.param(
        [ref(41, 41), ref(999, 1), ref(42, 41)],
        [Code.EVIDENCE_UNKNOWN_UNIT, Code.EVIDENCE_RANGE_REVERSED],
        id="each-reference",
    ),
]


@pytest.mark.parametrize(("refs", "codes"), FAULTS)
def test_validate_source_refs(refs: Sequence[SourceRef], codes: list[Code]) -> None:
    records = [Cited((ref(41, 41),)), Cited(tuple(refs))]
    findings = validate_source_refs(records, SCOPE)

    assert [finding.code for finding in findings] == codes
    assert all(finding.severity is Severity.REJECT for finding in findings)
    assert all(finding.where.startswith("record[1]") for finding in findings)
    assert records == [Cited((ref(41, 41),)), Cited(tuple(refs))]


@pytest.mark.parametrize(
    ("refs", "codes"),
    [
        pytest.param([ref(7, 21)], [], id="whole-chunk"),
        pytest.param([ref(55, 7)], [Code.EVIDENCE_OUTSIDE_CHUNK], id="starts-before"),
        pytest.param([ref(21, 203)], [Code.EVIDENCE_OUTSIDE_CHUNK], id="ends-after"),
        pytest.param([ref(41, 211)], [Code.EVIDENCE_OUTSIDE_CHUNK], id="around-it"),
    ],
)
def test_validate_source_refs_inside_a_chunk(refs: Sequence[SourceRef], codes: list[Code]) -> None:
    assert [finding.code for finding in validate_source_refs([Cited(tuple(refs))], PAGE_2)] == codes
    assert [is_citable(one, PAGE_2) for one in refs] == [not codes] * len(refs)


@pytest.mark.parametrize(
    ("refs", "codes"),
    [
        pytest.param([ref(55, 55), ref(7, 9), ref(203, 201)], [], id="document-order-of-falling-ids"),
        pytest.param([ref(41, 41), ref(41, 42)], [], id="same-start"),
        pytest.param([ref(7, 9), ref(55, 55)], [Code.EVIDENCE_NOT_CANONICAL], id="order-of-numbers"),
        pytest.param([ref(41, 42), ref(41, 41)], [Code.EVIDENCE_NOT_CANONICAL], id="longer-first"),
        pytest.param([ref(41, 41), ref(41, 41)], [Code.EVIDENCE_NOT_CANONICAL], id="repeated"),
        pytest.param([ref(41, 44), ref(42, 42)], [], id="overlap-is-not-joined"),
    ],
)
def test_validate_canonical_refs(refs: Sequence[SourceRef], codes: list[Code]) -> None:
    assert [finding.code for finding in validate_canonical_refs([Cited(tuple(refs))], SCOPE)] == codes


@pytest.mark.parametrize(
    ("starts", "where"),
    [
        pytest.param([], [], id="none"),
        pytest.param([41, 55, 7, 203, 201], [], id="position"),
        pytest.param([41, 41], [], id="equal"),
        pytest.param([41, 203, 7, 211], ["record[2]"], id="one-too-late"),
        pytest.param([7, 41, 55], ["record[1]"], id="numbers-rise"),
    ],
)
def test_validate_record_order(starts: list[int], where: list[str]) -> None:
    findings = validate_record_order([Cited((ref(start, start),)) for start in starts], SCOPE)

    assert [(finding.code, finding.where) for finding in findings] == [(Code.RECORD_ORDER, at) for at in where]
