from __future__ import annotations

from pathlib import Path

import pytest

from extraction.codes import Code
from extraction.errors import PipelineError
from extraction.pipelines.config import bundled, full_key, read_pipeline
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
