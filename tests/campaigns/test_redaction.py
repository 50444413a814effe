"""What readers without a right to the transcript get of an artifact: facts, and none of the table's words."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import orjson
import pytest
from jsonschema import Draft202012Validator

from campaigns.redaction import without_words
from extraction.canonical import canonical_json
from extraction.ingest import read_transcript
from extraction.lanes.job import BoundReference, LaneJob
from extraction.lanes.ports import LanePorts
from extraction.lanes.run import run_lane
from extraction.llm.profiles import Profile
from extraction.llm.rules import RulesClient
from extraction.registry import LANES
from extraction.source.documents import SourceDocument
from tests.extraction import story

SAMPLE = Path(__file__).parents[2] / "assets" / "sample" / "session-2.vtt"
RUN = 5
WORD = re.compile(r"[^\W_]+")


def runs(text: str) -> set[tuple[str, ...]]:
    words = WORD.findall(text.casefold())
    return {tuple(words[at : at + RUN]) for at in range(len(words) - RUN + 1)}


@pytest.fixture(scope="module")
def artifacts() -> dict[str, Any]:
    """All ten artifacts of a sample session, as the embedded reader makes them."""
    document = SourceDocument("glass-tithe.s2.t1", read_transcript(SAMPLE.read_bytes()).units)
    made: dict[str, Any] = {}
    for key, lane in LANES.items():
        bound = {name: BoundReference(slot.lane, made[slot.lane]) for name, slot in lane.slots.items()}
        job = LaneJob(document, story.CATALOG, RulesClient(), Profile(), {}, references=bound)
        made[key] = run_lane(lane, job, LanePorts()).payload
    return made


@pytest.mark.parametrize("key", LANES)
def test_artifact_without_words_repeats_nothing_that_was_said(key: str, artifacts: dict[str, Any]) -> None:
    said = {run for unit in read_transcript(SAMPLE.read_bytes()).units for run in runs(unit.text)}
    family = key.partition("/")[2]
    served = orjson.loads(without_words(family, canonical_json(artifacts[key]).decode()))

    def texts(node: object) -> list[str]:
        if isinstance(node, dict):
            return [text for value in node.values() for text in texts(value)]
        if isinstance(node, list):
            return [text for value in node for text in texts(value)]
        return [node] if isinstance(node, str) else []

    assert not said & {run for text in texts(served) for run in runs(text)}


@pytest.mark.parametrize("key", LANES)
def test_artifact_without_words_keeps_its_shape_and_its_evidence(key: str, artifacts: dict[str, Any]) -> None:
    family = key.partition("/")[2]
    whole = orjson.loads(canonical_json(artifacts[key]))
    served = orjson.loads(without_words(family, canonical_json(artifacts[key]).decode()))
    schema = orjson.loads((story.ASSETS / "dnd" / family.replace("-", "_") / "artifact.schema.json").read_bytes())
    Draft202012Validator(schema).validate(served)
    records = next(name for name in whole if name not in ("schema", "source"))

    assert len(served[records]) == len(whole[records]) > 0
    assert [record.get("source_refs") for record in served[records]] == [
        record.get("source_refs") for record in whole[records]
    ]
