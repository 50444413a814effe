"""What runs used and cost, and how good the lanes' work was by what reviewers did with it: for site admins.

Costs are reckoned with the price table that the profile had when the run started. Quality is told of extractions that
were decided, from the decisions that stand: what was accepted, edited and removed of the records a prompt and model
proposed, each counted once, and which of its merges were undone. What a reviewer united by hand is nobody's merge but
theirs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from campaigns.actions.decisions import abandoned, live_of
from campaigns.actions.nodes import REVIEW, key_of
from campaigns.costs import Used, uses
from campaigns.models import ArtifactVersion, Decision, LaneRun
from campaigns.outcomes import PLACES, Group, outcome_of
from extraction.lanes.job import NamedRecord


@dataclass(frozen=True, slots=True)
class Cost:
    """A sum in one currency, in millionths, and what it is a part of."""

    currency: str
    micros: int
    total: int


@dataclass(frozen=True, slots=True)
class Line:
    """What one campaign, lane or profile has used, with its costs beside those of all."""

    name: str
    used: Used
    costs: tuple[Cost, ...]


@dataclass(frozen=True, slots=True)
class Usage:
    """The same use, seen by campaign, by lane and by profile, each with the most tokens first."""

    total: Used
    by_campaign: list[Line]
    by_lane: list[Line]
    by_profile: list[Line]


def usage_since(since: datetime) -> Usage:
    """Return what the lanes of runs started since then have used, in three queries.

    Campaigns of one name have their short names beside it.
    """
    lanes = LaneRun.objects.filter(run__created_at__gte=since)
    of_campaign = "run__session__campaign__"
    rows = list(lanes.values_list("run_id", f"{of_campaign}slug", f"{of_campaign}name"))
    slugs = {run: slug for run, slug, _ in rows}
    total, by = Used(), [defaultdict[str, Used](Used) for _ in range(3)]
    for use in uses(lanes):
        groups = (slugs.get(use.run, "?"), use.key, use.planned.profile if use.planned else "?")
        for used in (total, *(group[name] for group, name in zip(by, groups, strict=True))):
            used.add(use)
    campaigns, *others = by
    called = _called({slug: name for _, slug, name in rows})
    return Usage(total, _lines(campaigns, total, called), *(_lines(group, total, {}) for group in others))


def _called(names: Mapping[str, str]) -> dict[str, str]:
    """Return by short name how each campaign is called: by its name, and the short one where another has that too."""
    often = Counter(names.values())
    return {slug: f"{name} ({slug})" if often[name] > 1 else name for slug, name in names.items()}


def _lines(group: Mapping[str, Used], total: Used, called: Mapping[str, str]) -> list[Line]:
    lines = [Line(called.get(key, key), used, _costs(used, total)) for key, used in group.items()]
    return sorted(lines, key=lambda line: (-line.used.tokens, line.name))


def _costs(used: Used, total: Used) -> tuple[Cost, ...]:
    return tuple(Cost(currency, micros, total.costs[currency]) for currency, micros in sorted(used.costs.items()))


@dataclass(frozen=True, slots=True)
class Maker:
    """What made versions: a lane's prompt, by the first letters of its digest, and the model that answered."""

    lane: str
    prompt: str
    model: str


@dataclass(slots=True)
class Quality:
    """What reviewers did with the records and merges that a maker proposed, in extractions that were decided.

    Each record counts once. `accepted` are those of approved ones that were neither edited, removed nor taken apart.
    `merges` are those the maker made of its own accord.
    """

    versions: int = 0
    rejected: int = 0
    proposed: int = 0
    accepted: int = 0
    edited: int = 0
    removed: int = 0
    merges: int = 0
    undone_merges: int = 0

    @property
    def accept_rate(self) -> float | None:
        return _share(self.accepted, self.proposed)

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
    groups: tuple[Group, ...]
    merges: tuple[Group, ...]
    in_period: bool

    @property
    def was_decided(self) -> bool:
        return self.was_approved or self.state == "rejected"


