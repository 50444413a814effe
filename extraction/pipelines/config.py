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
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from extraction.codes import Code
from extraction.errors import PipelineError
from extraction.registry import LANES

Budget = Annotated[int, Field(ge=0, le=10)]


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
    """Steps run in order; the lanes of a step may run side by side."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    steps: Annotated[tuple[StepConfig, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _lanes_stand_once(self) -> Self:
        keys = [lane.lane for step in self.steps for lane in step.lanes]
        for key in keys:
            if keys.count(key) > 1:
                raise ValueError(f"lane {key!r} stands twice")
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


def read_pipeline(text: str, label: str) -> Pipeline:
    """Return the pipeline; PipelineError names `label`, the key and the reason."""
    try:
        return Pipeline.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise PipelineError(f"{label} is not valid TOML: {error}.") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(step) for step in first["loc"]) or "file"
        raise PipelineError(f"{label}: {where}: {first['msg'].removeprefix('Value error, ')}.") from error


def bundled(folder: Path, name: str) -> Pipeline:
    """Return the bundled pipeline of that name; PipelineError lists the names there are."""
    files = {file.stem: file for file in folder.glob("*.toml")}
    if name not in files:
        raise PipelineError(f"There is no pipeline {name!r}; there are: {', '.join(sorted(files))}.")
    return read_pipeline(files[name].read_text(encoding="utf-8"), files[name].name)
