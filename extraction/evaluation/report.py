"""An evaluation as a file, `notarius.evaluation.v1`, and as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import orjson
from pydantic import Field, ValidationError

from extraction.evaluation.faults import first_fault
from extraction.evaluation.labels import Strict
from extraction.evaluation.scores import LaneScore

SCHEMA = "notarius.evaluation.v1"
Number = int | float | None


class LaneUsage(Strict):
    """What the lane run cost that made the artifact; None where nobody knows, as for a file."""

    models: list[str] = Field(default_factory=list)
    calls: int | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_share: float | None = None
    latency_ms: float | None = None
    seconds: float | None = None


class LaneReport(Strict):
    """One lane's score. `artifact` says what was scored: a version's number and state, or a file's name."""

    artifact: str
    gold: int
    found: int
    precision: float | None
    recall: float | None
    f1: float | None
    evidence_precision: float | None
    evidence_recall: float | None
    order: float | None
    missed_merges: int | None
    false_merges: int | None
    details: dict[str, Number]
    missed: list[str]
    unexpected: list[str]
    usage: LaneUsage


class EvaluationFile(Strict):
    schema_: Annotated[Literal["notarius.evaluation.v1"], Field(alias="schema")]
    gold: str
    source_id: str
    lanes: dict[str, LaneReport]


@dataclass(frozen=True, slots=True)
class Evaluated:
    score: LaneScore
    artifact: str
    usage: LaneUsage


QUALITY: Mapping[str, str] = {
    "gold": "gold",
    "found": "found",
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "evidence_precision": "ev.prec",
    "evidence_recall": "ev.rec",
    "order": "order",
    "missed_merges": "missed-merges",
    "false_merges": "false-merges",
}
COST: Mapping[str, str] = {
    "calls": "calls",
    "prompt_tokens": "prompt",
    "completion_tokens": "completion",
    "cached_share": "cached",
    "latency_ms": "ms/call",
    "seconds": "seconds",
}


def report(gold: str, source_id: str, lanes: Iterable[Evaluated]) -> EvaluationFile:
    """Return the evaluation in the form in which it is kept and compared."""
    return EvaluationFile.model_validate(
        {
            "schema": SCHEMA,
            "gold": gold,
            "source_id": source_id,
            "lanes": {each.score.lane: _lane(each) for each in lanes},
        }
    )


def _lane(each: Evaluated) -> LaneReport:
    score = each.score
    return LaneReport(
        artifact=each.artifact,
        gold=score.gold,
        found=score.found,
        precision=score.precision,
        recall=score.recall,
        f1=score.f1,
        evidence_precision=score.evidence_precision,
        evidence_recall=score.evidence_recall,
        order=score.order,
        missed_merges=score.missed_merges,
        false_merges=score.false_merges,
        details=dict(score.details),
        missed=list(score.missed),
        unexpected=list(score.unexpected),
        usage=each.usage,
    )


def written(evaluation: EvaluationFile) -> bytes:
    """Return the file's bytes."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    return orjson.dumps(evaluation.model_dump(by_alias=True), option=options)


def read_report(data: bytes, name: str) -> EvaluationFile:
    """Return an evaluation that was written before; InputError in one sentence for anything else."""
    try:
        return EvaluationFile.model_validate_json(data)
    except ValidationError as error:
        raise first_fault(name, error) from None


def tables(evaluation: EvaluationFile) -> list[str]:
    """Return the lines of the quality and the cost table, and the lanes' own figures below."""
    quality = [[lane, *_cells(each, QUALITY)] for lane, each in evaluation.lanes.items()]
    cost = [
        [lane, *_cells(each.usage, COST), each.artifact, ", ".join(each.usage.models)]
        for lane, each in evaluation.lanes.items()
    ]
    own = [
        f"{lane}: {', '.join(f'{_plain(name)} {_cell(value)}' for name, value in each.details.items())}"
        for lane, each in evaluation.lanes.items()
        if each.details
    ]
    return [
        *_table(["lane", *QUALITY.values()], quality),
        "",
        *_table(["lane", *COST.values(), "artifact", "models"], cost),
        "",
        *own,
    ]


def names_listed(evaluation: EvaluationFile) -> list[str]:
    """Return what was missed and what nobody expected, lane by lane."""
    lines = []
    for lane, each in evaluation.lanes.items():
        lines.append(f"{lane}: missed {len(each.missed)}: {'; '.join(each.missed) or '-'}")
        lines.append(f"{lane}: unexpected {len(each.unexpected)}: {'; '.join(each.unexpected) or '-'}")
    return lines


def compared(this: EvaluationFile, other: EvaluationFile) -> list[str]:
    """Return a table of both evaluations side by side, `this - other` in the last column."""
    rows = []
    for lane in (*this.lanes, *(lane for lane in other.lanes if lane not in this.lanes)):
        one, two = this.lanes.get(lane), other.lanes.get(lane)
        ours, theirs = _figures(one), _figures(two)
        for name in (*ours, *(name for name in theirs if name not in ours)):
            here, there = ours.get(name), theirs.get(name)
            places = _places(name)
            change = None if here is None or there is None else round(here - there, 4)
            sign = "+" if change is not None and change > 0 else ""
            rows.append([lane, _plain(name), _cell(here, places), _cell(there, places), sign + _cell(change, places)])
    return _table(["lane", "figure", "this", "other", "difference"], rows)


def _figures(each: LaneReport | None) -> dict[str, Number]:
    if each is None:
        return {}
    return {
        **{name: getattr(each, name) for name in QUALITY},
        **each.details,
        **{name: getattr(each.usage, name) for name in COST},
    }


def _cells(source: LaneReport | LaneUsage, columns: Mapping[str, str]) -> list[str]:
    return [_cell(getattr(source, name), _places(name)) for name in columns]


def _cell(value: Number, places: int = 3) -> str:
    if value is None:
        return "-"
    return f"{value:.{places}f}" if isinstance(value, float) else str(value)


def _places(name: str) -> int:
    """Return how many decimals a figure is shown with: shares have more than times."""
    return 1 if name in ("latency_ms", "seconds") else 3


def _plain(name: str) -> str:
    return name.replace("_", " ")


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines with columns of even width; figures stand to the right, words to the left."""
    widths = [max(len(row[at]) for row in (head, *rows)) for at in range(len(head))]
    words = {at for at in range(len(head)) if head[at] in ("lane", "figure", "artifact", "models")}
    return [
        "  ".join(
            cell.ljust(width) if at in words else cell.rjust(width) for at, (cell, width) in enumerate(cells)
        ).rstrip()
        for cells in ([*zip(row, widths, strict=True)] for row in (head, *rows))
    ]
