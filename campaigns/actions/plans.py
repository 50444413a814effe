"""The plan of a run: which lanes, in which step, with which profile and retries, and what each has to wait for.

Beside the plan stands what came of it: the version that each finished lane gave, for the lanes that read it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from django.conf import settings

from extraction.canonical import JsonValue
from extraction.codes import Code
from extraction.errors import PipelineError
from extraction.lanes.job import Retries
from extraction.llm.prices import Prices
from extraction.llm.profiles import Profile
from extraction.pipelines.config import Pipeline, bundled
from extraction.registry import LANES

PIPELINES = settings.ASSETS_DIR / "dnd" / "pipelines"
DEFAULT_PIPELINE = "complete"
MADE_OF = ("lane_version", "policies", "references")
STAGES = ("extract", "normalize")


@dataclass(frozen=True, slots=True)
class PlannedLane:
    """`needs` are the lanes of the same run whose artifacts this one binds: it is blocked when one of them fails.

    `prices` are the profile's when the run started, so that a later price list changes no earlier bill.
    """

    lane: str
    step: int
    profile: str
    retries: Retries = field(default_factory=Retries)
    needs: tuple[str, ...] = ()
    prices: Prices | None = None


def default_pipeline() -> Pipeline:
    """Return the pipeline that runs when none is named."""
    return bundled(PIPELINES, DEFAULT_PIPELINE)


def named_pipeline(name: str) -> Pipeline:
    """Return the bundled pipeline of that name; PipelineError lists the names there are."""
    return bundled(PIPELINES, name)


def lanes_in(given: str) -> list[str]:
    """Return the lanes that a list separated by commas names."""
    return [lane.strip() for lane in given.split(",") if lane.strip()]


def chosen(pipeline: Pipeline, lanes: Sequence[str] | None) -> Pipeline:
    """Return the pipeline with these lanes alone, all of it for None; PipelineError for none or an unknown one."""
    if lanes is not None and not lanes:
        raise PipelineError("Name at least one lane, or none to run them all.", code=Code.PIPELINE_INVALID)
    return pipeline if lanes is None else pipeline.only(list(lanes))


def plan_of(pipeline: Pipeline, profiles: Mapping[str, Profile]) -> list[PlannedLane]:
    """Return the pipeline's lanes in order; PipelineError for a profile that is not configured."""
    for mistake in unknown_profiles(pipeline, profiles):
        raise PipelineError(f"Pipeline {pipeline.name!r}: {mistake}", code=Code.PIPELINE_INVALID)
    keys = [lane.lane for _, lane in pipeline.lanes()]
    return [
        PlannedLane(
            lane=lane.lane,
            step=step,
            profile=lane.profile,
            retries=Retries(extract=lane.retries.extract, normalize=lane.retries.normalize),
            needs=tuple(slot.lane for slot in LANES[lane.lane].slots.values() if slot.lane in keys),
            prices=profiles[lane.profile].prices,
        )
        for step, lane in pipeline.lanes()
    ]


def unknown_profiles(pipeline: Pipeline, profiles: Mapping[str, Profile]) -> list[str]:
    """Return a sentence for each lane whose profile is not configured."""
    return [
        f"lane {lane.lane!r} names the profile {lane.profile!r}, which is not configured; there are:"
        f" {', '.join(sorted(profiles))}."
        for _, lane in pipeline.lanes()
        if lane.profile not in profiles
    ]


def start_at(plan: Mapping[str, PlannedLane], key: str) -> float:
    """Return the share of the chunks after which the lane begins.

    Lanes of one step that ask one profile about the same chunks begin evenly spread, so that the provider has seen a
    chunk once before others ask about it.
    """
    own = plan[key]
    together = [
        lane.lane
        for lane in plan.values()
        if (lane.step, lane.profile) == (own.step, own.profile) and LANES[lane.lane].shares_chunks
    ]
    return together.index(key) / len(together) if key in together else 0.0


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
            prices=Prices(**lane["prices"]) if lane.get("prices") else None,
        )
        for lane in lanes
    }


def with_output(
    plan: Mapping[str, Any], lane: str, version_id: int, manifest: Mapping[str, JsonValue] | None = None
) -> dict[str, Any]:
    """Return the stored plan with the version that the lane gave, and what of its manifest says what it was made of.

    A lane that changed nothing gives an earlier version, whose own manifest tells of its own making.
    """
    made = {} if manifest is None else _told(manifest)
    return {
        **plan,
        "outputs": {**plan.get("outputs", {}), lane: version_id},
        "made_of": {**plan.get("made_of", {}), lane: made},
    }


def _told(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the manifest says of the making, in its own shape, without counts and fingerprints."""
    made = {name: manifest[name] for name in MADE_OF if name in manifest}
    layout = manifest.get("profile", {}).get("schema_layout")
    prompts = {stage: {"prompt": manifest[stage]["prompt"]} for stage in STAGES if "prompt" in manifest.get(stage, {})}
    return {**made, **prompts, "profile": {"schema_layout": layout}}


def made_of(plan: Mapping[str, Any], lane: str, version_id: int) -> Mapping[str, Any] | None:
    """Return what the lane made this version of in this run; None where it did not."""
    if output_of(plan, lane) != version_id:
        return None
    found: Mapping[str, Any] | None = plan.get("made_of", {}).get(lane)
    return found


def output_of(plan: Mapping[str, Any], lane: str) -> int | None:
    """Return the id of the version that the lane gave in this run; None where it gave none."""
    found: int | None = plan.get("outputs", {}).get(lane)
    return found
