"""`reconcile`: what the one question about all names costs us, and how large it gets."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from bench.lane_run import TABLE, Plan
from bench.processes import Stopwatch
from bench.report import Figure, Row
from bench.transcripts import ROOT, document, generated, npc_names
from extraction.canonical import JsonValue
from extraction.lanes.job import LaneJob
from extraction.lanes.lane import Question, Scope
from extraction.lanes.run import document_scope
from extraction.llm.scripted import ScriptedClient
from extraction.prompts.catalog import Catalog
from extraction.prompts.render import render
from extraction.registry import LANES
from extraction.source.documents import SourceDocument, SourceUnit

LANE = LANES["dnd/npcs"]
TURNS, SAID_TURNS = 10_000, 4_000
MOST_REFS = 40
GROUP = 4


def rows() -> Iterator[Row]:
    job = _job(document(str(TURNS)))
    scope = document_scope(job)
    for candidates in (50, 200, 1_000):
        given = _records(npc_names(candidates), partial(_some_units, random.Random(candidates), scope), scope)  # noqa: S311 - data to measure on
        yield _row(f"{candidates} candidates, {TURNS} turns, up to {MOST_REFS} references each", given, job, scope)
    for candidates in (50, 200):
        units = generated(SAID_TURNS, names=candidates)
        job = _job(SourceDocument("bench.s1.t1", units))
        scope = document_scope(job)
        said = [name for name in npc_names(candidates) if _units_saying(units, name)]
        given = _records(said, partial(_units_saying, units), scope)
        yield _row(f"{len(said)} names where {SAID_TURNS} turns say them", given, job, scope)


def _job(read: SourceDocument) -> LaneJob:
    catalog = Catalog.load(ROOT / "assets" / "dnd")
    return LaneJob(read, catalog, ScriptedClient(), Plan(str(TURNS)).profile(), TABLE)


def _row(setting: str, given: list[Any], job: LaneJob, scope: Scope) -> Row:
    proposal = LANE.proposal
    if proposal is None:
        raise TypeError("the lane reconciles nothing")
    records = LANE.normalize(given, scope).value
    watch = Stopwatch()
    question = proposal.ask(records, scope)
    asked = watch.figures()
    reply = proposal.reply.model_validate(_groups(records))
    watch = Stopwatch()
    outcome = proposal.apply(records, reply, scope)
    applied = watch.figures()
    figures: dict[str, Figure] = {
        "candidates": len(records),
        "references": sum(len(record.source_refs) for record in records),
        "ask_s": asked["seconds"],
        "ask_cpu_s": asked["cpu_s"],
        "apply_s": applied["seconds"],
        "records_after": len(outcome.value.records),
        "budget_tokens": scope.input_budget,
        "calls": int(isinstance(question, Question)),
    }
    if isinstance(question, Question):
        messages = render(job.catalog[proposal.prompt], question.materials).messages
        figures |= {
            "windows_left_out": question.counts["windows_left_out"],
            "prompt_tokens": scope.tokens(proposal.prompt, question.materials),
            "prompt_words": sum(len(message.content.split()) for message in messages),
        }
    return Row("reconcile", setting, "python -m bench reconcile", figures)


def _some_units(rng: random.Random, scope: Scope, _name: str) -> list[int]:
    """Return 1 to MOST_REFS units, for few names many, as it is in a story."""
    amount = min(MOST_REFS, int(rng.paretovariate(1.0)))
    return sorted(rng.sample(scope.index.unit_ids, amount))


def _units_saying(units: Sequence[SourceUnit], name: str) -> list[int]:
    return [unit.unit_id for unit in units if name in unit.text]


def _records(names: Sequence[str], units_of: Callable[[str], list[int]], scope: Scope) -> list[Any]:
    given = [
        {"name": name, "source_refs": [{"start_unit_id": unit, "end_unit_id": unit} for unit in units_of(name)]}
        for name in names
    ]
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
