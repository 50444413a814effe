"""The embedded rules over the sample campaign, through the lane, against what its fact sheet knows of the fights."""

from __future__ import annotations

import json
import tomllib
from functools import cache
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from extraction.canonical import JsonValue
from extraction.ingest import read_transcript
from extraction.lanes.job import LaneResult
from extraction.llm.profiles import Profile
from extraction.llm.rules import RulesClient
from extraction.source.documents import SourceDocument
from tests.extraction.dnd.one_chunk_lanes import npcs, pairs, records, run
from tests.extraction.story import ASSETS

KEY = "dnd/enemy-events"
SAMPLE = ASSETS / "sample"
FILES = {1: "session-1.json", 2: "session-2.vtt", 3: "session-3.md"}
# The fact sheet's word for how a fight ends for somebody, and ours.
ENDINGS = {"defeated": "defeated", "knocked_out": "defeated", "fled": "flees", "surrendered": "surrenders"}

# Damage that a character does to an enemy: the unit that says how much, and the number. The sheet has none.
BLOWS = {
    1: [(1750, 19), (1762, 14), (1778, 15), (1786, 13), (1806, 7)],
    2: [(114, 19), (142, 13), (159, 11), (196, 9), (242, 12), (242, 10), (253, 18), (257, 20), (277, 31)],
    3: [(211, 18), (222, 21), (251, 9), (257, 10), (257, 7)],
}


@cache
def facts(number: int) -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((SAMPLE / "facts.toml").read_text(encoding="utf-8"))[f"session_{number}"]
    return found


@cache
def document(number: int) -> SourceDocument:
    name = FILES[number]
    return SourceDocument(f"sample.s{number}.t1", read_transcript((SAMPLE / name).read_bytes(), filename=name).units)


@cache
def result(number: int) -> LaneResult:
    campaign = tomllib.loads((SAMPLE / "campaign.toml").read_text(encoding="utf-8"))
    table: dict[str, JsonValue] = {slot: campaign[slot] for slot in ("gm", "party", "glossary")}
    known = npcs(*(entry["name"] for entry in facts(number)["npc"]))
    return run(KEY, RulesClient(), document=document(number), table=table, profile=Profile(), references=known)


def positions(number: int) -> dict[int, int]:
    return {unit.unit_id if number == 1 else at + 1: at for at, unit in enumerate(document(number).units)}


def placed(number: int) -> list[tuple[str, int]]:
    at = {unit.unit_id: place for place, unit in enumerate(document(number).units)}
    return [(one["kind"], at[pairs(one)[-1][1]]) for one in records(result(number))]


def blows_reported(number: int) -> list[tuple[int, int]]:
    """Return the place of each blow's last unit with the number of its detail."""
    at = {unit.unit_id: place for place, unit in enumerate(document(number).units)}
    damaged = (one for one in records(result(number)) if one["kind"] == "damaged")
    return [(at[pairs(one)[-1][1]], int(one["detail"].split()[1])) for one in damaged]


def test_rules_report_endings_only_where_the_fact_sheet_has_one() -> None:
    known = {
        (number, ENDINGS[one["event"]], positions(number)[one["unit"]])
        for number in FILES
        for one in facts(number)["enemy_event"]
        if one["event"] in ENDINGS
    }
    reported = {(n, kind, at) for n in FILES for kind, at in placed(n) if kind in ENDINGS.values()}

    assert reported <= known
    assert len(reported) >= 0.5 * len(known)


def test_rules_report_most_blows_on_enemies_with_the_numbers_that_were_said() -> None:
    known = {(number, positions(number)[unit], amount) for number, blows in BLOWS.items() for unit, amount in blows}
    reported = [(number, at, amount) for number in FILES for at, amount in blows_reported(number)]

    assert len(set(reported)) == len(reported)
    assert set(reported) <= known
    assert len(reported) >= 0.55 * len(known)


@pytest.mark.parametrize("number", FILES)
def test_rules_report_nothing_outside_the_fights(number: int) -> None:
    places = positions(number)
    fights = [range(places[one["from"]] - 8, places[one["to"]] + 1) for one in facts(number)["fight"]]

    assert placed(number)
    assert [at for _, at in placed(number) if not any(at in fight for fight in fights)] == []


@pytest.mark.parametrize("number", FILES)
def test_rules_report_no_character_as_an_enemy(number: int) -> None:
    campaign = tomllib.loads((SAMPLE / "campaign.toml").read_text(encoding="utf-8"))
    characters = {name for one in campaign["party"] for name in (one["character"], *one["other_names"])}

    assert {one["enemy"] for one in records(result(number))} & characters == set()


@pytest.mark.parametrize("number", FILES)
def test_rules_artifact_satisfies_its_schema(number: int) -> None:
    schema = json.loads((ASSETS / "dnd" / "enemy_events" / "artifact.schema.json").read_text(encoding="utf-8"))

    assert list(Draft202012Validator(schema).iter_errors(result(number).payload)) == []
