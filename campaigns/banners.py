"""What stands above the records of a version until somebody acts on it: that it is out of date, and contradictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from campaigns.actions import decisions
from campaigns.actions.history import Stack
from campaigns.actions.staleness import TRANSCRIPT, at_work, stale_artifacts, why_stale
from campaigns.deciding import did
from campaigns.models import ArtifactVersion, Decision, GameSession
from campaigns.stale_wording import sentences
from campaigns.wording import LANE_NAMES, lane_name
from extraction.registry import is_registry


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
    return [[Opposed(row, did(row), newest is not None and row.pk == newest.pk) for row in rows] for rows in found]
