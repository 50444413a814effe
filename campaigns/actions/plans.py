"""The plan of a run: which lanes, in which step, with which profile and retries, and what each has to wait for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from django.conf import settings

from extraction.codes import Code
from extraction.errors import PipelineError
from extraction.lanes.job import Retries
from extraction.llm.profiles import Profile
from extraction.pipelines.config import Pipeline, bundled

PIPELINES = settings.ASSETS_DIR / "dnd" / "pipelines"
# The first of these that is bundled is what runs when nobody names a pipeline.
DEFAULT_PIPELINES = ("complete", "npcs-only")


@dataclass(frozen=True, slots=True)
class PlannedLane:
    """`needs` are the lanes of the same run whose registries this one binds: it is blocked when one of them fails."""

    lane: str
    step: int
    profile: str
    retries: Retries = field(default_factory=Retries)
    needs: tuple[str, ...] = ()


def default_pipeline() -> Pipeline:
    """Return the pipeline that runs when none is named."""
    name = next((name for name in DEFAULT_PIPELINES if (PIPELINES / f"{name}.toml").is_file()), DEFAULT_PIPELINES[0])
    return bundled(PIPELINES, name)


def named_pipeline(name: str) -> Pipeline:
    """Return the bundled pipeline of that name; PipelineError lists the names there are."""
    return bundled(PIPELINES, name)


def plan_of(pipeline: Pipeline, profiles: Mapping[str, Profile]) -> list[PlannedLane]:
    """Return the pipeline's lanes in order; PipelineError for a profile that is not configured."""
    planned = []
    for step, lane in pipeline.lanes():
        if lane.profile not in profiles:
            raise PipelineError(
                f"Pipeline {pipeline.name!r}: lane {lane.lane!r} names the profile {lane.profile!r}, which is not"
                f" configured; there are: {', '.join(sorted(profiles))}.",
                code=Code.PIPELINE_INVALID,
            )
        retries = Retries(extract=lane.retries.extract, normalize=lane.retries.normalize)
        planned.append(PlannedLane(lane.lane, step, lane.profile, retries))
    return planned


def to_json(lanes: Iterable[PlannedLane]) -> dict[str, object]:
    """Return the plan as the run's row keeps it."""
    return {"lanes": [asdict(lane) for lane in lanes]}


def from_json(plan: Mapping[str, Any]) -> dict[str, PlannedLane]:
    """Return the planned lanes by key."""
    lanes: Sequence[Mapping[str, Any]] = plan["lanes"]
    return {
        lane["lane"]: PlannedLane(
            lane=lane["lane"],
            step=lane["step"],
            profile=lane["profile"],
            retries=Retries(**lane["retries"]),
            needs=tuple(lane["needs"]),
        )
        for lane in lanes
    }
