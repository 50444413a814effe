"""Items and places of the standard document: what a model answers, and jobs that ask a script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from extraction.canonical import JsonValue
from extraction.dnd.artifacts.registry import Entity
from extraction.lanes.job import LaneResult
from extraction.lanes.lane import Scope
from extraction.lanes.ports import LanePorts
from extraction.lanes.run import run_lane
from extraction.llm.scripted import ScriptedClient
from extraction.registry import LANES
from tests.extraction import story

Pairs = Sequence[tuple[int, int]]
Said = tuple[str, Pairs]
PAGES = (41, 7, 203)
"""The first unit of each page."""


def client(family: str, pages: Mapping[int, Sequence[Said]], *proposals: JsonValue | Exception) -> ScriptedClient:
    """A client that answers each page with these names, and the question which are one with these proposals."""
    scripted = ScriptedClient(lambda request: reply(family, pages.get(story.first_unit(request), ())))
    scripted.enqueue(f"dnd/{family}.reconcile", *proposals)
    return scripted


def reply(family: str, said: Sequence[Said]) -> dict[str, JsonValue]:
    return {family: [{"name": name, "source_refs": story.ranges(pairs)} for name, pairs in said]}


def run(family: str, scripted: ScriptedClient, ports: LanePorts | None = None, **changes: Any) -> LaneResult:
    return run_lane(LANES[f"dnd/{family}"], story.make_job(scripted, **changes), ports or LanePorts())


def records(result: LaneResult, family: str) -> list[tuple[str, list[tuple[int, int]]]]:
    found: Any = result.payload[family]
    return [(one["name"], [(ref["start_unit_id"], ref["end_unit_id"]) for ref in one["source_refs"]]) for one in found]


def ids(result: LaneResult, family: str) -> list[str]:
    found: Any = result.payload[family]
    return [one["id"] for one in found]


def entity(identify: Any, scope: Scope, name: str, *pairs: tuple[int, int]) -> Entity:
    refs = tuple(story.ref(*pair, source_id=scope.index.source_id) for pair in pairs)
    return Entity(identify(name, refs, scope), name, refs)
