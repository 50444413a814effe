"""Check a pipeline file and say what its lanes would read."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.actions import plans
from campaigns.adapters.providers import profiles
from campaigns.management.arguments import mistakes_in_one_sentence, pipeline_text
from extraction.lanes.lane import Slot
from extraction.llm.profiles import Profile
from extraction.pipelines.config import LaneConfig, Pipeline, check_pipeline
from extraction.registry import LANES


class Command(BaseCommand):
    help = "Explain every mistake in a pipeline file; show its steps, lanes, profiles and what each lane reads."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("pipeline", metavar="FILE|NAME", help="a TOML file, or a bundled pipeline's name")

    def handle(self, *, pipeline: str, **options: object) -> None:
        with mistakes_in_one_sentence():
            text, label = pipeline_text(pipeline)
            checked, mistakes = check_pipeline(text, label)
            if checked is None:
                raise CommandError("\n".join(mistakes))
            known = profiles()
        for line in _shown(checked, known):
            self.stdout.write(line)
        unknown = plans.unknown_profiles(checked, known)
        if unknown:
            raise CommandError("\n".join(f"{label}: {mistake}" for mistake in unknown))


def _shown(pipeline: Pipeline, known: Mapping[str, Profile]) -> Iterator[str]:
    yield f"Pipeline {pipeline.name}"
    keys = {lane.lane for _, lane in pipeline.lanes()}
    for number, step in enumerate(pipeline.steps, start=1):
        yield f"Step {number}"
        for lane in step.lanes:
            yield f"  {lane.lane}: {_profile(lane.profile, known)}, {_retries(lane)}"
            for name, slot in LANES[lane.lane].slots.items():
                yield f"    {name}: {_source(slot, keys)}"


def _profile(name: str, known: Mapping[str, Profile]) -> str:
    if name not in known:
        return f"profile {name} (not configured)"
    return f"profile {name} ({known[name].provider.value})"


def _retries(lane: LaneConfig) -> str:
    extract = f"retries {lane.retries.extract}"
    return extract if LANES[lane.lane].proposal is None else f"{extract}, to normalize {lane.retries.normalize}"


def _source(slot: Slot, keys: Collection[str]) -> str:
    if slot.lane in keys:
        return f"{slot.lane} of the same run"
    otherwise = "which must be there" if slot.required else "or nothing"
    return f"{slot.lane} of the session, approved or else the newest, {otherwise}"
