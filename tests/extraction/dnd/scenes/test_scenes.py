from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.codes import Code
from extraction.dnd.artifacts.scenes import Scene, ScenesArtifact
from extraction.dnd.scenes.lane import SCENES
from extraction.dnd.scenes.normalize import LONGEST, stitch
from extraction.dnd.scenes.validators import validate_partition, validate_starts
from extraction.dnd.shared.scene_chunks import SCENES_SLOT, by_scene, check_scenes, is_partition
from extraction.errors import LaneFailed
from extraction.findings import Decision, decide
from extraction.framework import ChunkLimits, Scope
from extraction.lanes.job import BoundReference, LaneJob, LaneResult, Retries
from extraction.lanes.ports import LanePorts, MemoryCheckpoints
from extraction.lanes.run import document_scope, run_lane
from extraction.llm.profiles import Profile
from extraction.llm.rules.scenes_extract import extract_scenes
from extraction.llm.scripted import ScriptedClient
from extraction.registry import LANES
from extraction.source.documents import SourceDocument, SourceUnit
from tests.extraction import story

PROMPT = "dnd/scenes.extract"
IDS = [unit.unit_id for unit in story.DOCUMENT.units]


def start(unit_id: int, title: str = "A quiet room", mode: str = "social") -> dict[str, object]:
    return {"start_unit_id": unit_id, "title": title, "primary_mode": mode}


def plan(*starts: dict[str, object]) -> Any:
    return {"scenes": list(starts)}


def run(client: ScriptedClient, ports: LanePorts | None = None, retries: int = 0) -> LaneResult:
    # One window over the whole story.
    job = story.make_job(
        client, profile=Profile(chunk_units=1_000, chunk_words=100_000), retries=Retries(extract=retries)
    )
    return run_lane(SCENES, job, ports or LanePorts())


def scenes_of(result: LaneResult) -> Any:
    return result.payload["scenes"]


def document(count: int, speakers: str = "AB") -> SourceDocument:
    units = [SourceUnit(7 * count - 7 * at, speakers[at % len(speakers)], f"word {at}") for at in range(count)]
    return SourceDocument("tale.s1.t1", tuple(units))


def scope_of(made: SourceDocument, scenes: list[Scene] | None = None) -> Scope:
    references = {}
    if scenes is not None:
        references[SCENES_SLOT] = BoundReference("dnd/scenes", {"scenes": [scene.as_json() for scene in scenes]})
    job = LaneJob(made, story.CATALOG, ScriptedClient(), Profile(), {}, references=references)
    return document_scope(job)


def test_starts_are_stitched_to_a_partition_by_position() -> None:
    client = ScriptedClient()
    client.enqueue(PROMPT, plan(start(IDS[0], "One"), start(IDS[5], "Two", "combat")))
    result = run(client)

    assert [(s["title"], s["start_unit_id"], s["end_unit_id"]) for s in scenes_of(result)] == [
        ("One", IDS[0], IDS[4]),
        ("Two", IDS[5], IDS[-1]),
    ]
    ScenesArtifact.model_validate(dict(result.payload))


@pytest.mark.parametrize(
    ("starts", "code"),
    [
        pytest.param([start(IDS[5])], Code.SCENES_NOT_A_PARTITION, id="head-of-the-document-uncovered"),
        pytest.param([start(IDS[0]), start(IDS[6]), start(IDS[3])], Code.SCENES_NOT_A_PARTITION, id="out-of-order"),
        pytest.param([start(IDS[0]), start(IDS[0])], Code.SCENES_NOT_A_PARTITION, id="two-begin-at-one-unit"),
        pytest.param([start(IDS[0]), start(99_999)], Code.EVIDENCE_OUTSIDE_CHUNK, id="unknown-unit"),
        pytest.param([start(IDS[0], " ")], Code.RECORD_SHAPE, id="no-title"),
    ],
)
def test_unusable_plan_is_rejected_and_the_window_falls_back_with_one_warning(
    starts: list[dict[str, object]], code: Code
) -> None:
    client = ScriptedClient()
    client.enqueue(PROMPT, plan(*starts))
    result = run(client)

    assert [f.code for f in result.findings] == [Code.SCENES_FALLBACK]
    assert [(s["start_unit_id"], s["end_unit_id"]) for s in scenes_of(result)] == [(IDS[0], IDS[-1])]
    assert code not in {f.code for f in result.findings}


