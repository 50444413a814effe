from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.codes import Code
from extraction.errors import PipelineError
from extraction.pipelines.config import bundled, check_pipeline, full_key, read_pipeline
from extraction.registry import LANES
from tests.extraction.story import ASSETS

FOLDER = ASSETS / "dnd" / "pipelines"
GOOD = """
name = "people"
[[steps]]
[[steps.lanes]]
lane = "dnd/npcs"
retries = { extract = 1, normalize = 2 }
"""


@pytest.mark.parametrize("name", sorted(file.stem for file in FOLDER.glob("*.toml")))
def test_bundled_pipelines_load_and_retry_twice(name: str) -> None:
    pipeline = bundled(FOLDER, name)

    assert pipeline.name == name
    assert {(lane.retries.extract, lane.retries.normalize) for _, lane in pipeline.lanes()} <= {(2, 2), (2, 0)}


def test_read_pipeline_defaults_to_the_default_profile_and_no_retries() -> None:
    pipeline = read_pipeline('name = "a"\n[[steps]]\nlanes = [{ lane = "dnd/npcs" }]', "a.toml")
    ((step, lane),) = pipeline.lanes()

    assert (step, lane.lane, lane.profile) == (0, "dnd/npcs", "default")
    assert (lane.retries.extract, lane.retries.normalize) == (0, 0)


MISTAKES = [
    pytest.param(
        GOOD.replace("dnd/npcs", "dnd/ghosts"), ["steps.0.lanes.0.lane", "dnd/ghosts", "dnd/npcs"], id="unknown-lane"
    ),
    pytest.param(GOOD + '[[steps.lanes]]\nlane = "dnd/npcs"', ["'dnd/npcs'", "twice"], id="lane-twice-in-a-step"),
    pytest.param(
        GOOD + '[[steps]]\n[[steps.lanes]]\nlane = "dnd/npcs"', ["'dnd/npcs'", "twice"], id="lane-twice-in-steps"
    ),
    pytest.param(
        GOOD.replace("normalize = 2", "normalize = -1"),
        ["steps.0.lanes.0.retries.normalize", "0"],
        id="negative-retries",
    ),
    pytest.param(
        GOOD.replace("extract = 1", "extract = 11"), ["steps.0.lanes.0.retries.extract", "10"], id="many-retries"
    ),
    pytest.param(
        GOOD.replace("extract = 1", 'extract = "two"'), ["steps.0.lanes.0.retries.extract"], id="retries-text"
    ),
    pytest.param(GOOD.replace("extract = 1", "chunk = 1"), ["steps.0.lanes.0.retries.chunk"], id="unknown-stage"),
    pytest.param(GOOD + "colour = 1", ["steps.0.lanes.0.colour"], id="unknown-key-in-lane"),
    pytest.param("speed = 1" + GOOD, ["speed"], id="unknown-key-at-the-top"),
    pytest.param('name = "a"\n[[steps]]\n', ["steps.0.lanes"], id="step-without-lanes"),
    pytest.param('name = "a"\n[[steps]]\nlanes = []', ["steps.0.lanes"], id="step-with-empty-lanes"),
    pytest.param('name = "a"\nsteps = []', ["steps", "1 item"], id="empty-steps"),
    pytest.param('name = "a"', ["steps"], id="no-steps"),
    pytest.param(GOOD.replace('name = "people"', ""), ["name"], id="no-name"),
    pytest.param(GOOD + "= 3", ["TOML"], id="bad-toml"),
    pytest.param("", ["name"], id="empty-file"),
    pytest.param("a = " + "[" * 5_000, ["TOML"], id="nested-toml"),
    pytest.param(GOOD.replace("extract = 1", "extract = true"), ["steps.0.lanes.0.retries.extract"], id="retries-bool"),
    pytest.param(GOOD.replace("people", "p" * 61), ["name", "60"], id="long-name"),
    pytest.param(
        GOOD + '[[steps.lanes]]\nlane = "dnd/spells"',
        ["steps.0.lanes.1.lane", "'dnd/spells'", "'dnd/npcs'", "earlier step"],
        id="reader-beside-its-producer",
    ),
    pytest.param(
        GOOD.replace("dnd/npcs", "dnd/npc-occurrences") + '[[steps]]\n[[steps.lanes]]\nlane = "dnd/npcs"',
        ["steps.0.lanes.0.lane", "'dnd/npc-occurrences'", "'dnd/npcs'", "earlier step"],
        id="reader-before-its-producer",
    ),
    pytest.param(
        GOOD + '[[steps]]\n[[steps.lanes]]\nlane = "dnd/scenes"',
        ["steps.0.lanes.0.lane", "'dnd/npcs'", "'dnd/scenes'"],
        id="optional-slot-before-its-producer",
    ),
]


