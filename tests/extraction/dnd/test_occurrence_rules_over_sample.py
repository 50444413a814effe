"""The embedded rules for occurrences over the sample campaign, end to end, with registries as a reader lists them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain
from typing import Any

import orjson
import pytest
from jsonschema import Draft202012Validator

from extraction.canonical import JsonValue, canonical_json
from extraction.codes import Code
from extraction.ingest import read_transcript
from extraction.lanes.job import BoundReference, LaneResult
from extraction.lanes.ports import LanePorts
from extraction.lanes.run import run_lane
from extraction.llm.profiles import Profile
from extraction.llm.rules import RulesClient
from extraction.registry import LANES
from extraction.source.documents import SourceDocument
from extraction.source.index import DocumentIndex
from tests.extraction.dnd.occurrence_cast import durable_id, pairs_of, records_of
from tests.extraction.story import ASSETS, make_job

SAMPLE = ASSETS / "sample"
FILES = {1: "session-1.json", 2: "session-2.vtt", 3: "session-3.md"}
FACTS = {"npcs": "npc", "items": "item", "locations": "location"}
SLOTS = {"dnd/npc-occurrences": "npcs", "dnd/item-occurrences": "items", "dnd/location-occurrences": "locations"}
# The share of the places where a reader sees an NPC or a place by its full name or a part of it that the rules see.
RECALL = {"npcs": 0.9, "locations": 0.9}
SESSIONS = pytest.mark.parametrize("number", FILES)
LANE_KEYS = pytest.mark.parametrize("key", SLOTS)


@cache
def document(number: int) -> SourceDocument:
    file = SAMPLE / FILES[number]
    read = read_transcript(file.read_bytes(), filename=file.name)
    return SourceDocument(f"glass-tithe.s{number}.t1", read.units, read.title)


@cache
def facts(number: int) -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((SAMPLE / "facts.toml").read_text(encoding="utf-8"))[f"session_{number}"]
    return found


def listed(number: int, slot: str) -> list[tuple[str, tuple[int, ...]]]:
    """Return the entries a reader lists, with the units that name them. Places lose the town that tells them apart."""
    found = []
    for entry in facts(number)[FACTS[slot]]:
        if entry.get("named", True):
            units = tuple(dict.fromkeys(chain.from_iterable(mention["units"] for mention in entry["mention"])))
            found.append((entry["name"].partition(" (")[0], units))
    return found


def registry(number: int, slot: str) -> BoundReference:
    source_id = document(number).source_id
    index = DocumentIndex(document(number))
    records: list[JsonValue] = [
        {
            "id": durable_id(slot, name, [(units[0], units[0])]),
            "name": name,
            "source_refs": [
                {"source_id": source_id, "start_unit_id": unit, "end_unit_id": unit}
                for unit in sorted(units, key=index.position)
            ],
        }
        for name, units in listed(number, slot)
    ]
    return BoundReference(f"dnd/{slot}", {slot: records})


@cache
def result(number: int, key: str) -> LaneResult:
    campaign = tomllib.loads((SAMPLE / "campaign.toml").read_text(encoding="utf-8"))
    job = make_job(
        RulesClient(),
        document=document(number),
        table={slot: campaign[slot] for slot in ("gm", "party", "glossary")},
        profile=Profile(),
        references={SLOTS[key]: registry(number, SLOTS[key])},
    )
    return run_lane(LANES[key], job, LanePorts())


def cited_units(number: int, record: Mapping[str, Any]) -> Iterator[int]:
    index = DocumentIndex(document(number))
    for start, end in pairs_of(record):
        yield from (unit.unit_id for unit in index.between(index.position(start), index.position(end)))


@LANE_KEYS
@SESSIONS
def test_lane_finishes_with_an_artifact_that_satisfies_its_schema(number: int, key: str) -> None:
    folder = key.removeprefix("dnd/").replace("-", "_")
    schema = orjson.loads((ASSETS / "dnd" / folder / "artifact.schema.json").read_bytes())
    Draft202012Validator(schema).validate(orjson.loads(canonical_json(result(number, key).payload)))

    assert result(number, key).record_count > 0


@LANE_KEYS
@SESSIONS
def test_every_record_cites_text_that_says_a_word_of_the_name(number: int, key: str) -> None:
    """Apart from misheard names and possessives, which the advisory check does not know."""
    unrelated = [finding for finding in result(number, key).findings if finding.code is Code.EVIDENCE_UNRELATED]

    assert len(unrelated) <= result(number, key).record_count // 4


@pytest.mark.parametrize("key", ["dnd/npc-occurrences", "dnd/location-occurrences"])
@SESSIONS
def test_rules_see_most_places_where_a_reader_sees_a_listed_name(number: int, key: str) -> None:
    slot = SLOTS[key]
    texts = {unit.unit_id: unit.text for unit in document(number).units}
    seen = {
        (record["name"], unit) for record in records_of(result(number, key)) for unit in cited_units(number, record)
    }
    expected = {
        (name, unit)
        for name, units in listed(number, slot)
        for unit in units
        if name.removeprefix("the ") in texts[unit]
    }

    assert expected
    assert len(expected & seen) / len(expected) >= RECALL[slot]


@SESSIONS
def test_rules_keep_places_of_one_name_apart_or_leave_them_out(number: int) -> None:
    """A unit that only one of two wells or inns of a name is listed for is never given to the other."""
    entries = listed(number, "locations")
    ids = {durable_id("locations", name, [(units[0], units[0])]): units for name, units in entries}
    shared = {name for name, _ in entries if [other for other, _ in entries].count(name) > 1}
    wrong = []
    for record in records_of(result(number, "dnd/location-occurrences")):
        for unit in cited_units(number, record) if record["name"] in shared else ():
            listed_for = [entry for entry, units in ids.items() if unit in units]
            wrong += [unit] if len(listed_for) == 1 and listed_for != [record["location_id"]] else []

    assert wrong == []


def test_result_is_equal_bytes_whenever_it_is_made() -> None:
    first = {key: canonical_json(result(1, key).payload) for key in SLOTS}
    result.cache_clear()

    assert {key: canonical_json(result(1, key).payload) for key in SLOTS} == first
