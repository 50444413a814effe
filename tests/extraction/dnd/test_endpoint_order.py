"""Endpoints that a model sends in the wrong order: every family that cites evidence mends them, in one place."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson
import pytest

from extraction.canonical import JsonValue
from extraction.codes import Code
from extraction.dnd.shared import evidence
from extraction.errors import LaneFailed
from extraction.lanes.job import LaneResult, Retries
from extraction.lanes.ports import LanePorts
from extraction.lanes.run import run_lane
from extraction.llm.boundary import Exchange
from extraction.llm.profiles import Profile
from extraction.llm.scripted import ScriptedClient
from extraction.registry import LANES
from tests.extraction import story
from tests.extraction.dnd import occurrence_cast as cast
from tests.extraction.dnd.combat_turns.fight import action

FAMILIES = Path(evidence.__file__).parents[1]
WHOLE = Profile(chunk_units=60)
"""A profile under which the standard document is one chunk: one call."""

# A record of each family without its evidence, for the units 50 to 52.
RECORDS: Mapping[str, Mapping[str, JsonValue]] = {
    "dnd/npcs": {"name": "Wick"},
    "dnd/items": {"name": "Lantern"},
    "dnd/locations": {"name": "Saltwick"},
    **{family.key: {"name": family.name, "kind": family.kind, **family.fields} for family in cast.FAMILIES},
    "dnd/spells": {"caster": "Pike", "spell": "light", "level": None, "targets": [], "outcome": None},
    "dnd/combat-turns": {
        "actor": "Pike",
        "turn_kind": "turn",
        "round": None,
        "actions": [action()],
        "summary": "Swings a lantern.",
    },
    "dnd/enemy-events": {"enemy": "Wick", "kind": "appears", "detail": "comes out of the fog", "actor": None},
}
REGISTRIES = {family.key: {family.slot: family.registry} for family in cast.FAMILIES}
CITING = [key for key, lane in LANES.items() if "source_refs" in json.dumps(lane.extract.reply.model_json_schema())]
EVERY_FAMILY = pytest.mark.parametrize("key", CITING)


def reply_of(key: str, start: int, end: int) -> dict[str, JsonValue]:
    return {LANES[key].records_key: [{**RECORDS[key], "source_refs": story.ranges([(start, end)])}]}


def run(key: str, client: ScriptedClient, ports: LanePorts | None = None, **changes: Any) -> LaneResult:
    job = story.make_job(client, profile=WHOLE, references=REGISTRIES.get(key, {}), **changes)
    return run_lane(LANES[key], job, ports or LanePorts())


def test_the_evidence_of_nine_families_is_cited() -> None:
    assert set(CITING) == set(RECORDS) == set(LANES) - {"dnd/scenes"}


@EVERY_FAMILY
def test_reversed_endpoints_reach_the_artifact_as_the_forward_range_after_one_call(key: str) -> None:
    sent = reply_of(key, 52, 50)
    client = ScriptedClient(lambda _: sent)
    exchanges: list[Exchange] = []

    def record(exchange: Exchange) -> None:
        exchanges.append(exchange)

    result = run(key, client, LanePorts(record=record), retries=Retries(extract=2))
    forward = run(key, ScriptedClient(lambda _: reply_of(key, 50, 52)))

    assert result.payload == forward.payload
    assert list(cited(result)) == [(50, 52)]
    assert result.findings == forward.findings
    assert (len(client.requests), len(exchanges)) == (1, 1)
    assert orjson.loads(exchanges[0].reply) == sent


@EVERY_FAMILY
def test_an_unknown_unit_is_rejected_when_the_budget_is_spent(key: str) -> None:
    client = ScriptedClient(lambda _: reply_of(key, 9999, 50))
    with pytest.raises(LaneFailed) as failed:
        run(key, client, retries=Retries(extract=2))

    assert len(client.requests) == 3
    assert Code.EVIDENCE_UNKNOWN_UNIT in {finding.code for finding in failed.value.findings}


def test_endpoints_are_put_in_order_in_one_place_only() -> None:
    callers = {path.relative_to(FAMILIES).as_posix() for path in FAMILIES.rglob("*.py") if uses_order(path)}

    assert callers == {"shared/evidence.py"}


def cited(result: LaneResult) -> Iterator[tuple[int, int]]:
    records: Any = next(value for name, value in result.payload.items() if name not in {"schema", "source"})
    for record in records:
        yield from ((one["start_unit_id"], one["end_unit_id"]) for one in record["source_refs"])


def uses_order(path: Path) -> bool:
    """Whether the module speaks of `order_endpoints`: by import, by attribute or by bare name."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imported = {one.name.rpartition(".")[2] for one in ast.walk(tree) if isinstance(one, ast.alias)}
    named = {one.id for one in ast.walk(tree) if isinstance(one, ast.Name)}
    named |= {one.attr for one in ast.walk(tree) if isinstance(one, ast.Attribute)}
    return "order_endpoints" in imported | named
