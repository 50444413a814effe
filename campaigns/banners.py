"""What stands above the records of a version until somebody acts on it: that it is out of date, and contradictions."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from campaigns.act_forms import Seen
from campaigns.actions import decisions
from campaigns.actions.history import Stack
from campaigns.actions.staleness import TRANSCRIPT, at_work, stale_artifacts, why_stale
from campaigns.deciding import did
from campaigns.models import ArtifactVersion, Decision, GameSession
from campaigns.stale_wording import sentences
from campaigns.wording import LANE_NAMES, lane_name
from extraction.registry import is_registry

if TYPE_CHECKING:
    from campaigns.querysets import ArtifactVersionQuerySet


@dataclass(frozen=True, slots=True)
class OutOfDate:
    """Why a version is out of date, and the lanes that one click makes anew: none where all are at work already.

    `of_transcript` says whether it cites an earlier revision.
    """

    reasons: tuple[str, ...]
    of_transcript: bool
    lanes: tuple[str, ...]
    at_work: bool


@dataclass(frozen=True, slots=True)
class Opposed:
    """One decision of a contradiction, in words; `undo` where it is the newest act, else it is withdrawn."""

    decision: Decision
    did: str
    undo: bool


@dataclass(frozen=True, slots=True)
class OfLane:
    """Something that waits in one lane of a session."""

    lane: str

    @property
    def name(self) -> str:
        return lane_name(self.lane)


@dataclass(frozen=True, slots=True)
class Contradicted(OfLane):
    """How many contradictions there are on a session's registry, and the version on whose page they stand."""

    version_id: int
    count: int


def out_of_date(version: ArtifactVersion) -> OutOfDate | None:
    """Return why the version is out of date; None for one that is not."""
    reasons = why_stale(version)
    if not reasons:
        return None
    session = version.artifact.session
    busy = at_work(session)
    free = tuple(lane_name(lane) for lane in renewable(session) if lane not in busy)
    of_transcript = any(reason.kind == TRANSCRIPT for reason in reasons)
    return OutOfDate(sentences(version, reasons), of_transcript, free, version.artifact.lane in busy)


def renewable(session: GameSession) -> list[str]:
    """Return the lanes of the session whose newest version is out of date, in the order in which people read them."""
    stale = {one.version.artifact.lane for one in stale_artifacts(session) if one.is_head}
    return [lane for lane in LANE_NAMES if lane in stale]


def contradictions(version: ArtifactVersion, stack: Stack) -> list[list[Opposed]]:
    """Return the sets of standing decisions on the version's artifact that cannot all hold."""
    lane = version.artifact.lane
    if not is_registry(lane):
        return []
    newest = stack.next_undo
    found: Sequence[Sequence[Decision]] = decisions.contradictions(version.artifact.session, lane)
    names = Seen.of(version).spelled() if found else {}
    return [
        [Opposed(row, did(row, names), newest is not None and row.pk == newest.pk) for row in rows] for rows in found
    ]


def contradicted_in(sessions: Collection[int]) -> Mapping[int, tuple[Contradicted, ...]]:
    """Return by session what of it has contradictions, in reading order: one query where nothing was decided."""
    registries = [lane for lane in LANE_NAMES if is_registry(lane)]
    histories: dict[tuple[int, str], list[Decision]] = {}
    told = Decision.objects.only("session", "lane", "kind", "keys", "data", "about", "made")
    for row in told.filter(session__in=sessions, lane__in=registries).order_by("pk"):
        histories.setdefault((row.session_id, row.lane), []).append(row)
    if not histories:
        return {}
    decided = {session for session, _ in histories}
    versions = ArtifactVersion.objects.filter(artifact__session__in=decided, artifact__lane__in=registries)
    gone = decisions.abandoned(versions)
    pages = _newest(versions)
    found: dict[int, tuple[Contradicted, ...]] = {}
    for (session, lane), rows in sorted(histories.items(), key=lambda item: registries.index(item[0][1])):
        count = len(decisions.contradictions_of(decisions.live_of(rows, gone)))
        if count:
            found[session] = (*found.get(session, ()), Contradicted(lane, pages[session, lane], count))
    return found


def _newest(versions: ArtifactVersionQuerySet) -> Mapping[tuple[int, str], int]:
    """Return by session and lane the newest version that may be used, the newest of all where none may."""
    rows = versions.order_by("number").values_list("artifact__session", "artifact__lane", "pk", "state")
    usable = (ArtifactVersion.State.PENDING, ArtifactVersion.State.APPROVED)
    ranked = sorted(rows, key=lambda row: row[3] in usable)
    return {(session, lane): pk for session, lane, pk, _ in ranked}
