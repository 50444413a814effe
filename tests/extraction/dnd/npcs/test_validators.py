"""The chain that stands between records and the archive."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from extraction.codes import Code
from extraction.dnd.artifacts.registry import Entity
from extraction.dnd.shared.registry import MAX_NAME
from extraction.findings import Decision, Finding, Severity, decide
from extraction.identity import npc_id
from extraction.registry import LANES
from tests.extraction.story import make_scope, npc

SCOPE = make_scope()
LANE = LANES["dnd/npcs"]
DELL, WICK, VOSS = npc("Dell", (44, 46), (55, 55)), npc("Wick", (50, 52)), npc("Aurelio Voss", (204, 209))


def validator(name: str) -> Callable[[list[Entity], Any], list[Finding]]:
    return {validate.__name__: validate for validate in LANE.validators}[name]


def codes_of(findings: list[Finding]) -> list[tuple[Code, str]]:
    return [(finding.code, finding.where) for finding in findings]


NAMES = [
    pytest.param([DELL, WICK], [], id="named"),
    pytest.param([DELL, npc("", (50, 50))], [(Code.RECORD_NAME_EMPTY, "record[1]")], id="empty"),
    pytest.param([npc("x" * MAX_NAME, (50, 50))], [], id="as-long-as-may-be"),
    pytest.param([npc("x" * (MAX_NAME + 1), (50, 50))], [(Code.RECORD_NAME_TOO_LONG, "record[0]")], id="a-passage"),
    pytest.param([npc(" \u2003\n", (50, 50))], [(Code.RECORD_NAME_EMPTY, "record[0]")], id="white-space"),
]
IDENTITY = [
    pytest.param([DELL, WICK, VOSS], [], id="derived"),
    pytest.param([replace(DELL, name="DELL ")], [], id="same-key"),
    pytest.param([DELL, replace(WICK, name="Old Wick")], [(Code.IDENTITY_MISMATCH, "record[1]")], id="of-another-name"),
    pytest.param([replace(DELL, id="")], [(Code.IDENTITY_MISMATCH, "record[0]")], id="none"),
    pytest.param([replace(DELL, id=npc_id("Dell"))], [(Code.IDENTITY_MISMATCH, "record[0]")], id="of-no-key"),
    pytest.param(
        [DELL, WICK, npc("dell", (55, 55))],
        [(Code.IDENTITY_DUPLICATE, "record[0]"), (Code.IDENTITY_DUPLICATE, "record[2]")],
        id="twice",
    ),
]
RELATED = [
    pytest.param([DELL, WICK, VOSS], [], id="said"),
    pytest.param([npc("Harbourmaster Dell", (46, 46))], [], id="one-word-said"),
    pytest.param([DELL, npc("Ferdinand", (41, 211))], [(Code.EVIDENCE_UNRELATED, "record[1]")], id="never-said"),
]


@pytest.mark.parametrize(("records", "expected"), NAMES)
def test_validate_names(records: list[Entity], expected: list[tuple[Code, str]]) -> None:
    assert codes_of(validator("validate_names")(records, SCOPE)) == expected


@pytest.mark.parametrize(("records", "expected"), IDENTITY)
def test_validate_identity(records: list[Entity], expected: list[tuple[Code, str]]) -> None:
    assert codes_of(validator("validate_identity")(records, SCOPE)) == expected


@pytest.mark.parametrize(("records", "expected"), RELATED)
def test_validate_relatedness_only_warns(records: list[Entity], expected: list[tuple[Code, str]]) -> None:
    findings = validator("validate_relatedness")(records, SCOPE)

    assert codes_of(findings) == expected
    assert decide(findings) is Decision.ACCEPT


@pytest.mark.parametrize("records", [[], [DELL], [DELL, WICK, VOSS]], ids=["none", "one", "three"])
@pytest.mark.parametrize("validate", [*LANE.validators, *LANE.extract.validators], ids=lambda one: one.__name__)
def test_valid_records_have_no_finding_and_stay_unchanged(validate: Any, records: list[Entity]) -> None:
    before = list(records)

    assert validate(records, SCOPE) == []
    assert records == before


@pytest.mark.parametrize("validate", [*LANE.validators, *LANE.extract.validators], ids=lambda one: one.__name__)
def test_invalid_records_stay_unchanged(validate: Any) -> None:
    records = [npc("", (52, 50)), npc("Dell"), npc("Dell", (999, 1), (999, 1))]
    before = list(records)
    findings = validate(records, SCOPE)

    assert records == before
    assert all(finding.severity in Severity for finding in findings)


def test_chains_hold_what_the_artifact_promises() -> None:
    assert [validate.__name__ for validate in LANE.extract.validators] == [
        "validate_names",
        "validate_source_refs",
        "validate_canonical_refs",
    ]
    assert [validate.__name__ for validate in LANE.validators] == [
        "validate_names",
        "validate_identity",
        "validate_source_refs",
        "validate_canonical_refs",
        "validate_record_order",
        "validate_relatedness",
    ]
