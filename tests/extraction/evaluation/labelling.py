"""Gold files over the standard document, and artifacts that say exactly what the labels say."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from extraction.evaluation.evaluate import score_lane
from extraction.evaluation.found import RECORDS, read_artifact
from extraction.evaluation.gold import Gold, read_gold
from extraction.evaluation.scores import LaneScore
from extraction.identity import comparison_key, item_id, npc_id
from extraction.source.documents import SourceDocument
from extraction.source.index import DocumentIndex
from tests.extraction import story

INDEX = DocumentIndex(story.DOCUMENT)
Json = dict[str, Any]
PARTY = [{"name": "Sister Corwen", "also": ["Corwen"]}, {"name": "Pike"}]
GOLD_ONLY = {"also", "also_refs", "optional", "note", "alternatives"}


def refs(*pairs: tuple[int, int] | int) -> list[Json]:
    both = [(each, each) if isinstance(each, int) else each for each in pairs]
    return [{"start_unit_id": start, "end_unit_id": end} for start, end in both]


def gold_bytes(lanes: Mapping[str, Sequence[Json] | Json], **top: object) -> bytes:
    """Return a gold file; a lane is its records, or the whole object where more than records stands in it."""
    bodies = {key: dict(body) if isinstance(body, Mapping) else {"records": list(body)} for key, body in lanes.items()}
    return json.dumps({"schema": "notarius.gold.v1", "party": PARTY, **top, "lanes": bodies}).encode()


def gold_of(lanes: Mapping[str, Sequence[Json] | Json], **top: object) -> Gold:
    return read_gold(gold_bytes(lanes, **top), INDEX, "gold.json")


def artifact_bytes(lane: str, records: Sequence[Json], document: SourceDocument = story.DOCUMENT) -> bytes:
    source = {"source_id": document.source_id, "digest": document.digest, "unit_count": len(document.units)}
    schema = f"notarius.dnd.{lane.removeprefix('dnd/')}.v1"
    return orjson.dumps({"schema": schema, "source": source, RECORDS[lane][0]: list(records)})


def scored(
    gold: Gold, lane: str, records: Sequence[Json], members: Mapping[str, tuple[str, ...]] | None = None
) -> LaneScore:
    """Score records given without source and ids, as the labels are; both are added here."""
    document = gold.index.document
    whole = [durable(lane, record, document) for record in records]
    return score_lane(gold, read_artifact(artifact_bytes(lane, whole, document), gold.index, "artifact.json", members))


def durable(lane: str, record: Json, document: SourceDocument = story.DOCUMENT) -> Json:
    """Return the record as a lane would publish it: what belongs to gold files left out, ids and source put in."""
    made = {key: value for key, value in record.items() if key not in GOLD_ONLY}
    if "source_refs" in made:
        made["source_refs"] = [{**each, "source_id": document.source_id} for each in made["source_refs"]]
    key = comparison_key(str(made.get("name", "")))
    if lane == "dnd/npcs":
        made["id"] = npc_id(key)
    if lane == "dnd/items":
        made["id"] = item_id(key)
    if lane == "dnd/locations":
        made["id"] = f"location:sha256:{made['source_refs'][0]['start_unit_id']:064x}"
    if lane.endswith("-occurrences"):
        kind = lane.removeprefix("dnd/").removesuffix("-occurrences")
        made[f"{kind}_id"] = f"{kind}:sha256:{0:064x}"
    defaults: dict[str, Json] = {
        "dnd/item-occurrences": {"actor": None, "recipient": None, "detail": None},
        "dnd/spells": {"level": None, "targets": [], "outcome": None},
        "dnd/combat-turns": {"round": None, "actions": [action("other")], "summary": "Something is done."},
        "dnd/enemy-events": {"detail": "Something happens.", "actor": None},
        "dnd/scenes": {"title": "A scene"},
    }
    return {**defaults.get(lane, {}), **{name: value for name, value in made.items() if value != []}}


def action(category: str, *targets: str) -> Json:
    return {"category": category, "declaration": "does it", "targets": list(targets), "resolution": None}


def entity(name: str, *pairs: tuple[int, int] | int, **more: object) -> Json:
    return {"name": name, "source_refs": refs(*pairs), **more}


def occurrence(name: str, kind: str, *pairs: tuple[int, int] | int, **more: object) -> Json:
    return {"name": name, "kind": kind, "source_refs": refs(*pairs), **more}


def turn(actor: str, *pairs: tuple[int, int] | int, kind: str = "turn", **more: object) -> Json:
    return {"actor": actor, "turn_kind": kind, "source_refs": refs(*pairs), **more}


def spell(caster: str, name: str, *pairs: tuple[int, int] | int, **more: object) -> Json:
    return {"caster": caster, "spell": name, "source_refs": refs(*pairs), **more}


def event(enemy: str, kind: str, *pairs: tuple[int, int] | int, **more: object) -> Json:
    return {"enemy": enemy, "kind": kind, "source_refs": refs(*pairs), **more}


def scene(start: int, end: int, mode: str = "social", **more: object) -> Json:
    return {"primary_mode": mode, "start_unit_id": start, "end_unit_id": end, **more}
