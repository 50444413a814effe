"""The assembled pipeline: ten lanes in order over one document, each with what the ones before it gave."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from django.conf import settings
from jsonschema import Draft202012Validator

from campaigns.actions import plans
from campaigns.adapters.providers import profiles
from campaigns.models import ArtifactVersion, Run
from extraction.registry import LANES
from tests.campaigns.pipelines.conftest import RunPipeline
from tests.campaigns.pipelines.storyteller import PROMPTS, RECONCILES, Storyteller

READERS = ("dnd/npc-occurrences", "dnd/spells", "dnd/combat-turns", "dnd/enemy-events")


def payload(lane: str) -> dict[str, Any]:
    found: dict[str, Any] = orjson.loads(ArtifactVersion.objects.get(artifact__lane=lane).payload)
    return found


@pytest.mark.parametrize("layout", ["lane", "envelope"])
def test_complete_makes_ten_valid_artifacts(
    model: Storyteller, run_inline: RunPipeline, monkeypatch: pytest.MonkeyPatch, layout: str
) -> None:
    monkeypatch.setenv("NOTARIUS_LLM_BASE_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("NOTARIUS_LLM_MODEL", "test-model")
    monkeypatch.setenv("NOTARIUS_LLM_SCHEMA_LAYOUT", layout)
    run = run_inline()

    assert run.state == Run.State.SUCCEEDED
    assert set(run.lanes.values_list("key", flat=True)) == set(LANES)
    assert set(model.calls()) == PROMPTS
    for lane in LANES.values():
        schema = settings.ASSETS_DIR / "dnd" / lane.family.replace("-", "_") / "artifact.schema.json"
        Draft202012Validator(orjson.loads(schema.read_bytes())).validate(payload(lane.key))
        assert payload(lane.key)[lane.records_key] != []
    shared = {request.prompt_id for request in model.requests if request.schema_name == "answers"}
    chunked = {lane.extract.prompt for lane in LANES.values() if lane.shares_chunks}
    assert shared == (chunked if layout == "envelope" else set())


def test_reconciled_registry_reaches_every_lane_that_reads_it(model: Storyteller, run_inline: RunPipeline) -> None:
    run_inline()

    canonical = [npc["name"] for npc in payload("dnd/npcs")["npcs"]]
    assert "Aurelio Voss" in canonical
    assert "Captain Voss" not in canonical
    for lane in READERS:
        for request in model.of(f"{lane}.extract"):
            shown: Any = request.materials["npcs"]
            names = shown if lane == "dnd/npc-occurrences" else [npc["name"] for npc in shown]
            assert names == canonical
    turn_materials: Any = model.of("dnd/combat-turns.extract")[0].materials["npcs"]
    assert {"name": "Aurelio Voss", "other_names": ["Captain Voss"]} in turn_materials


def test_names_that_were_united_become_canonical_downstream(model: Storyteller, run_inline: RunPipeline) -> None:
    run_inline()

    (turn,) = payload("dnd/combat-turns")["turns"]
    (event,) = payload("dnd/enemy-events")["events"]
    (spell,) = payload("dnd/spells")["spells"]
    assert (turn["actor"], event["enemy"], spell["targets"]) == ("Aurelio Voss", "Aurelio Voss", ["Aurelio Voss"])
    npcs = {npc["id"]: npc["name"] for npc in payload("dnd/npcs")["npcs"]}
    met = payload("dnd/npc-occurrences")["occurrences"]
    assert {(each["npc_id"], each["name"]) for each in met} == set(npcs.items())


def test_registry_evidence_never_becomes_evidence_of_what_reads_it(model: Storyteller, run_inline: RunPipeline) -> None:
    run_inline()

    (turn,) = payload("dnd/combat-turns")["turns"]
    assert [(ref["start_unit_id"], ref["end_unit_id"]) for ref in turn["source_refs"]] == [(209, 209)]


def test_no_durable_id_or_digest_is_sent(model: Storyteller, run_inline: RunPipeline) -> None:
    run_inline()

    digests = ArtifactVersion.objects.values_list("digest", flat=True)
    sent = "\n".join(message.content for request in model.requests for message in request.messages)
    assert ":sha256:" not in sent
    assert [digest for digest in digests if digest in sent] == []


@pytest.mark.parametrize(
    ("pipelines", "expected"),
    [
        pytest.param(["complete"], {"scenes": (1, "run"), "npcs": (1, "run")}, id="in-run"),
        pytest.param(["npcs-only", "combat"], {"npcs": (1, "latest")}, id="independent"),
        pytest.param(["combat"], {}, id="nothing-published"),
    ],
)
def test_manifest_records_what_bound_and_why(
    model: Storyteller, run_inline: RunPipeline, pipelines: list[str], expected: dict[str, tuple[int, str]]
) -> None:
    for name in pipelines:
        run_inline("--pipeline", name)

    bound = ArtifactVersion.objects.get(artifact__lane="dnd/combat-turns").manifest["references"]
    assert {slot: (each["version"], each["why"]) for slot, each in bound.items()} == expected
    assert all(each["lane"] == f"dnd/{slot}" and len(each["digest"]) == 64 for slot, each in bound.items())


def test_every_model_backed_stage_of_complete_is_tried_three_times() -> None:
    for lane in plans.plan_of(plans.default_pipeline(), profiles()):
        assert lane.retries.extract == 2
        assert lane.retries.normalize == (2 if LANES[lane.lane].proposal is not None else 0)


def test_lanes_of_a_step_begin_at_spread_chunks(model: Storyteller, run_inline: RunPipeline) -> None:
    run_inline()

    first = {}
    for lane in ("dnd/npcs", "dnd/items", "dnd/locations", "dnd/scenes"):
        transcript: Any = model.of(f"{lane}.extract")[0].materials["transcript"]
        first[lane] = transcript[0]["unit_id"]
    assert first == {"dnd/npcs": 41, "dnd/items": 7, "dnd/locations": 203, "dnd/scenes": 41}


def test_start_at_counts_only_lanes_that_share_chunks_and_profile() -> None:
    plan = plans.from_json(
        plans.to_json(
            [
                plans.PlannedLane("dnd/scenes", 0, "a"),
                plans.PlannedLane("dnd/npcs", 0, "a"),
                plans.PlannedLane("dnd/items", 0, "b"),
                plans.PlannedLane("dnd/locations", 0, "a"),
                plans.PlannedLane("dnd/spells", 1, "a"),
            ]
        )
    )

    starts = {key: plans.start_at(plan, key) for key in plan}
    assert starts == {
        "dnd/scenes": 0,
        "dnd/npcs": 0,
        "dnd/items": 0,
        "dnd/locations": 0.5,
        "dnd/spells": 0,
    }


def test_reconcile_is_asked_once_for_each_registry(model: Storyteller, run_inline: RunPipeline) -> None:
    run_inline()

    assert [model.calls()[prompt] for prompt in RECONCILES] == [1, 1, 1]
