"""What binds to a lane's slots: the artifacts of other lanes that it reads.

A producing lane of the same run is the only source. Without one the session's archive is: the approved version, else
the newest usable one of this transcript revision.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeAlias

import orjson

from campaigns.actions import plans
from campaigns.models import ArtifactVersion, Run, Transcript
from extraction.codes import Code
from extraction.errors import PipelineError
from extraction.lanes.job import BoundReference
from extraction.registry import LANES

RUN, APPROVED, LATEST = "run", "approved", "latest"
# Names outlive a corrected transcript; a plan of its units does not.
OF_ONE_REVISION = frozenset({"dnd/scenes"})
Found: TypeAlias = "tuple[ArtifactVersion, str]"


def bind(*, lane: str, transcript: Transcript, run: Run | None = None) -> dict[str, BoundReference]:
    """Return what binds to the lane's slots; an optional slot for which there is nothing is left out.

    Raises PipelineError where a required slot has nothing, or where a lane of the run gave nothing.
    """
    in_run: Collection[str] = () if run is None else plans.from_json(run.plan).keys()
    bound = {}
    for name, slot in LANES[lane].slots.items():
        found = _given(run, slot.lane) if run and slot.lane in in_run else archived(slot.lane, transcript)
        if found is not None:
            bound[name] = reference(slot.lane, *found)
        elif slot.required or slot.lane in in_run:
            raise _unbound({lane: slot.lane}, transcript)
    return bound


def as_made(version: ArtifactVersion) -> dict[str, BoundReference]:
    """Return what the version was made with, slot by slot; where that cannot be told, what would bind now."""
    made: Mapping[str, Mapping[str, int]] = version.manifest.get("references", {})
    found = {}
    for name, slot in LANES[version.artifact.lane].slots.items():
        rows = ArtifactVersion.objects.filter(
            artifact__session_id=version.artifact.session_id, artifact__lane=slot.lane
        )
        row = rows.filter(number=made[name]["version"]).first() if name in made else None
        now = (row, APPROVED) if row else None if made else archived(slot.lane, version.transcript)
        if now is not None:
            found[name] = reference(slot.lane, *now)
    return found


def refuse_unbound(lanes: Sequence[str], transcript: Transcript) -> None:
    """Raise PipelineError where a run of these lanes would end for want of a registry that it neither makes nor has."""
    missing = {
        key: slot.lane
        for key in lanes
        for slot in LANES[key].slots.values()
        if slot.required and slot.lane not in lanes and archived(slot.lane, transcript) is None
    }
    if missing:
        raise _unbound(missing, transcript)


def _given(run: Run, lane: str) -> Found | None:
    given = plans.output_of(run.plan, lane)
    version = None if given is None else ArtifactVersion.objects.filter(pk=given).first()
    return None if version is None else (version, RUN)


def archived(lane: str, transcript: Transcript) -> Found | None:
    """Return the version that binds where no lane of the run makes one, and why."""
    versions = ArtifactVersion.objects.filter(artifact__session_id=transcript.session_id, artifact__lane=lane)
    of_revision = versions.filter(transcript=transcript)
    approved = (of_revision if lane in OF_ONE_REVISION else versions).approved().first()
    if approved is not None:
        return approved, APPROVED
    latest = of_revision.usable().order_by("-number").first()
    return None if latest is None else (latest, LATEST)


def reference(lane: str, version: ArtifactVersion, why: str) -> BoundReference:
    """Return the version as what binds to a slot."""
    return BoundReference(
        lane=lane,
        payload=orjson.loads(version.payload),
        members=_member_names(version),
        version=version.number,
        why=why,
    )


def _member_names(version: ArtifactVersion) -> Mapping[str, Sequence[str]]:
    """Return the names that a consolidation united in a record, by the record's id."""
    applied = version.consolidations.get("applied", ())
    return {group["id"]: [member["name"] for member in group["members"]] for group in applied}


def _unbound(missing: Mapping[str, str], transcript: Transcript) -> PipelineError:
    producers, readers = _listed(missing.values()), _listed(missing)
    return PipelineError(
        f"Run {producers} first, or in the same run: {readers} cannot do without, and session"
        f" {transcript.session.number} has no version that can be used.",
        code=Code.PIPELINE_UNBOUND,
    )


def _listed(lanes: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(lanes))
