"""Which artifacts were made from something that is no longer what it was, why, and the run that renews only them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from campaigns.actions import bindings, plans, runs
from campaigns.actions.drafts import head_of
from campaigns.errors import ActionError
from campaigns.models import ArtifactVersion, GameSession, Run
from extraction.canonical import digest
from extraction.codes import Code
from extraction.registry import LANES, is_registry

if TYPE_CHECKING:
    from django.contrib.auth.models import User

REGISTRY, TRANSCRIPT, RULES = "registry", "transcript", "rules"


@dataclass(frozen=True, slots=True)
class Reason:
    """What changed: an approved registry, the transcript, or the lane's own rules. `lane` is the registry's.

    `was` and `now` are version or revision numbers, for people; what counts is the content.
    """

    kind: str
    lane: str = ""
    was: int = 0
    now: int = 0


@dataclass(frozen=True, slots=True)
class Stale:
    version: ArtifactVersion
    reasons: tuple[Reason, ...]


def stale_artifacts(session: GameSession) -> list[Stale]:
    """Return the heads and the approved versions of the session that were made from something else than there is now.

    A registry counts by the digest of what it says, so that a version number alone makes nothing stale, and only once
    it is approved.
    """
    newest = session.transcripts.order_by("-revision").first()
    approved = {
        version.artifact.lane: version
        for version in ArtifactVersion.objects.approved()
        .filter(artifact__session=session)
        .select_related("artifact", "transcript")
    }
    meanings = {
        lane: digest(bindings.reference(lane, version, "").meaning())
        for lane, version in approved.items()
        if is_registry(lane)
    }
    plans_run = list(Run.objects.filter(session=session).order_by("-pk").values_list("plan", flat=True))
    found = []
    for artifact in session.artifacts.order_by("lane"):
        head = head_of(artifact)
        versions = [version for version in (approved.get(artifact.lane), head) if version is not None]
        for version in {version.pk: version for version in versions}.values():
            reasons = _reasons(version, _made_of(version, plans_run), approved, meanings)
            if newest is not None and version.transcript_id != newest.pk:
                reasons.append(Reason(TRANSCRIPT, was=version.transcript.revision, now=newest.revision))
            if reasons:
                found.append(Stale(version, tuple(reasons)))
    return found


def rerun_stale(*, session: GameSession, by: User | None) -> Run:
    """Start a run of the lanes whose head is stale, and of no other. ActionError where none is.

    What has not changed is taken from the checkpoints.
    """
    heads = {artifact.lane: head_of(artifact) for artifact in session.artifacts.all()}
    lanes = {stale.version.artifact.lane for stale in stale_artifacts(session) if stale.version == _of(heads, stale)}
    pipeline = plans.default_pipeline()
    planned = [lane.lane for _, lane in pipeline.lanes() if lane.lane in lanes]
    if not planned:
        raise ActionError("Nothing of this session is out of date.", code=Code.REVIEW_NOTHING)
    return runs.start(session=session, pipeline=pipeline, lanes=planned, by=by)


def _of(heads: Mapping[str, ArtifactVersion | None], stale: Stale) -> ArtifactVersion | None:
    return heads[stale.version.artifact.lane]


def _made_of(version: ArtifactVersion, plans_run: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return what the version was made of last: a run that changed nothing says so, else its manifest does."""
    told = (plans.made_of(plan, version.artifact.lane, version.pk) for plan in plans_run)
    return next((made for made in told if made is not None), version.manifest)


def _reasons(
    version: ArtifactVersion,
    made: Mapping[str, Any],
    approved: Mapping[str, ArtifactVersion],
    meanings: Mapping[str, str],
) -> list[Reason]:
    reasons = []
    for bound in made.get("references", {}).values():
        lane = bound["lane"]
        if lane in meanings and meanings[lane] != bound["digest"]:
            reasons.append(Reason(REGISTRY, lane, bound["version"], approved[lane].number))
    lane_version = made.get("lane_version")
    now = LANES[version.artifact.lane].version
    if lane_version is not None and lane_version != now:
        reasons.append(Reason(RULES, version.artifact.lane, lane_version, now))
    return reasons
