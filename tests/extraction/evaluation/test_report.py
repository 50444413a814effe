"""Evaluations written, read again, shown and compared."""

from __future__ import annotations

import pytest

from extraction.codes import Code
from extraction.errors import InputError
from extraction.evaluation.report import (
    Evaluated,
    EvaluationFile,
    LaneUsage,
    compared,
    names_listed,
    read_report,
    report,
    tables,
    written,
)
from tests.extraction.evaluation.labelling import Json, entity, gold_of, scored, turn

NPCS, TURNS = "dnd/npcs", "dnd/combat-turns"
LABELS: dict[str, list[Json]] = {
    NPCS: [entity("Wick", (50, 52)), entity("Dell", 44)],
    TURNS: [turn("Voss", 204), turn("Dell", 208)],
}
USAGE = LaneUsage(
    models=["openai small"],
    calls=3,
    prompt_tokens=900,
    completion_tokens=90,
    cached_share=0.5,
    latency_ms=12.5,
    seconds=1.5,
)


def evaluation(found: dict[str, list[Json]], usage: LaneUsage = USAGE) -> EvaluationFile:
    gold = gold_of(LABELS)
    scores = [Evaluated(scored(gold, lane, records), "v1 pending", usage) for lane, records in found.items()]
    return report("gold.json", "salt-ferry.s1.t1", scores)


def test_written_report_reads_back_equal() -> None:
    made = evaluation(LABELS)

    assert read_report(written(made), "a.json") == made


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"[]", id="list"),
        pytest.param(b'{"schema": "notarius.gold.v1", "lanes": {}}', id="gold-file"),
        pytest.param(written(evaluation(LABELS)).replace(b'"recall"', b'"recal"'), id="misspelt"),
    ],
)
def test_read_report_refuses_in_one_sentence(data: bytes) -> None:
    with pytest.raises(InputError) as error:
        read_report(data, "other.json")

    assert error.value.code is Code.EVALUATION_INVALID
    assert str(error.value).startswith("other.json: ")
    assert "\n" not in str(error.value)


def test_tables_have_a_row_for_each_lane_with_quality_and_cost() -> None:
    lines = tables(evaluation({NPCS: LABELS[NPCS][:1], TURNS: LABELS[TURNS]}))
    rows = [line.split() for line in lines if line.startswith(NPCS + " ")]

    assert rows == [
        [NPCS, "2", "1", "1.000", "0.500", "0.667", "1.000", "1.000", "-", "0", "0"],
        [NPCS, "3", "900", "90", "0.500", "12.5", "1.5", "v1", "pending", "openai", "small"],
    ]
    assert any("invented rounds 0" in line for line in lines)


def test_tables_line_their_columns_up() -> None:
    head, *rows = [line for line in tables(evaluation(LABELS)) if line][:3]
    ends = [head.index(word) + len(word) for word in ("gold", "found", "F1", "false-merges")]

    assert all(len(row) >= end and row[end - 1] != " " for row in rows for end in ends)


def test_tables_show_unknown_figures_as_such() -> None:
    [row] = [line.split() for line in tables(evaluation({NPCS: []}, LaneUsage())) if line.endswith("pending")]

    assert row == [NPCS, *["-"] * 6, "v1", "pending"]


def test_names_listed_say_what_to_look_at() -> None:
    found = {NPCS: [entity("Wick", 50), entity("Pike", 49)]}

    assert names_listed(evaluation(found)) == ["dnd/npcs: missed 1: Dell", "dnd/npcs: unexpected 1: Pike"]


def test_compared_stands_both_side_by_side_with_the_difference() -> None:
    cheap = USAGE.model_copy(update={"calls": 1})
    rows = {
        (line.split()[0], line[len(TURNS) :].strip().split("  ")[0]): line.split()[-3:]
        for line in compared(evaluation({NPCS: LABELS[NPCS]}, cheap), evaluation({NPCS: LABELS[NPCS][:1], TURNS: []}))
    }

    assert rows[NPCS, "recall"] == ["1.000", "0.500", "+0.500"]
    assert rows[NPCS, "precision"] == ["1.000", "1.000", "0.000"]
    assert rows[NPCS, "calls"] == ["1", "3", "-2"]
    assert rows[TURNS, "recall"] == ["-", "0.000", "-"]
