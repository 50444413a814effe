from __future__ import annotations

import re
from pathlib import Path

import pytest

from campaigns.wording import LANE_NAMES, SENTENCES, lane_name, record_of, sentence_for, warnings_in
from extraction.codes import Code
from extraction.findings import bounded, warning
from extraction.registry import LANES

EXTRACTION = Path(__file__).resolve().parents[3] / "extraction"
# The families of codes that findings are made of: of a record, of its evidence, of a whole registry or plan.
FOUND = ("evidence.", "record.", "identity.", "normalize.", "reference.", "scenes.", "reconcile.")
MADE = re.compile(r"\b(?:warning|rejection|Finding)\(\s*Code\.([A-Z_]+)")
UNUSABLE = re.compile(r"\bInvalidCompletion\((?:.|\n){0,200}?Code\.([A-Z_]+)")


@pytest.mark.parametrize(
    "code", [code for code in Code if code.startswith(FOUND) and code is not Code.NORMALIZE_INVALID]
)
def test_sentence_for_knows_every_code_that_a_version_can_carry(code: Code) -> None:
    assert code in SENTENCES


def test_sentence_for_knows_every_code_that_extraction_makes_a_finding_of() -> None:
    made = {name for file in EXTRACTION.rglob("*.py") for name in MADE.findall(file.read_text())}

    assert len(made) > 15
    assert sorted(name for name in made if Code[name] not in SENTENCES) == []


def test_sentence_for_knows_every_answer_that_could_not_be_used() -> None:
    """The chunk's stage makes a finding of the code of the answer that it retries."""
    unusable = {name for file in EXTRACTION.rglob("*.py") for name in UNUSABLE.findall(file.read_text())}

    assert "LLM_TRUNCATED" in unusable
    assert sorted(name for name in unusable if Code[name] not in SENTENCES) == []


def test_lane_names_are_those_of_the_ten_lanes() -> None:
    assert set(LANE_NAMES) == set(LANES)
    assert len(set(LANE_NAMES.values())) == 10
    assert lane_name("dnd/weather") == "dnd/weather"


def test_warnings_in_counts_those_that_were_left_out() -> None:
    found = [finding.as_json() for finding in bounded([warning(Code.EVIDENCE_UNRELATED)] * 300)]

    assert (len(found), warnings_in(found)) == (200, 300)


def test_sentence_for_counts_what_was_left_out() -> None:
    last = bounded([warning(Code.EVIDENCE_UNRELATED, f"record[{n}]") for n in range(300)])[-1]

    assert sentence_for(last.as_json()).startswith("101 more")


def test_sentence_for_names_a_code_that_it_does_not_know() -> None:
    assert "future.code" in sentence_for({"code": "future.code"})


@pytest.mark.parametrize(
    ("where", "number"),
    [
        ("record[3].source_refs[0]", 3),
        ("record[12]", 12),
        ("chunk[2]", None),
        ("", None),
        ("normalize", None),
        ("record[x]", None),
    ],
)
def test_record_of_reads_the_record_from_the_place(where: str, number: int | None) -> None:
    assert record_of({"where": where}) == number
