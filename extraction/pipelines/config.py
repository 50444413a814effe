"""Pipeline files: TOML into steps of lanes, with errors that name file, key and reason.

name = "npcs-only"
[[steps]]
[[steps.lanes]]
lane = "dnd/npcs"
profile = "default"
retries = { extract = 2, normalize = 2 }
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator
from pydantic_core import ErrorDetails

from extraction.codes import Code
from extraction.errors import PipelineError
from extraction.registry import LANES

Budget = Annotated[int, Field(ge=0, le=10, strict=True)]
REASONS = {"missing": "this key is required", "extra_forbidden": "this key is unknown here"}


class RetriesConfig(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    extract: Budget = 0
    normalize: Budget = 0


class LaneConfig(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    lane: str
    profile: str = "default"
    retries: RetriesConfig = RetriesConfig()

    @field_validator("lane")
    @classmethod
    def _lane_is_known(cls, key: str) -> str:
        if key not in LANES:
            raise ValueError(f"there is no lane {key!r}; there are: {', '.join(sorted(LANES))}")
        return key


class StepConfig(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    lanes: Annotated[tuple[LaneConfig, ...], Field(min_length=1)]


class Pipeline(BaseModel):
    """Steps run in order; the lanes of a step may run side by side.

    Each lane stands once, and what it reads of the pipeline's other lanes stands in an earlier step.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[str, Field(min_length=1, max_length=60)]
    steps: Annotated[tuple[StepConfig, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _lanes_stand_right(self) -> Self:
        lanes = [
            PlacedLane(step, at, lane.lane) for step, of in enumerate(self.steps) for at, lane in enumerate(of.lanes)
        ]
        for lane, reason in _misplaced(lanes):
            raise ValueError(f"{lane.where}: {reason}")
        return self

    def lanes(self) -> list[tuple[int, LaneConfig]]:
        """Return every lane with the number of its step, from 0, in order."""
        return [(at, lane) for at, step in enumerate(self.steps) for lane in step.lanes]

    def only(self, keys: list[str]) -> Pipeline:
        """Return the pipeline with these lanes alone; PipelineError for a lane that it does not have, or for none."""
        if not keys:
            raise PipelineError(f"No lane of pipeline {self.name!r} is named.")
        wanted = [full_key(key) for key in keys]
        known = {lane.lane for _, lane in self.lanes()}
        for key in wanted:
            if key not in known:
                raise PipelineError(f"Pipeline {self.name!r} has no lane {key!r}.", code=Code.PIPELINE_UNKNOWN_LANE)
        steps = [[lane for lane in step.lanes if lane.lane in wanted] for step in self.steps]
        return Pipeline(name=self.name, steps=tuple(StepConfig(lanes=tuple(lanes)) for lanes in steps if lanes))


def full_key(key: str) -> str:
    """Return the lane key with its prefix: `npcs` is `dnd/npcs`."""
    return key if "/" in key else f"dnd/{key}"


class PlacedLane(NamedTuple):
    """A lane and where the file has it: the numbers of its step and of its place there, from 0."""

    step: int
    at: int
    key: str

    @property
    def where(self) -> str:
        return f"steps.{self.step}.lanes.{self.at}.lane"


def read_pipeline(text: str, label: str) -> Pipeline:
    """Return the pipeline; PipelineError names `label`, the key and the reason of the first mistake."""
    pipeline, mistakes = check_pipeline(text, label)
    if pipeline is None:
        raise PipelineError(mistakes[0])
    return pipeline


def check_pipeline(text: str, label: str) -> tuple[Pipeline | None, list[str]]:
    """Return the pipeline, None where anything is wrong, and one sentence a mistake: `label`, the key, the reason."""
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return None, [f"{label} is not valid TOML: {error}."]
    except RecursionError:
        return None, [f"{label} is not valid TOML: its arrays or tables are nested too deeply."]
    # Of the lanes that can be made out, whatever else is wrong: so that all mistakes are told at once.
    misplaced = [f"{label}: {lane.where}: {reason}." for lane, reason in _misplaced(_lanes_in(raw))]
    try:
        return Pipeline.model_validate(raw), []
    except ValidationError as error:
        found = [_sentence(label, each) for each in _own(error.errors()) if each["loc"]]
        return None, [*found, *misplaced]


def bundled(folder: Path, name: str) -> Pipeline:
    """Return the bundled pipeline of that name; PipelineError lists the names there are."""
    return read_pipeline(*bundled_text(folder, name))


def bundled_text(folder: Path, name: str) -> tuple[str, str]:
    """Return the text and the file name of the bundled pipeline; PipelineError lists the names there are."""
    files = {file.stem: file for file in folder.glob("*.toml")}
    if name not in files:
        raise PipelineError(f"There is no pipeline {name!r}; there are: {', '.join(sorted(files))}.")
    return files[name].read_text(encoding="utf-8"), files[name].name


def _misplaced(lanes: Sequence[PlacedLane]) -> Iterator[tuple[PlacedLane, str]]:
    """Yield each lane that stands a second time, or not after a lane that it reads, with the reason."""
    steps: dict[str, int] = {}
    for lane in lanes:
        if lane.key in steps:
            yield lane, f"lane {lane.key!r} stands twice"
        steps.setdefault(lane.key, lane.step)
    for lane in lanes:
        for slot in LANES[lane.key].slots.values():
            if steps.get(slot.lane, -1) >= lane.step:
                yield lane, f"lane {lane.key!r} reads {slot.lane!r}, which must stand in an earlier step"


def _lanes_in(raw: dict[str, Any]) -> list[PlacedLane]:
    """Return the known lanes of a file that may be wrong in any way."""
    found = []
    for step, of in enumerate(_list(raw.get("steps"))):
        for at, lane in enumerate(_list(of.get("lanes") if isinstance(of, dict) else None)):
            key = lane.get("lane") if isinstance(lane, dict) else None
            if isinstance(key, str) and key in LANES:
                found.append(PlacedLane(step, at, key))
    return found


def _own(errors: Sequence[ErrorDetails]) -> Iterator[ErrorDetails]:
    """Yield the errors but for those that only follow from another: a list is not short because its items are wrong."""
    for error in errors:
        place = error["loc"]
        inside = any(len(each["loc"]) > len(place) and each["loc"][: len(place)] == place for each in errors)
        if not (error["type"] == "too_short" and inside):
            yield error


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _sentence(label: str, error: ErrorDetails) -> str:
    where = ".".join(str(step) for step in error["loc"])
    reason = REASONS.get(error["type"], error["msg"].removeprefix("Value error, "))
    return f"{label}: {where}: {reason}."
