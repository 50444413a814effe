"""Which artifacts were made from something that is no longer what it was, why, and the run that renews only them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from django.db import transaction

from campaigns.actions import bindings, plans, runs
from campaigns.actions.locking import lock_session
from campaigns.adapters.providers import catalog
from campaigns.errors import ActionError
from campaigns.models import ArtifactVersion, GameSession, LaneRun, Run, Transcript
from extraction.canonical import JsonValue, digest
from extraction.codes import Code
from extraction.llm.profiles import SchemaLayout
from extraction.prompts.catalog import Catalog
from extraction.registry import LANES, is_registry, policies_of, prompts_of

if TYPE_CHECKING:
    from django.contrib.auth.models import User

REGISTRY, TRANSCRIPT, RULES, PROMPT, SCHEMA = "registry", "transcript", "rules", "prompt", "schema"
State = ArtifactVersion.State


@dataclass(frozen=True, slots=True)
class Reason:
    """What changed: an approved registry, the transcript, the lane's own rules, its prompt, or its reply's schema.

    `lane` is the registry's, else the artifact's own. `was` and `now` are version or revision numbers, for people;
    what counts is the content.
    """

    kind: str
    lane: str = ""
    was: int = 0
    now: int = 0


@dataclass(frozen=True, slots=True)
class Stale:
    """`is_head` says whether a run would renew it: an approved version may have a newer one beside it."""

    version: ArtifactVersion
    reasons: tuple[Reason, ...]
    is_head: bool


def stale_artifacts(session: GameSession) -> list[Stale]:
    """Return the heads and the approved versions of the session that were made from something else than there is now.

    A registry counts by the digest of what it says, so that a version number alone makes nothing stale, and only once
    it is approved. It takes three queries, and one more for each registry that was approved anew.
    """
    rows = ArtifactVersion.objects.filter(artifact__session=session).select_related("artifact", "transcript")
    heads: dict[str, ArtifactVersion] = {}
    approved: dict[str, ArtifactVersion] = {}
    for version in rows.defer("payload", "findings", "consolidations").order_by("artifact__lane", "number"):
        lane, usable = version.artifact.lane, version.state in (State.PENDING, State.APPROVED)
        if usable or lane not in heads or heads[lane].state not in (State.PENDING, State.APPROVED):
            heads[lane] = version
        if version.state == State.APPROVED:
            approved[lane] = version
    now = _Now(session, approved)
    found = []
    for lane, head in heads.items():
        versions = {version.pk: version for version in (approved.get(lane), head) if version is not None}
        found += [
            Stale(version, reasons, version.pk == head.pk)
            for version in versions.values()
            if (reasons := now.reasons(version))
        ]
    return found


def why_stale(version: ArtifactVersion) -> tuple[Reason, ...]:
    """Return what of that which the version was made from is otherwise now; nothing where all of it is as it was."""
    session, bound = version.artifact.session, _bound_lanes(version.manifest)
    rows = ArtifactVersion.objects.approved().filter(artifact__session=session, artifact__lane__in=bound)
    approved = {row.artifact.lane: row for row in rows.select_related("artifact")} if bound else {}
    return _Now(session, approved).reasons(version)


@transaction.atomic
def rerun_stale(*, session: GameSession, by: User | None) -> Run:
    """Start a run of the lanes whose head is stale and which are not at work, and of no other.

    What has not changed is taken from the checkpoints. ActionError where nothing is to be done.
    """
    # Two clicks follow each other here: the second one finds the lanes at work.
    lock_session(session)
    lanes = {stale.version.artifact.lane for stale in stale_artifacts(session) if stale.is_head} - at_work(session)
    pipeline = plans.default_pipeline()
    planned = [lane.lane for _, lane in pipeline.lanes() if lane.lane in lanes]
    if not planned:
        raise ActionError("Nothing of this session is out of date that is not at work.", code=Code.REVIEW_NOTHING)
    return runs.start(session=session, pipeline=pipeline, lanes=planned, by=by)


def at_work(session: GameSession) -> set[str]:
    """Return the lanes of the session that a run has not ended yet."""
    rows = LaneRun.objects.filter(run__session=session, state__in=LaneRun.UNFINISHED)
    return set(rows.values_list("key", flat=True))


def made_otherwise(lane: str, made: Mapping[str, Any]) -> Iterator[Reason]:
    """Yield what of the lane itself is otherwise than a manifest says: rules, prompt, schema of the reply.

    What the manifest does not tell counts as unchanged.
    """
    version = LANES[lane].version
    was = made.get("lane_version", version)
    if was != version or made.get("policies", policies_of(lane)) != policies_of(lane):
        yield Reason(RULES, lane, was, version)
    asked = [(made.get(stage, {}).get("prompt"), now) for stage, now in _asked(lane, made).items()]
    told = [(then, now) for then, now in asked if isinstance(then, Mapping)]
    for kind, part in ((PROMPT, "digest"), (SCHEMA, "reply")):
        if any(part in then and then[part] != now[part] for then, now in told):
            yield Reason(kind, lane)


def _asked(lane: str, made: Mapping[str, Any]) -> Mapping[str, Mapping[str, JsonValue]]:
    layout = made.get("profile", {}).get("schema_layout")
    return _prompts(lane, catalog(), layout == SchemaLayout.ENVELOPE.value)


@lru_cache(maxsize=64)
def _prompts(lane: str, prompts: Catalog, shared_schema: bool) -> Mapping[str, Mapping[str, JsonValue]]:
    return prompts_of(lane, prompts, shared_schema=shared_schema)


def _bound_lanes(manifest: Mapping[str, Any]) -> set[str]:
    """Return the registries that the version was made with; what only cuts the transcript makes nothing stale."""
    return {bound["lane"] for bound in manifest.get("references", {}).values() if is_registry(bound["lane"])}


@dataclass(slots=True)
class _Now:
    """What there is in the session now; `approved` are the registries by lane."""

    session: GameSession
    approved: Mapping[str, ArtifactVersion]
    newest: Transcript | None = field(init=False)
    plans_run: Sequence[Mapping[str, Any]] = field(init=False)
    meanings: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.newest = self.session.transcripts.order_by("-revision").first()
        self.plans_run = list(Run.objects.filter(session=self.session).order_by("-pk").values_list("plan", flat=True))

    def reasons(self, version: ArtifactVersion) -> tuple[Reason, ...]:
        lane, made = version.artifact.lane, self._made_of(version)
        reasons = [
            Reason(REGISTRY, bound["lane"], bound["version"], self.approved[bound["lane"]].number)
            for bound in made.get("references", {}).values()
            if is_registry(bound["lane"]) and bound["lane"] in self.approved and self._says_otherwise(bound)
        ]
        reasons += made_otherwise(lane, made)
        if self.newest is not None and version.transcript_id != self.newest.pk:
            reasons.append(Reason(TRANSCRIPT, was=version.transcript.revision, now=self.newest.revision))
        return tuple(reasons)

    def _made_of(self, version: ArtifactVersion) -> Mapping[str, Any]:
        """Return what the version was made of last: a run that changed nothing says so, else its manifest does."""
        told = (plans.made_of(plan, version.artifact.lane, version.pk) for plan in self.plans_run)
        return next((made for made in told if made is not None), version.manifest)

    def _says_otherwise(self, bound: Mapping[str, Any]) -> bool:
        """Say whether the approved registry says something else than the one that was bound."""
        lane: str = bound["lane"]
        if self.approved[lane].number == bound["version"]:
            return False
        if lane not in self.meanings:
            self.meanings[lane] = digest(bindings.reference(lane, self.approved[lane], "").meaning())
        was: str = bound["digest"]
        return self.meanings[lane] != was
