"""Lanes that ask one question a page and settle the rest by rule: how the tests answer and run them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from extraction.canonical import JsonValue
from extraction.codes import Code
from extraction.findings import Finding
from extraction.identity import npc_id
from extraction.lanes.job import BoundReference, LaneResult
from extraction.lanes.ports import LanePorts
from extraction.lanes.run import run_lane
from extraction.llm.boundary import StructuredClient, StructuredRequest
from extraction.llm.scripted import ScriptedClient
from extraction.registry import LANES
from tests.extraction import story

Pages = Mapping[int, Sequence[Mapping[str, JsonValue]]]


def answering(key: str, pages: Pages) -> ScriptedClient:
    """Answer each page by its first unit; a page that is not named has an empty list."""

    def answer(request: StructuredRequest) -> JsonValue:
        return {LANES[key].records_key: list(pages.get(story.first_unit(request), ()))}

    return ScriptedClient(answer)


def run(key: str, client: StructuredClient, ports: LanePorts | None = None, **changes: Any) -> LaneResult:
    return run_lane(LANES[key], story.make_job(client, **changes), ports or LanePorts())


def records(result: LaneResult) -> list[dict[str, Any]]:
    (found,) = [value for name, value in result.payload.items() if name not in {"schema", "source"}]
    assert isinstance(found, list)
    return list(found)


def pairs(record: Mapping[str, Any]) -> list[tuple[int, int]]:
    return [(ref["start_unit_id"], ref["end_unit_id"]) for ref in record["source_refs"]]


def codes(findings: Sequence[Finding]) -> list[Code]:
    return [finding.code for finding in findings]


def npcs(*names: str, members: Mapping[str, Sequence[str]] | None = None) -> dict[str, BoundReference]:
    """The slot of a published NPC registry; `members` by canonical name, everybody proven by unit 44."""
    entries: list[JsonValue] = [
        {"id": npc_id(name.casefold()), "name": name, "source_refs": [story.ref(44, 44).as_json()]} for name in names
    ]
    joined = {npc_id(name.casefold()): tuple(known) for name, known in (members or {}).items()}
    payload: dict[str, JsonValue] = {"schema": "notarius.dnd.npcs.v1", "npcs": entries}
    return {"npcs": BoundReference("dnd/npcs", payload, joined, version=3, why="test")}


def scenes(*spans: tuple[str, int, int]) -> dict[str, BoundReference]:
    """The slot of a scene list: mode, first unit, last unit."""
    listed: list[JsonValue] = [
        {"title": "A scene", "primary_mode": mode, "start_unit_id": start, "end_unit_id": end}
        for mode, start, end in spans
    ]
    return {"scenes": BoundReference("dnd/scenes", {"scenes": listed})}