def quality_since(since: datetime) -> list[tuple[Maker, Quality]]:
    """Return for each maker what became of the extractions of which a version was decided since then.

    They are told of whole, whatever in them is older, and whenever they were made.
    """
    versions = _versions(since)
    # What led from an extraction to what was decided of it. What is pending still tells nothing: it may go on.
    decided = [version for version in versions.values() if version.was_decided]
    lines = {version.pk: line for version in decided if (line := _line(version, versions))}
    origin = {pk: line[-1].pk for line in lines.values() for pk in (version.pk for version in line)}
    approved = {origin[pk] for pk in lines if versions[pk].was_approved}
    acts: defaultdict[int, list[Decision]] = defaultdict(list)
    for act in _standing_acts(versions.values()):
        if act.made_id in origin:
            acts[origin[act.made_id]].append(act)
    found: defaultdict[Maker, Quality] = defaultdict(Quality)
    for pk in {origin[pk] for pk in lines if versions[pk].in_period}:
        _count(found[versions[pk].maker], versions[pk], acts[pk], approved=pk in approved)
    return sorted(found.items(), key=lambda item: (item[0].lane, item[0].prompt, item[0].model))


def _versions(since: datetime) -> dict[int, _Version]:
    """Return the versions decided since then with all others of their artifacts, which have those they came from."""
    artifacts = ArtifactVersion.objects.filter(decided_at__gte=since).values("artifact")
    rows = ArtifactVersion.objects.filter(artifact__in=artifacts).values_list(
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
            groups=_groups(lane, applied or ()),
            merges=_groups(lane, (group for group in applied or () if group.get("by") != REVIEW)),
            in_period=decided_at is not None and decided_at >= since,
        )
        for pk, parent, artifact, origin, state, decided_at, lane, prompt, provider, records, applied in rows
    }


def _model(provider: Mapping[str, object] | None) -> str:
    if not provider:
        return "?"
    return str(provider.get("model") or provider.get("provider") or "?")


def _groups(lane: str, applied: Iterable[Mapping[str, Any]]) -> tuple[Group, ...]:
    """Return the members of each group that was united, as decisions name them."""
    keys = [[key_of(member, anchored=lane == PLACES) for member in group["members"]] for group in applied]
    groups = [frozenset(NamedRecord(key["key"], key["anchor"]) for key in group) for group in keys]
    return tuple(group for group in groups if len(group) > 1)


def _line(version: _Version, versions: Mapping[int, _Version]) -> list[_Version]:
    """Return the version and its parents to its extraction; nothing where one of them was removed."""
    line = [version]
    while not line[-1].extracted:
        parent = versions.get(line[-1].parent or 0)
        if parent is None:
            return []
        line.append(parent)
    return line


def _standing_acts(versions: Iterable[_Version]) -> list[Decision]:
    """Return the acts that no undo, withdrawal or rejection has taken back, those of one session and lane in order."""
    artifacts = {version.artifact for version in versions}
    histories: defaultdict[tuple[int, str], list[Decision]] = defaultdict(list)
    rows = Decision.objects.filter(made__artifact__in=artifacts).order_by("pk")
    for row in rows.only("kind", "about_id", "made_id", "session_id", "lane", "data", "keys"):
        histories[row.session_id, row.lane].append(row)
    gone = abandoned(ArtifactVersion.objects.filter(artifact__in=artifacts))
    return [row for history in histories.values() for row in live_of(history, gone)]


def _count(quality: Quality, version: _Version, acts: Sequence[Decision], *, approved: bool) -> None:
    quality.versions += 1
    quality.rejected += not approved
    quality.proposed += version.records
    outcome = outcome_of(version.maker.lane, version.groups, version.merges, acts)
    quality.accepted += max(0, version.records - outcome.changed) if approved else 0
    quality.edited += outcome.edited
    quality.removed += outcome.removed
    quality.merges += len(version.merges)
    quality.undone_merges += outcome.undone


def _share(part: int, whole: int) -> float | None:
    return min(1.0, part / whole) if whole else None
