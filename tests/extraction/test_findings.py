from __future__ import annotations

import pytest

from extraction.codes import Code
from extraction.findings import MAX_FINDINGS, Decision, Finding, bounded, decide, rejection, warning

WARN = warning(Code.EVIDENCE_UNRELATED, "record[1]", references=2)
REJECT = rejection(Code.EVIDENCE_MISSING, "record[2]")


@pytest.mark.parametrize(
    ("findings", "expected"),
    [
        pytest.param([], Decision.ACCEPT, id="nothing"),
        pytest.param([WARN, WARN], Decision.ACCEPT, id="warnings"),
        pytest.param([REJECT], Decision.REJECT, id="rejection"),
        pytest.param([WARN, REJECT, WARN], Decision.REJECT, id="one-among-warnings"),
    ],
)
def test_decide_rejects_on_any_rejection(findings: list[Finding], expected: Decision) -> None:
    assert decide(iter(findings)) is expected


def test_as_json_is_plain() -> None:
    assert WARN.as_json() == {
        "code": "evidence.unrelated",
        "severity": "warning",
        "where": "record[1]",
        "counts": {"references": 2},
    }
    assert REJECT.as_json()["counts"] == {}


@pytest.mark.parametrize("count", [0, 1, 4, 5])
def test_bounded_keeps_everything_within_the_limit(count: int) -> None:
    findings = [warning(Code.RECONCILE_APPLIED, f"record[{at}]") for at in range(count)]

    assert bounded(findings, limit=5) == tuple(findings)


def test_bounded_says_how_many_were_left_out() -> None:
    findings = [warning(Code.RECONCILE_APPLIED, f"record[{at}]") for at in range(9)]
    kept = bounded(findings, limit=5)

    assert kept[:4] == tuple(findings[:4])
    assert (kept[4].where, kept[4].counts) == ("more", {"left_out": 5})
    assert len(kept) == 5


def test_bounded_puts_rejections_first_and_keeps_the_order_within() -> None:
    others = [warning(Code.RECONCILE_APPLIED, f"record[{at}]") for at in range(2 * MAX_FINDINGS)]
    kept = bounded([*others, REJECT])

    assert kept[0] == REJECT
    assert kept[1:-1] == tuple(others[: MAX_FINDINGS - 2])
    assert len(kept) == MAX_FINDINGS


def test_bounded_never_changes_the_decision() -> None:
    findings = [REJECT] * 500

    assert decide(bounded(findings)) is decide(findings)
