"""The embedded rules for items and places over whole transcripts: the sample campaign, and real sessions if at hand."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import orjson
import pytest
from jsonschema import Draft202012Validator

from extraction.canonical import JsonValue, canonical_json
from extraction.codes import Code
from extraction.dnd.artifacts.schemas import ARTIFACTS
from extraction.dnd.shared.roster import party_keys
from extraction.identity import comparison_key
from extraction.ingest import read_transcript
from extraction.lanes.job import LaneResult
from extraction.lanes.ports import LanePorts
from extraction.lanes.run import run_lane
from extraction.llm.profiles import Profile
from extraction.llm.rules import RulesClient
from extraction.registry import LANES
from extraction.source.documents import SourceDocument
from extraction.source.index import DocumentIndex
from tests.extraction.story import ASSETS, make_job
from tests.leaks import Leaks

SAMPLE = ASSETS / "sample"
FILES = {1: "session-1.json", 2: "session-2.vtt", 3: "session-3.md"}
SESSIONS = pytest.mark.parametrize("number", FILES)
FAMILIES = pytest.mark.parametrize("family", ["items", "locations"])
# A modest baseline: most things of the sample have no name of their own, and then the rules say nothing.
PRECISION = {"items": 0.6, "locations": 0.9}
RECALL = {"items": 0.4, "locations": 0.7}
_SMALL = frozenset({"a", "an", "the", "of", "at", "with", "it", "s", "is", "that", "there", "has", "he", "in", "for"})


@cache
def facts(number: int, family: str) -> list[dict[str, Any]]:
    """Return the session's entries, each with the units that show it and the words it goes by."""
    session = tomllib.loads((SAMPLE / "facts.toml").read_text(encoding="utf-8"))[f"session_{number}"]
    entries = []
    for entry in session[family.removesuffix("s")]:
        units = {unit for mention in entry["mention"] for unit in mention["units"]}
        if family == "items":
            units |= {event["unit"] for event in session["item_event"] if event["item"] == entry["name"]}
        said = " ".join([entry["name"], *(mention["surface"] for mention in entry["mention"])])
        entries.append({"name": entry["name"], "units": units, "words": words(said)})
    return entries


def words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z]+", text.lower())) - _SMALL


@cache
def table() -> dict[str, JsonValue]:
    campaign = tomllib.loads((SAMPLE / "campaign.toml").read_text(encoding="utf-8"))
    return {slot: campaign[slot] for slot in ("gm", "party", "glossary")}


@cache
def document(number: int) -> SourceDocument:
    file = SAMPLE / FILES[number]
    read = read_transcript(file.read_bytes(), filename=file.name)
    return SourceDocument(f"glass-tithe.s{number}.t1", read.units, read.title)


@cache
def result(number: int, family: str) -> LaneResult:
    job = make_job(RulesClient(), document=document(number), table=table(), profile=Profile())
    return run_lane(LANES[f"dnd/{family}"], job, LanePorts())


def records(made: LaneResult, family: str) -> list[dict[str, Any]]:
    found: Any = made.payload[family]
    return list(found)


def cited(record: dict[str, Any], read: SourceDocument) -> set[int]:
    index = DocumentIndex(read)
    return {
        index.unit_at(at).unit_id
        for ref in record["source_refs"]
        for at in range(index.position(ref["start_unit_id"]), index.position(ref["end_unit_id"]) + 1)
    }


def known(record: dict[str, Any], number: int, family: str) -> list[str]:
    """Return the entries that the record's evidence and name both fit."""
    shown, said = cited(record, document(number)), words(record["name"])
    return [entry["name"] for entry in facts(number, family) if entry["units"] & shown and entry["words"] & said]


def validate(made: LaneResult, family: str) -> None:
    payload = orjson.loads(canonical_json(made.payload))
    schema = orjson.loads((ASSETS / "dnd" / family / "artifact.schema.json").read_bytes())
    Draft202012Validator(schema).validate(payload)
    ARTIFACTS[family].model_validate_json(canonical_json(payload))


@FAMILIES
@SESSIONS
def test_lane_finishes_with_an_artifact_that_satisfies_its_schema(number: int, family: str) -> None:
    made = result(number, family)
    validate(made, family)

    assert len(records(made, family)) == made.record_count > 0


@FAMILIES
def test_rules_report_mostly_what_is_there_and_find_what_is_named(family: str) -> None:
    fits = [known(record, number, family) for number in FILES for record in records(result(number, family), family)]
    there = sum(len(facts(number, family)) for number in FILES)
    found = {
        (number, name)
        for number in FILES
        for record in records(result(number, family), family)
        for name in known(record, number, family)[:1]
    }

    assert sum(bool(names) for names in fits) / len(fits) >= PRECISION[family]
    assert len(found) / there >= RECALL[family]


@SESSIONS
def test_two_places_of_one_name_do_not_end_merged(number: int) -> None:
    base = [(entry["name"].partition(" (")[0], entry["units"]) for entry in facts(number, "locations")]
    twins = [(one, other) for (name, one), (same, other) in combinations(base, 2) if name == same]
    shown = [cited(record, document(number)) for record in records(result(number, "locations"), "locations")]
    mixed = [units for units in shown for one, other in twins if units & (one - other) and units & (other - one)]

    assert twins
    assert mixed == []


def test_place_named_in_several_scenes_ends_as_one_record() -> None:
    names = [record["name"] for record in records(result(1, "locations"), "locations")]

    assert names.count("Callow Weir") == names.count("Oskerby") == names.count("Sill Road") == 1
    assert names.count("Widow's Well") > 1


@FAMILIES
@SESSIONS
def test_nobody_of_the_table_is_reported(number: int, family: str) -> None:
    found = {comparison_key(record["name"]) for record in records(result(number, family), family)}

    assert found & party_keys(table()) == set()


@FAMILIES
@SESSIONS
def test_findings_and_manifest_hold_no_content(number: int, family: str) -> None:
    made = result(number, family)
    said = {word for record in records(made, family) for word in record["name"].split() if len(word) > 5}
    texts = [unit.text for unit in document(number).units if len(unit.text) > 12]

    assert Leaks((*said, *texts)).found_in([canonical_json(made.manifest).decode(), *made.findings]) == []


@FAMILIES
def test_result_is_equal_bytes_whenever_it_is_made(family: str) -> None:
    job = make_job(RulesClient(), document=document(2), table=table(), profile=Profile())
    again = run_lane(LANES[f"dnd/{family}"], job, LanePorts())

    assert canonical_json(again.payload) == canonical_json(result(2, family).payload)


@FAMILIES
@pytest.mark.parametrize("session", ["C1E104", "C2E037"])
def test_lane_finishes_on_a_real_session(session: str, family: str, shared_dir: Path) -> None:
    """Thousands of turns of speech as it was, without a roster: never an error, and every proposed group is safe."""
    file = shared_dir / "data" / "crd3" / f"{session}.json"
    if not file.is_file():
        pytest.skip("the session is not there")
    units = read_transcript(file.read_bytes(), filename=file.name).units
    job = make_job(RulesClient(), document=SourceDocument("real.s1.t1", units), table={}, profile=Profile())
    made = run_lane(LANES[f"dnd/{family}"], job, LanePorts())
    validate(made, family)

    assert made.record_count > 0
    assert Code.RECONCILE_OMITTED not in {finding.code for finding in made.findings}
