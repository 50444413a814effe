"""What runs used and cost, and how good the lanes' work was by what reviewers did with it: for site admins.

Costs are reckoned with the price table that the profile had when the run started. Quality is told from decisions that
stand: what was accepted, edited and removed of the records a prompt and model proposed, and which merges were undone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from campaigns.actions.decisions import abandoned, live_of
from campaigns.costs import Used, uses
from campaigns.models import ArtifactVersion, Decision, LaneRun

Kind = Decision.Kind
REMOVED = frozenset({Kind.REMOVE, Kind.DELETE})
UNDONE_MERGES = frozenset({Kind.EXPLODE})
EDITED = (Decision.EDITS | {Kind.RENAME, Kind.CANONICAL, Kind.MERGE}) - REMOVED


@dataclass(frozen=True, slots=True)
class Usage:
    """The same use, seen by campaign, by lane and by profile, each with the most tokens first."""

    total: Used
    by_campaign: list[tuple[str, Used]]
    by_lane: list[tuple[str, Used]]
    by_profile: list[tuple[str, Used]]


def usage_since(since: datetime) -> Usage:
    """Return what the lanes of runs started since then have used, in three queries."""
    lanes = LaneRun.objects.filter(run__created_at__gte=since)
    campaigns = dict(lanes.values_list("run_id", "run__session__campaign__name"))
    total, by = Used(), [defaultdict[str, Used](Used) for _ in range(3)]
    for use in uses(lanes):
        groups = (campaigns.get(use.run, "?"), use.key, use.planned.profile if use.planned else "?")
        for used in (total, *(group[name] for group, name in zip(by, groups, strict=True))):
            used.add(use)
    return Usage(total, *(_most_first(group) for group in by))


def _most_first(group: Mapping[str, Used]) -> list[tuple[str, Used]]:
    return sorted(group.items(), key=lambda item: (-item[1].tokens, item[0]))


@dataclass(frozen=True, slots=True)
class Maker:
    """What made versions: a lane's prompt, by the first letters of its digest, and the model that answered."""

    lane: str
    prompt: str
    model: str


@dataclass(slots=True)
class Quality:
    """What reviewers did with the records and merges a maker proposed, in versions that were decided or reviewed.

    `approved` counts the records of approved versions as they were proposed: those neither edited nor removed were
    accepted as they were.
    """

    versions: int = 0
    rejected: int = 0
    proposed: int = 0
    approved: int = 0
    edited: int = 0
    removed: int = 0
    merges: int = 0
    undone_merges: int = 0

    @property
    def accept_rate(self) -> float | None:
        return _share(max(0, self.approved - self.edited - self.removed), self.proposed)

    @property
    def edit_rate(self) -> float | None:
        return _share(self.edited, self.proposed)

    @property
    def remove_rate(self) -> float | None:
        return _share(self.removed, self.proposed)

    @property
    def false_merge_rate(self) -> float | None:
        return _share(self.undone_merges, self.merges)


@dataclass(frozen=True, slots=True)
class _Version:
    pk: int
    parent: int | None
    artifact: int
    extracted: bool
    state: str
    was_approved: bool
    maker: Maker
    records: int
    merges: int


def quality_since(since: datetime) -> list[tuple[Maker, Quality]]:
    """Return for each maker what became of its versions made since then that a person has decided or reviewed."""
    versions = _versions(since)
    origin = {version.pk: _extraction(version, versions) for version in versions.values()}
    approved = {origin[version.pk] for version in versions.values() if version.was_approved}
    rejected = {origin[version.pk] for version in versions.values() if version.state == "rejected"}
    acts = [(origin.get(made), kind) for made, kind in _standing_acts(versions.values())]
    found: defaultdict[Maker, Quality] = defaultdict(Quality)
    for pk in approved | rejected | {made for made, _ in acts}:
        if pk is not None:
            _count_version(found[versions[pk].maker], versions[pk], approved=pk in approved, rejected=pk in rejected)
    for made, kind in acts:
        if made is not None:
            _count_act(found[versions[made].maker], kind)
    return sorted(found.items(), key=lambda item: (item[0].lane, item[0].prompt, item[0].model))


def _versions(since: datetime) -> dict[int, _Version]:
    rows = ArtifactVersion.objects.filter(created_at__gte=since).values_list(
        "pk",
        "parent_id",
        "artifact_id",
        "origin",
        "state",
        "decided_at",
        "artifact__lane",
        "manifest__extract__prompt__digest",
        "manifest__provider",
        "record_count",
        "consolidations__applied",
    )
    return {
        pk: _Version(
            pk=pk,
            parent=parent,
            artifact=artifact,
            extracted=origin == ArtifactVersion.Origin.EXTRACTION,
            state=state,
            was_approved=state == "approved" or (state == "superseded" and decided_at is not None),
            maker=Maker(lane, (prompt or "?")[:12], _model(provider)),
            records=records,
            merges=len(applied or ()),
        )
        for pk, parent, artifact, origin, state, decided_at, lane, prompt, provider, records, applied in rows
    }


def _model(provider: Mapping[str, object] | None) -> str:
    if not provider:
        return "?"
    return str(provider.get("model") or provider.get("provider") or "?")


def _extraction(version: _Version, versions: Mapping[int, _Version]) -> int | None:
    """Return the extraction that a version goes back to; None where it is older than what was asked for."""
    while not version.extracted:
        parent = versions.get(version.parent or 0)
        if parent is None:
            return None
        version = parent
    return version.pk


def _standing_acts(versions: Iterable[_Version]) -> list[tuple[int, str]]:
    """Return version and kind of each act that no undo, withdrawal or rejection has taken back."""
    artifacts = {version.artifact for version in versions}
    histories: defaultdict[tuple[int, str], list[Decision]] = defaultdict(list)
    rows = Decision.objects.filter(made__artifact__in=artifacts).order_by("pk")
    for row in rows.only("kind", "about_id", "made_id", "session_id", "lane", "data", "keys"):
        histories[row.session_id, row.lane].append(row)
    gone = abandoned(ArtifactVersion.objects.filter(artifact__in=artifacts))
    return [(row.made_id, row.kind) for history in histories.values() for row in live_of(history, gone) if row.made_id]


def _count_version(quality: Quality, version: _Version, *, approved: bool, rejected: bool) -> None:
    quality.versions += 1
    quality.rejected += rejected and not approved
    quality.proposed += version.records
    quality.approved += version.records if approved else 0
    quality.merges += version.merges


def _count_act(quality: Quality, kind: str) -> None:
    quality.edited += kind in EDITED
    quality.removed += kind in REMOVED
    quality.undone_merges += kind in UNDONE_MERGES


def _share(part: int, whole: int) -> float | None:
    return min(1.0, part / whole) if whole else None
