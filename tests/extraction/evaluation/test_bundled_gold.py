"""The labels of the sample campaign's first session: sound, complete, and of use to measure the embedded rules."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Any

import pytest

from extraction.canonical import canonical_json
from extraction.dnd.artifacts.schemas import ARTIFACTS
from extraction.evaluation.evaluate import score_lane
from extraction.evaluation.found import RECORDS, read_artifact
from extraction.evaluation.gold import Gold, read_gold
from extraction.evaluation.labels import EntityLabel
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
from tests.extraction.evaluation.labelling import artifact_bytes, durable, scored
from tests.extraction.story import ASSETS, make_job

SAMPLE = ASSETS / "sample"
GOLD = SAMPLE / "gold" / "session-1.json"
# The rules are a modest baseline: they reach 0.85 and 0.82.
PRECISION, RECALL = 0.7, 0.7
REGISTRIES = ("dnd/npcs", "dnd/items", "dnd/locations")
# Small words and titles prove nothing about who is meant.
WEAK = {"the", "of", "a", "an", "in", "that", "with", "on", "by", "one"}


@cache
def gold() -> Gold:
    file = SAMPLE / "session-1.json"
    read = read_transcript(file.read_bytes(), filename=file.name)
    index = DocumentIndex(SourceDocument("glass-tithe.s1.t1", read.units, read.title))
    return read_gold(GOLD.read_bytes(), index, GOLD.name)


@cache
def npcs_by_rules() -> LaneResult:
    campaign = tomllib.loads((SAMPLE / "campaign.toml").read_text(encoding="utf-8"))
    table = {slot: campaign[slot] for slot in ("gm", "party", "glossary")}
    job = make_job(RulesClient(), document=gold().index.document, table=table, profile=Profile())
    return run_lane(LANES["dnd/npcs"], job, LanePorts())


def labelled(lane: str) -> list[dict[str, Any]]:
    """Return the lane's labels as they would stand in an artifact."""
    records = gold().file.lanes.by_key()[lane].records
    return [durable(lane, record.model_dump(exclude_unset=True), gold().index.document) for record in records]


def facts() -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((SAMPLE / "facts.toml").read_text(encoding="utf-8"))["session_1"]
    return found


def test_bundled_gold_labels_all_lanes_of_this_very_transcript() -> None:
    assert set(gold().lanes) == set(RECORDS)
    assert gold().file.transcript_digest == gold().index.document.digest


@pytest.mark.parametrize("lane", RECORDS)
def test_bundled_gold_scores_itself_perfectly(lane: str) -> None:
    score = scored(gold(), lane, labelled(lane))
    shares = (score.precision, score.recall, score.f1, score.evidence_precision, score.evidence_recall, score.order)

    assert {value for value in shares if value is not None} == {1.0}
    assert (score.missed, score.unexpected) == ((), ())


@pytest.mark.parametrize("lane", RECORDS)
def test_bundled_labels_are_records_that_the_durable_model_takes(lane: str) -> None:
    model = ARTIFACTS[lane.removeprefix("dnd/").replace("-", "_")]

    assert model.model_validate_json(artifact_bytes(lane, labelled(lane), gold().index.document))


@pytest.mark.parametrize("lane", REGISTRIES)
def test_every_unit_cited_for_an_identity_says_one_of_its_names(lane: str) -> None:
    records = gold().file.lanes.registries()[lane].records
    silent = [
        (record.name, unit.unit_id)
        for record in records
        for unit in (gold().index.unit_at(at) for at in sorted(gold().positions(record.source_refs)))
        if not words_of(record) & set(words(unit.text))
    ]

    assert silent == []


def test_bundled_gold_has_the_people_spells_and_fight_that_the_facts_list() -> None:
    lanes = gold().file.lanes
    assert lanes.npcs is not None
    assert lanes.spells is not None
    assert lanes.combat_turns is not None
    names = [{comparison_key(name) for name in (each.name, *each.also)} for each in lanes.npcs.records]
    people = [each["name"] for each in facts()["npc"] if each["named"]]

    assert all(any(comparison_key(name) in group for group in names) for name in people)
    assert [(each.caster, each.spell) for each in lanes.spells.records] == [
        (each["caster"], each["spell"]) for each in facts()["spell"]
    ]
    assert [(each.actor, each.turn_kind, each.round) for each in lanes.combat_turns.records] == [
        (each["actor"], each["kind"], each.get("round")) for each in facts()["fight_record"]
    ]


def test_rules_find_most_npcs_of_the_bundled_gold() -> None:
    artifact = read_artifact(canonical_json(npcs_by_rules().payload), gold().index, "npcs.json")
    score = score_lane(gold(), artifact)

    assert score.precision is not None
    assert score.recall is not None
    assert score.precision >= PRECISION, score.unexpected
    assert score.recall >= RECALL, score.missed
    assert score.details["party_reported"] == 0
    assert score.false_merges == 0


def words(text: str) -> list[str]:
    return [word.strip(".,!?:;'\"()").removesuffix("'s") for word in comparison_key(text).replace("-", " ").split()]


def words_of(record: EntityLabel) -> set[str]:
    return {word for name in (record.name, *record.also) for word in words(name)} - WEAK
