"""A brawl on the standard document's pier: what a model may answer of it, and lanes that are asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from extraction.canonical import JsonValue
from extraction.codes import Code
from extraction.dnd.artifacts.combat_turns import CombatAction, CombatTurn
from extraction.findings import Finding
from extraction.identity import npc_id
from extraction.lanes.job import BoundReference, LaneResult
from extraction.lanes.ports import LanePorts
from extraction.lanes.run import run_lane
from extraction.llm.boundary import StructuredRequest
from extraction.llm.scripted import ScriptedClient
from extraction.registry import LANES
from tests.extraction import story

LANE = LANES["dnd/combat-turns"]
EXTRACT = "dnd/combat-turns.extract"

Pairs = Sequence[tuple[int, int]]
Pages = Mapping[int, Sequence[Mapping[str, JsonValue]]]


def action(**changes: JsonValue) -> dict[str, JsonValue]:
    given: dict[str, JsonValue] = {
        "category": "attack",
        "declaration": "swings the lantern",
        "targets": [],
        "resolution": None,
    }
    return given | changes


def turn(actor: str, refs: Pairs, *actions: Mapping[str, JsonValue], **changes: JsonValue) -> dict[str, JsonValue]:
    given: dict[str, JsonValue] = {
        "actor": actor,
        "turn_kind": "turn",
        "round": None,
        "actions": list(actions) or [action()],
        "summary": "Swings a lantern.",
        "source_refs": story.ranges(refs),
    }
    return given | changes


def answering(pages: Pages) -> ScriptedClient:
    """Answer each page by its first unit; a page that is not named has no fight."""

    def answer(request: StructuredRequest) -> JsonValue:
        return {"turns": list(pages.get(story.first_unit(request), ()))}

    return ScriptedClient(answer)


def run(client: ScriptedClient, ports: LanePorts | None = None, **changes: Any) -> LaneResult:
    return run_lane(LANE, story.make_job(client, **changes), ports or LanePorts())


def turns(result: LaneResult) -> list[dict[str, Any]]:
    records: Any = result.payload["turns"]
    return list(records)


def pairs(record: Mapping[str, Any]) -> list[tuple[int, int]]:
    return [(ref["start_unit_id"], ref["end_unit_id"]) for ref in record["source_refs"]]


def codes(findings: Sequence[Finding]) -> list[Code]:
    return [finding.code for finding in findings]


def registry(*names: str, members: Mapping[str, Sequence[str]] | None = None, unit: int = 44) -> BoundReference:
    """A published NPC registry in which everybody is proven by one unit; `members` by canonical name."""
    npcs: list[JsonValue] = [
        {"id": npc_id(name.casefold()), "name": name, "source_refs": [story.ref(unit, unit).as_json()]}
        for name in names
    ]
    joined = {npc_id(name.casefold()): tuple(known) for name, known in (members or {}).items()}
    return BoundReference("dnd/npcs", {"schema": "notarius.dnd.npcs.v1", "npcs": npcs}, joined, version=3, why="test")


def record(actor: str = "Pike", *pairs: tuple[int, int], **changes: Any) -> CombatTurn:
    """A valid record of the standard document, or one with the given changes."""
    given: dict[str, Any] = {
        "actor": actor,
        "turn_kind": "turn",
        "round": None,
        "actions": (CombatAction("attack", "throws the clapper", (), None),),
        "summary": "Throws the clapper.",
        "source_refs": tuple(story.ref(*pair) for pair in pairs or ((16, 16),)),
    }
    return CombatTurn(**given | changes)