def test_unusable_plan_is_asked_for_again_while_the_budget_lasts() -> None:
    client = ScriptedClient()
    client.enqueue(PROMPT, plan(start(IDS[3])), plan(start(IDS[0], "Good")))
    result = run(client, retries=1)

    assert [s["title"] for s in scenes_of(result)] == ["Good"]
    assert result.findings == ()


def test_fallback_is_reused_until_the_budget_grows() -> None:
    ports = LanePorts(checkpoints=MemoryCheckpoints())
    client = ScriptedClient()
    client.enqueue(PROMPT, plan(start(IDS[3])))
    run(client, ports)
    again = run(client, ports)
    client.enqueue(PROMPT, plan(start(IDS[0], "Good")))
    larger = run(client, ports, retries=1)

    assert again.findings[0].code is Code.SCENES_FALLBACK
    assert [s["title"] for s in scenes_of(larger)] == ["Good"]
    assert len(client.requests) == 2


def test_window_without_a_start_continues_the_scene_before_it() -> None:
    made = document(40)
    job = LaneJob(made, story.CATALOG, client := ScriptedClient(), Profile(chunk_units=10, chunk_words=10_000), {})
    client.enqueue(PROMPT, plan(start(made.units[0].unit_id)), plan())
    result = run_lane(SCENES, job, LanePorts())

    assert len(client.requests) == 2
    assert [s["end_unit_id"] for s in scenes_of(result)] == [made.units[-1].unit_id]


@given(st.integers(1, 700), st.sets(st.integers(1, 699), max_size=12), st.sampled_from(["A", "AB", "ABC"]))
def test_stitched_scenes_partition_any_document(count: int, cuts: set[int], speakers: str) -> None:
    made = document(count, speakers)
    scope = scope_of(made)
    places = sorted({0, *(at for at in cuts if at < count)})
    ids = [made.units[at].unit_id for at in places]
    scenes = stitch([Scene("A stretch", "other", unit_id, unit_id) for unit_id in ids], scope).value

    assert validate_partition(scenes, scope) == []
    index = scope.index
    assert all(
        index.position(scene.end_unit_id) - index.position(scene.start_unit_id) < LONGEST.units for scene in scenes
    )


@given(st.integers(1, 120), st.integers(1, 30), st.sets(st.integers(1, 119), max_size=6))
def test_chunks_by_scene_partition_the_document_and_keep_to_scenes(count: int, most: int, cuts: set[int]) -> None:
    made = document(count)
    bare = scope_of(made)
    ids = [made.units[at].unit_id for at in sorted({0, *(at for at in cuts if at < count)})]
    scenes = stitch([Scene(f"S{i}", "other", i, i) for i in ids], bare).value
    chunks = by_scene(scope_of(made, list(scenes)), ChunkLimits(most, 10_000))

    assert [at for chunk in chunks for at in range(chunk.start, chunk.end + 1)] == list(range(count))
    assert all(chunk.end - chunk.start < most for chunk in chunks)
    starts = [at for at in range(count) if made.units[at].unit_id in ids]
    within = [sum(chunk.start < at <= chunk.end for at in starts) for chunk in chunks]
    assert all(chunk.title is None for chunk, others in zip(chunks, within, strict=True) if others)


def test_mode_never_leaves_a_chunk_out() -> None:
    made = document(20)
    ids = [unit.unit_id for unit in made.units]
    scenes = [Scene("Chat", "table_talk", ids[0], ids[9]), Scene("Fight", "combat", ids[10], ids[19])]
    chunks = by_scene(scope_of(made, scenes), ChunkLimits(15, 1_000))

    assert [(chunk.start, chunk.end, chunk.primary_mode) for chunk in chunks] == [
        (0, 9, "table_talk"),
        (10, 19, "combat"),
    ]


def test_short_scenes_share_a_chunk_as_long_as_they_fit() -> None:
    made = document(20)
    ids = [unit.unit_id for unit in made.units]
    scenes = [Scene(f"S{at}", "other", ids[at], ids[at + 3]) for at in range(0, 20, 4)]
    chunks = by_scene(scope_of(made, scenes), ChunkLimits(10, 1_000))

    assert [(chunk.start, chunk.end) for chunk in chunks] == [(0, 7), (8, 15), (16, 19)]
    assert [chunk.number for chunk in chunks] == [0, 1, 2]
    assert [chunk.title for chunk in chunks] == [None, None, "S16"]


