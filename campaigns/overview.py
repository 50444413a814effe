"""What a session has: each lane's artifact with its versions, and what the lane's newest run says, in three queries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Max

from campaigns.models import ArtifactVersion, GameSession, LaneRun, Transcript
from campaigns.remedies import remedy_for
from campaigns.wording import LANE_NAMES, lane_name, sentence_for, warnings_in

State = LaneRun.State
STOPPED = (State.FAILED, State.BLOCKED)
MOST_REASONS = 5


@dataclass(frozen=True, slots=True)
class VersionRow:
    """One version; `outdated` if it was made from an earlier revision of the transcript."""

    pk: int
    number: int
    state: str
    records: int
    warnings: int
    outdated: bool


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why the lane's newest run gave no artifact, and what to do about it."""

    state: str
    message: str
    code: str
    reasons: tuple[str, ...]
    remedy: str


@dataclass(frozen=True, slots=True)
class LaneRow:
    """One lane. `versions` are the usable ones, the newest first: at most a pending one and an approved one."""

    lane: str
    name: str
    versions: tuple[VersionRow, ...]
    at_work: str
    trouble: Trouble | None

    @property
    def rows(self) -> int:
        """How many rows of a table it takes."""
        return max(1, len(self.versions)) + (self.trouble is not None)


@dataclass(frozen=True, slots=True)
class Overview:
    transcript: Transcript | None
    lanes: tuple[LaneRow, ...]

    @property
    def pending(self) -> int:
        return sum(version.state == "pending" for lane in self.lanes for version in lane.versions)

    @property
    def troubled(self) -> int:
        return sum(lane.trouble is not None for lane in self.lanes)


def overview_of(session: GameSession) -> Overview:
    """Return all ten lanes, those without anything too, and after them any other lane that has an artifact."""
    transcript = session.transcripts.order_by("-revision").first()
    versions = _versions(session, transcript)
    newest = LaneRun.objects.filter(run__session=session).values("key").annotate(last=Max("pk")).values("last")
    runs = {run.key: run for run in LaneRun.objects.filter(pk__in=newest)}
    keys = dict.fromkeys((*LANE_NAMES, *sorted(versions), *sorted(runs)))
    return Overview(transcript, tuple(_lane(key, versions.get(key, ()), runs.get(key)) for key in keys))


def _versions(session: GameSession, transcript: Transcript | None) -> dict[str, list[VersionRow]]:
    rows = ArtifactVersion.objects.usable().filter(artifact__session=session).order_by("artifact__lane", "-number")
    found: dict[str, list[VersionRow]] = {}
    for lane, pk, number, state, records, findings, made_from in rows.values_list(
        "artifact__lane", "pk", "number", "state", "record_count", "findings", "transcript_id"
    ):
        outdated = transcript is not None and made_from != transcript.pk
        found.setdefault(lane, []).append(VersionRow(pk, number, state, records, warnings_in(findings), outdated))
    return found


def _lane(key: str, versions: Iterable[VersionRow], run: LaneRun | None) -> LaneRow:
    at_work = ""
    if run is not None and run.state in LaneRun.UNFINISHED:
        at_work = f"{run.chunks_done} of {run.chunks_total} chunks" if run.chunks_total else run.state
    return LaneRow(key, lane_name(key), tuple(versions), at_work, _trouble(run))


def _trouble(run: LaneRun | None) -> Trouble | None:
    if run is None or run.state not in STOPPED:
        return None
    reasons = tuple(dict.fromkeys(map(sentence_for, run.findings)))[:MOST_REASONS]
    return Trouble(run.state, run.error_message, run.error_code, reasons, remedy_for(run.error_code))