@pytest.mark.parametrize(("text", "named"), MISTAKES)
def test_read_pipeline_names_file_key_and_reason(text: str, named: list[str]) -> None:
    with pytest.raises(PipelineError) as raised:
        read_pipeline(text, "my.toml")
    sentence = str(raised.value)

    assert sentence.startswith("my.toml")
    assert [part for part in named if part not in sentence] == []
    assert "\n" not in sentence
    assert "Value error" not in sentence


@pytest.mark.parametrize("name", ["none", "../pipelines/npcs-only", ""])
def test_bundled_lists_the_names_there_are(name: str) -> None:
    with pytest.raises(PipelineError, match="npcs-only"):
        bundled(FOLDER, name)


def test_bundled_names_the_wrong_file(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("[[", encoding="utf-8")
    with pytest.raises(PipelineError, match=r"^bad\.toml"):
        bundled(tmp_path, "bad")


@pytest.mark.parametrize("key", ["dnd/npcs", "npcs"])
def test_only_keeps_the_named_lanes(key: str) -> None:
    pipeline = read_pipeline(GOOD, "my.toml").only([key])

    assert [lane.lane for _, lane in pipeline.lanes()] == ["dnd/npcs"]
    assert full_key(key) == "dnd/npcs"


def test_only_refuses_a_lane_that_the_pipeline_does_not_have() -> None:
    with pytest.raises(PipelineError, match="dnd/ghosts") as raised:
        read_pipeline(GOOD, "my.toml").only(["npcs", "ghosts"])

    assert raised.value.code is Code.PIPELINE_UNKNOWN_LANE


def test_only_of_no_lane_is_a_pipeline_error() -> None:
    with pytest.raises(PipelineError):
        read_pipeline(GOOD, "my.toml").only([])


MANY = """
colour = "red"
[[steps]]
[[steps.lanes]]
lane = "dnd/spells"
[[steps.lanes]]
lane = "dnd/ghosts"
[[steps]]
[[steps.lanes]]
lane = "dnd/npcs"
retries = { extract = -1 }
[[steps.lanes]]
lane = "dnd/npcs"
"""


def test_check_pipeline_tells_all_mistakes_at_once() -> None:
    pipeline, mistakes = check_pipeline(MANY, "my.toml")

    assert pipeline is None
    assert sorted(mistake.split(": ")[1] for mistake in mistakes) == [
        "colour",
        "name",
        "steps.0.lanes.0.lane",
        "steps.0.lanes.1.lane",
        "steps.1.lanes.0.retries.extract",
        "steps.1.lanes.1.lane",
    ]
    assert all(mistake.startswith("my.toml: ") and mistake.endswith(".") for mistake in mistakes)


@pytest.mark.parametrize(("text", "named"), MISTAKES)
def test_check_pipeline_tells_a_single_mistake_once(text: str, named: list[str]) -> None:
    _, mistakes = check_pipeline(text, "my.toml")

    assert len(mistakes) == len(set(mistakes))
    assert any(all(part in mistake for part in named) for mistake in mistakes)


def test_check_pipeline_of_good_file_has_no_mistake() -> None:
    pipeline, mistakes = check_pipeline(GOOD, "my.toml")

    assert mistakes == []
    assert pipeline is not None


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 12) | st.text(max_size=5) | st.sampled_from(sorted(LANES)),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["name", "steps", "lanes", "lane", "profile", "retries"]), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(st.dictionaries(st.sampled_from(["name", "steps"]), JUNK))
def test_check_pipeline_of_any_values_is_a_pipeline_or_sentences(value: dict[str, object]) -> None:
    pipeline, mistakes = check_pipeline(_toml(value), "my.toml")

    assert (pipeline is None) == bool(mistakes)
    assert [mistake for mistake in mistakes if "\n" in mistake] == []


def test_complete_runs_every_lane_in_three_steps() -> None:
    pipeline = bundled(FOLDER, "complete")

    assert len(pipeline.steps) == 3
    assert [lane.lane for _, lane in pipeline.lanes()] == list(LANES)
    assert {step for step, lane in pipeline.lanes() if LANES[lane.lane].proposal is not None} == {1}


def _toml(value: dict[str, object]) -> str:
    return "\n".join(f"{key} = {_value(inner)}" for key, inner in value.items() if inner is not None)


def _value(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_value(inner)}" for key, inner in value.items() if inner is not None) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_value(inner) for inner in value if inner is not None) + "]"
    return json.dumps(value)