@pytest.mark.parametrize(
    ("ranges", "expected"),
    [
        pytest.param([(0, 4), (5, 9)], True, id="whole"),
        pytest.param([(0, 4), (6, 9)], False, id="gap"),
        pytest.param([(0, 5), (5, 9)], False, id="overlap"),
        pytest.param([(0, 4)], False, id="tail-missing"),
        pytest.param([(5, 9), (0, 4)], False, id="out-of-order"),
        pytest.param([(4, 0), (5, 9)], False, id="reversed"),
    ],
)
def test_is_partition(ranges: list[tuple[int, int]], expected: bool) -> None:
    made = document(10)
    scope = scope_of(made)
    ids = [(made.units[a].unit_id, made.units[b].unit_id) for a, b in ranges]

    assert is_partition(scope.index, ids) is expected


def test_bound_scenes_of_another_document_are_refused_before_any_call() -> None:
    made = document(10)
    scope = scope_of(made, [Scene("Alien", "other", made.units[0].unit_id, made.units[4].unit_id)])
    findings = check_scenes(scope)

    assert [finding.code for finding in findings] == [Code.SCENES_NOT_A_PARTITION]
    assert decide(findings) is Decision.REJECT


def test_validate_starts_leaves_records_unchanged() -> None:
    made = document(5)
    records = [Scene("A", "other", made.units[0].unit_id, made.units[0].unit_id)]
    before = list(records)

    assert validate_starts(records, scope_of(made)) == []
    assert records == before


UNITS = st.lists(
    st.builds(
        lambda speaker, text: {"speaker": speaker, "text": text},
        st.sampled_from(["GM", "Ann", None]),
        st.sampled_from(
            [
                "Roll initiative.",
                "The next morning you reach the ford.",
                "Hm.",
                "Let's take a break",
                "\u201cYes\u201d",
                "",
            ]
        )
        | st.text(max_size=40),
    ),
    max_size=40,
)


@given(UNITS, st.booleans())
def test_rules_starts_are_units_of_the_passage_in_rising_order(made: list[dict[str, Any]], opens: bool) -> None:
    units: list[Any] = [{"unit_id": 900 - at, **unit} for at, unit in enumerate(made)]
    before: list[Any] = [] if opens else [{"unit_id": 1_000, "speaker": "GM", "text": "So."}]
    answer: Any = extract_scenes({"transcript": units, "context": {"before": before, "after": []}})
    starts = [900 - scene["start_unit_id"] for scene in answer["scenes"]]

    assert starts == sorted(set(starts))
    assert all(0 <= at < len(units) for at in starts)
    assert not opens or not units or starts[0] == 0


def test_rules_begin_a_fight_where_initiative_is_called_for() -> None:
    units: list[Any] = [{"unit_id": at + 1, "speaker": "GM", "text": "The road goes on."} for at in range(20)]
    units[15]["text"] = "They charge you. Roll initiative!"
    answer: Any = extract_scenes(
        {"gm": {"player": "Ann", "speaker_labels": ["GM"]}, "transcript": units, "context": {"before": [], "after": []}}
    )

    assert (answer["scenes"][-1]["start_unit_id"], answer["scenes"][-1]["primary_mode"]) == (16, "combat")


@pytest.mark.parametrize("key", [key for key, lane in LANES.items() if SCENES_SLOT in lane.slots])
def test_every_lane_that_reads_along_scenes_refuses_a_plan_that_is_no_partition(key: str) -> None:
    client = ScriptedClient()
    alien = Scene("Alien", "other", IDS[0], IDS[1])
    references = {SCENES_SLOT: BoundReference("dnd/scenes", {"scenes": [alien.as_json()]})}
    for name, slot in LANES[key].slots.items():
        if name != SCENES_SLOT:
            references[name] = BoundReference(slot.lane, {slot.lane.partition("/")[2]: []})
    job = replace(story.make_job(client), references=references)

    with pytest.raises(LaneFailed) as failed:
        run_lane(LANES[key], job, LanePorts())
    assert failed.value.code is Code.SCENES_NOT_A_PARTITION
    assert client.requests == []
