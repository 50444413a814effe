"""`cost`: what all lanes of `complete` send, and what a prefix cache serves of it under each layout of the prompts."""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bench.endpoint import named_in
from bench.pipeline_run import PipelinePlan, complete, nothing
from bench.prefix_cache import Metering
from bench.processes import endpoint, measured
from bench.report import Row
from bench.transcripts import REAL
from extraction.canonical import JsonValue
from extraction.lanes.ports import drop_exchange
from extraction.llm.boundary import ExchangeSink, StructuredClient, StructuredCompletion, StructuredRequest
from extraction.llm.profiles import OutputMode, SchemaLayout
from extraction.registry import CHUNK_REPLIES, LANES

READ, WRITE = 0.1, 1.25
"""What a cached token costs of a plain one, and what a token costs that is written to the cache."""
LATENCY = {Metering.WORDS: "0.5", Metering.PIECES: "0.2"}
"""Seconds a call: counting in pieces keeps the machine busier, so only the walls beside words tell much."""
TURNS = "3000"
LANE, ENVELOPE = SchemaLayout.LANE.value, SchemaLayout.ENVELOPE.value
REGISTRIES = frozenset(lane.extract.prompt for lane in LANES.values() if lane.proposal is not None)
OBJECT = OutputMode.JSON_OBJECT.value


@dataclass(frozen=True, slots=True)
class Layout:
    name: str
    layout: str = LANE
    output: str = OutputMode.JSON_SCHEMA.value
    spread: bool = False
    forget: bool = False

    def of(self, plan: PipelinePlan) -> PipelinePlan:
        return replace(plan, layout=self.layout, output=self.output, spread=self.spread, forget=self.forget)


LAYOUTS = (
    Layout("a schema a lane, all from the first chunk"),
    Layout("a schema a lane, spread starts", spread=True),
    Layout("json_object, a schema a lane, spread starts", output=OBJECT, spread=True),
    Layout("json_object, envelope, spread starts", ENVELOPE, OBJECT, spread=True),
    Layout("envelope, all from the first chunk", ENVELOPE),
    Layout("envelope, spread starts", ENVELOPE, spread=True),
    Layout("envelope, spread starts, cache emptied between steps", ENVELOPE, spread=True, forget=True),
)


@dataclass
class Noting:
    """A client that keeps, of each request, where it was asked and what was answered.

    Where the inner client finds no entity in a generated passage, the generated names in it stand for some: without
    registries there would be no occurrences to ask about.
    """

    inner: StructuredClient
    noted: list[dict[str, Any]] = field(default_factory=list)

    @property
    def identity(self) -> Mapping[str, JsonValue]:
        return self.inner.identity

    def complete(self, request: StructuredRequest, record: ExchangeSink) -> StructuredCompletion:
        completion = self.inner.complete(request, record)
        data: Any = completion.data
        if request.prompt_id in REGISTRIES and data == {request.schema_name: []}:
            data = {request.schema_name: named_in(request.messages[-1].content)}
        passage: Any = request.materials.get("transcript")
        unit = passage[0]["unit_id"] if passage else None
        self.noted.append({"prompt": request.prompt_id, "unit": unit, "json": data})
        return replace(completion, data=data)


def answers(plan: PipelinePlan) -> dict[str, list[dict[str, Any]]]:
    """Return, by schema layout, what the rules answer to every request of the plan's run.

    `match` says the same as `unit` and `task`, as a pattern over the whole prompt.
    """
    job = replace(plan, url=None).job()
    noting = Noting(job.client)
    complete(replace(job, client=noting), spread=False, record=drop_exchange, before_step=nothing)
    places = [job.catalog[prompt].response for prompt in CHUNK_REPLIES]
    made: dict[str, list[dict[str, Any]]] = {LANE: [], ENVELOPE: []}
    for noted in noting.noted:
        prompt, unit, reply = job.catalog[noted["prompt"]], noted["unit"], noted["json"]
        task = [part.text for part in prompt.parts if part.text][-1].splitlines()[0]
        where = "" if unit is None else rf"TRANSCRIPT:\n\[{unit}\] .*"
        answer = {"match": where + re.escape(task), "unit": unit, "task": task}
        placed = {place: reply if place == prompt.response else None for place in places}
        made[LANE].append(answer | {"json": reply})
        made[ENVELOPE].append(answer | {"json": placed if prompt.id in CHUNK_REPLIES else reply})
    return made


def rows() -> Iterator[Row]:
    for source in (TURNS, *((str(REAL),) if REAL.is_file() else ())):
        plan = PipelinePlan(source)
        with tempfile.TemporaryDirectory() as folder:
            files = {layout: Path(folder) / f"{layout}.json" for layout in (LANE, ENVELOPE)}
            for layout, prepared in answers(plan).items():
                files[layout].write_text(json.dumps(prepared), encoding="utf-8")
            yield from _layouts(plan, files)


def _layouts(plan: PipelinePlan, files: Mapping[str, Path]) -> Iterator[Row]:
    name = f"{plan.source} turns" if plan.source.isdigit() else Path(plan.source).name
    for metering in Metering:
        first: Mapping[str, Any] = {}
        for layout in LAYOUTS:
            options = ("--latency", LATENCY[metering], "--cache", metering, "--answers", str(files[layout.layout]))
            with endpoint(options) as url:
                seen = measured("bench.pipeline_run", layout.of(replace(plan, url=url)).arguments())
            first = first or seen
            yield Row("cost", f"{name}, {metering}: {layout.name}", "python -m bench cost", figures(seen, first))
        yield from by_prompt(first, f"{name}, {metering}")


def figures(seen: Mapping[str, Any], first: Mapping[str, Any]) -> dict[str, int | float]:
    """Return the layout's figures; costs and wall are to those of the first layout without a cache."""
    total, before = total_of(seen["prompts"]), total_of(first["prompts"])
    chunks, chunks_before = (
        total_of({prompt: seen["prompts"][prompt] for prompt in CHUNK_REPLIES if prompt in seen["prompts"]})
        for seen in (seen, first)
    )
    return {
        "calls": total["calls"],
        "sent": total["sent"],
        "cached": total["cached"],
        "answered": total["answered"],
        "wall_s": seen["seconds"],
        "cached_ratio": total["cached"] / total["sent"],
        "cost_ratio": cost(total, 1.0) / before["sent"],
        "cost_with_writes_ratio": cost(total, WRITE) / before["sent"],
        "nine_lanes_cost_ratio": cost(chunks, 1.0) / chunks_before["sent"],
        "nine_lanes_cost_with_writes_ratio": cost(chunks, WRITE) / chunks_before["sent"],
        "wall_ratio": seen["seconds"] / first["seconds"],
        "same_results_ratio": float(seen["digest"] == first["digest"]),
    }


def by_prompt(seen: Mapping[str, Any], name: str) -> Iterator[Row]:
    for prompt, counted in seen["prompts"].items():
        yield Row("cost", f"{name}: {prompt}", "python -m bench cost", dict(counted))


def total_of(prompts: Mapping[str, Mapping[str, int]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for counted in prompts.values():
        total.update(counted)
    return total


def cost(counted: Mapping[str, int], plain: float) -> float:
    """Return what the input costs in plain tokens, every token that is not served from the cache at `plain`."""
    return plain * (counted["sent"] - counted["cached"]) + READ * counted["cached"]
