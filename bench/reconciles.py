"""`reconcile`: what the one question about all names costs us, and how large it gets."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

from bench.lane_run import TABLE, Plan
from bench.processes import Stopwatch
from bench.report import Row
from bench.transcripts import ROOT, document, npc_names
from extraction.canonical import JsonValue
from extraction.lanes.job import LaneJob
from extraction.lanes.lane import Question, Scope
from extraction.lanes.run import document_scope
from extraction.llm.scripted import ScriptedClient
from extraction.prompts.catalog import Catalog
from extraction.registry import LANES

LANE = LANES["dnd/npcs"]
TURNS = 10_000
MOST_REFS = 40
GROUP = 4


def rows() -> Iterator[Row]:
    job = LaneJob(
        document(str(TURNS)), Catalog.load(ROOT / "assets" / "dnd"), ScriptedClient(), Plan(str(TURNS)).profile(), TABLE
    )
    scope = document_scope(job)
    for candidates in (50, 200, 1_000):
        yield _row(candidates, job, scope)


def _row(candidates: int, job: LaneJob, scope: Scope) -> Row:
    proposal = LANE.proposal
    if proposal is None:
        raise TypeError("the lane reconciles nothing")
    records = LANE.normalize(_records(candidates, scope), scope).value
    watch = Stopwatch()
    question = proposal.ask(records, scope)
    asked = watch.figures()
    reply = proposal.reply.model_validate(_groups(records))
    watch = Stopwatch()
    outcome = proposal.apply(records, reply, scope)
    applied = watch.figures()
    fits = isinstance(question, Question)
    return Row(
        "reconcile",
        f"{candidates} candidates, {TURNS} turns, up to {MOST_REFS} references each",
        "python -m bench reconcile",
        {
            "candidates": len(records),
            "references": sum(len(record.source_refs) for record in records),
            "ask_s": asked["seconds"],
            "apply_s": applied["seconds"],
            "records_after": len(outcome.value.records),
            "windows_left_out": question.counts["windows_left_out"] if isinstance(question, Question) else None,
            "prompt_tokens": scope.tokens(proposal.prompt, question.materials)
            if isinstance(question, Question)
            else None,
            "budget_tokens": scope.input_budget,
            "calls": 1 if fits else 0,
        },
    )


def _records(candidates: int, scope: Scope) -> list[Any]:
    """Return records with 1 to MOST_REFS references of one unit each, few having many, as names in a story do."""
    rng = random.Random(candidates)  # noqa: S311 - data to measure on, no secret
    given = []
    for name in npc_names(candidates):
        amount = min(MOST_REFS, int(rng.paretovariate(1.0)))
        units = sorted(rng.sample(scope.index.unit_ids, amount))
        refs = [{"start_unit_id": unit, "end_unit_id": unit} for unit in units]
        given.append({"name": name, "source_refs": refs})
    return LANE.extract.read(LANE.extract.reply.model_validate({"npcs": given}), scope)


def _groups(records: Sequence[Any]) -> dict[str, JsonValue]:
    """Return a reply that joins every four records in turn, each named by its full descriptor."""
    described: list[JsonValue] = [
        {
            "name": record.name,
            "source_refs": [
                {"start_unit_id": ref.start_unit_id, "end_unit_id": ref.end_unit_id} for ref in record.source_refs
            ],
        }
        for record in records
    ]
    groups = [described[at : at + GROUP] for at in range(0, len(described) - GROUP + 1, GROUP)]
    return {"duplicate_groups": [{"members": group, "canonical": group[0]} for group in groups]}
