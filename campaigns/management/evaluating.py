"""What an evaluation scores: stored versions or files, and what the lane runs behind them cost."""

from __future__ import annotations

from collections.abc import Mapping

from django.core.management.base import CommandError
from django.db.models import Avg

from campaigns.management.arguments import DATABASE_INTEGERS
from campaigns.models import ArtifactVersion, Exchange, GameSession, LaneRun, Transcript
from extraction.evaluation.found import FoundArtifact, read_artifact
from extraction.evaluation.report import LaneUsage
from extraction.source.index import DocumentIndex


def stored_version(session: GameSession, lane: str, status: str, number: int | None) -> ArtifactVersion | None:
    """Return the version of that number, else the approved or the latest usable one; None where there is none."""
    versions = ArtifactVersion.objects.filter(artifact__session=session, artifact__lane=lane)
    versions = versions.select_related("transcript", "lane_run", "parent")
    if number is not None:
        return versions.filter(number=number).first() if number in DATABASE_INTEGERS else None
    if status == "approved":
        return versions.approved().first()
    return versions.usable().order_by("-number").first()


def version_read(version: ArtifactVersion, lane: str, index: DocumentIndex, transcript: Transcript) -> FoundArtifact:
    """Return the version's records; CommandError for one that was made from another revision of the transcript."""
    if version.transcript_id != transcript.pk:
        raise CommandError(
            f"Version {version.number} of {lane} was made from revision {version.transcript.revision} of the"
            f" transcript, not from the newest, {transcript.revision}: run the lane again."
        )
    return read_artifact(version.payload.encode(), index, f"version {version.number} of {lane}", _members(version))


def version_label(version: ArtifactVersion) -> str:
    return f"v{version.number} {version.state}"


def usage_of(lane_run: LaneRun | None) -> LaneUsage:
    """Return what the lane run cost. Latency and models are gone when its exchanges were purged."""
    if lane_run is None:
        return LaneUsage()
    exchanges = Exchange.objects.filter(lane=lane_run)
    named = exchanges.order_by("provider", "model").values_list("provider", "model").distinct()
    latency = exchanges.aggregate(mean=Avg("latency_ms"))["mean"]
    return LaneUsage(
        models=[" ".join(part for part in pair if part) for pair in named],
        calls=lane_run.calls,
        prompt_tokens=lane_run.prompt_tokens,
        completion_tokens=lane_run.completion_tokens,
        cached_share=round(lane_run.cached_tokens / lane_run.prompt_tokens, 4) if lane_run.prompt_tokens else None,
        latency_ms=None if latency is None else round(float(latency), 1),
        seconds=_seconds(lane_run),
    )


def maker(version: ArtifactVersion) -> LaneRun | None:
    """Return the lane run that made the version, or the one that a review's version goes back to."""
    origin: ArtifactVersion | None = version
    while origin is not None and origin.lane_run is None:
        origin = origin.parent
    return None if origin is None else origin.lane_run


def _seconds(lane_run: LaneRun) -> float | None:
    if lane_run.started_at is None or lane_run.finished_at is None:
        return None
    return round((lane_run.finished_at - lane_run.started_at).total_seconds(), 2)


def _members(version: ArtifactVersion) -> Mapping[str, tuple[str, ...]]:
    """Return the names that were united in a record, by the record's id."""
    applied = version.consolidations.get("applied", ())
    return {group["id"]: tuple(member["name"] for member in group["members"]) for group in applied}
