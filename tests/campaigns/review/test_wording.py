from __future__ import annotations

import pytest

from campaigns.wording import SENTENCES, record_of, sentence_for
from extraction.codes import Code
from extraction.findings import bounded, warning


@pytest.mark.parametrize("code", [code for code in Code if code.startswith(("evidence.", "identity.", "reconcile."))])
def test_sentence_for_knows_every_code_that_a_version_can_carry(code: Code) -> None:
    assert code in SENTENCES


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
