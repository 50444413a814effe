"""What waits for whom: everything in one's campaigns that the next good minutes can be spent on.

The order is that of usefulness. First what failed, which one click may mend; then decisions that contradict each other,
of which a run applies none; then what was made from something that has changed since; then what waits for a judgement,
the newest session first and in it registries before what reads them; then what was never made; last what is at work.

The minutes are a rule of thumb, not a measurement: each record takes SECONDS of its family to be looked at beside its
lines, each merge MERGE_SECONDS to be compared member by member, each warning WARNING_SECONDS to be settled.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Max

from campaigns.access import Actor, visible_campaigns
from campaigns.actions.staleness import made_otherwise, stale_artifacts
from campaigns.banners import Contradicted, OfLane, contradicted_in
from campaigns.fights import titles_left
from campaigns.given_titles import titled_in
from campaigns.models import ArtifactVersion, Campaign, GameSession, LaneRun, Membership, Transcript
from campaigns.overview import STOPPED
from campaigns.remedies import remedy_for
from campaigns.stale_wording import sentences
from campaigns.wording import LANE_NAMES, lane_name, session_heading, warnings_in

if TYPE_CHECKING:
    from campaigns.querysets import CampaignQuerySet

SECONDS: Mapping[str, int] = {
    "dnd/scenes": 6,
    "dnd/npcs": 8,
    "dnd/items": 8,
    "dnd/locations": 8,
    "dnd/npc-occurrences": 5,
    "dnd/item-occurrences": 6,
    "dnd/location-occurrences": 5,
    "dnd/combat-turns": 20,
    "dnd/spells": 6,
    "dnd/enemy-events": 6,
}
OTHER_SECONDS = 8
MERGE_SECONDS = 15
WARNING_SECONDS = 8
TURNS, SCENES = "dnd/combat-turns", "dnd/scenes"
RANK = {lane: number for number, lane in enumerate(LANE_NAMES)}


@dataclass(frozen=True, slots=True)
class Pending(OfLane):
    """A version that waits for a decision. `merges` were applied, `left_out` are proposed merges that were not."""

    version_id: int
    number: int
    records: int
    merges: int
    left_out: int
    warnings: int
    outdated: bool

    @property
    def noun(self) -> str:
        return "turn" if self.lane == TURNS else "record"

    @property
    def seconds(self) -> int:
        each = SECONDS.get(self.lane, OTHER_SECONDS)
        return each * self.records + MERGE_SECONDS * self.merges + WARNING_SECONDS * self.warnings

    @property
    def minutes(self) -> int:
        return minutes_of(self.seconds)


@dataclass(frozen=True, slots=True)
class Stopped(OfLane):
    """A lane whose newest run gave nothing, and what to do about it."""

    state: str
    message: str
    code: str

    @property
    def remedy(self) -> str:
        return remedy_for(self.code)


@dataclass(frozen=True, slots=True)
class Outdated(OfLane):
    """A lane's newest version that was made from something that has changed since."""

    version_id: int
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AtWork(OfLane):
    """A lane that a worker has, or will have: nobody needs to do anything."""

    progress: str


@dataclass(frozen=True, slots=True)
class SessionWork:
    """What waits in one session. `unmade` are lanes that never ran; without a transcript nothing can.

    `titles` were given by reviewers to scenes that are others now; `scenes_id` is the version of these.
    """

    pk: int
    number: int
    title: str
    has_transcript: bool
    stopped: tuple[Stopped, ...]
    contradicted: tuple[Contradicted, ...]
    stale: tuple[Outdated, ...]
    pending: tuple[Pending, ...]
    unmade: tuple[str, ...]
    at_work: tuple[AtWork, ...]
    titles: tuple[str, ...] = ()
    scenes_id: int | None = None

    @property
    def heading(self) -> str:
        return session_heading(self.number, self.title)

    @property
    def minutes(self) -> int:
        return minutes_of(sum(version.seconds for version in self.pending))

    @property
    def unmade_names(self) -> tuple[str, ...]:
        return tuple(map(lane_name, self.unmade))


@dataclass(frozen=True, slots=True)
class CampaignWork:
    slug: str
    name: str
    sessions: tuple[SessionWork, ...]

    @property
    def stopped(self) -> tuple[SessionWork, ...]:
        return tuple(session for session in self.sessions if session.stopped)

    @property
    def contradicted(self) -> tuple[SessionWork, ...]:
        return tuple(session for session in self.sessions if session.contradicted)

    @property
    def titled(self) -> tuple[SessionWork, ...]:
        return tuple(session for session in self.sessions if session.titles)

    @property
    def stale(self) -> tuple[SessionWork, ...]:
        return tuple(session for session in self.sessions if session.stale)

    @property
    def pending(self) -> tuple[SessionWork, ...]:
        return tuple(session for session in self.sessions if session.pending)

    @property
    def unmade(self) -> tuple[SessionWork, ...]:
        return tuple(session for session in self.sessions if session.unmade)

    @property
    def at_work(self) -> tuple[SessionWork, ...]:
        return tuple(session for session in self.sessions if session.at_work)

    @property
    def without_transcript(self) -> tuple[SessionWork, ...]:
        return tuple(session for session in self.sessions if not session.has_transcript)

    @property
    def versions(self) -> int:
        return sum(len(session.pending) for session in self.sessions)

    @property
    def minutes(self) -> int:
        return minutes_of(sum(version.seconds for session in self.sessions for version in session.pending))

    @property
    def idle(self) -> bool:
        judged = self.contradicted or self.titled or self.stale or self.pending
        return not (self.stopped or judged or self.unmade or self.at_work or self.without_transcript)


def minutes_of(seconds: int) -> int:
    """Return the minutes, rounded up."""
    return -(-seconds // 60)


def managed_campaigns(actor: Actor) -> CampaignQuerySet:
    """Return the campaigns that the person manages: a site admin all, others those that they are game master of."""
    seen = visible_campaigns(actor)
    if actor.user is None:
        return seen.none()
    if actor.user.is_superuser:
        return seen
    own = Membership.objects.filter(user=actor.user, role=Membership.Role.GM)
    return seen.filter(pk__in=own.values("campaign"))


def work_in(campaigns: Sequence[Campaign]) -> tuple[CampaignWork, ...]:
    """Return what waits in each campaign, the most useful first.

    That takes eight queries, and some more for each session that something may be out of date in, or in which scenes
    wait that people have titled before.
    """
    ids = [campaign.pk for campaign in campaigns]
    newest, usable, runs = _newest_transcripts(ids), _usable(ids), _newest_runs(ids)
    found_sessions = list(GameSession.objects.filter(campaign__in=ids).order_by("-number"))
    opposed = contradicted_in([session.pk for session in found_sessions])
    titled = titled_in([session.pk for session in found_sessions])
    sessions: dict[int, list[SessionWork]] = {}
    for session in found_sessions:
        own, made, source = runs.get(session.pk, {}), usable.get(session.pk, ()), newest.get(session.pk)
        known = own.keys() | {version.artifact.lane for version in made}
        settled = {run.key for run in own.values() if run.state in (*STOPPED, *LaneRun.UNFINISHED)}
        scenes = next((version for version in reversed(made) if version.artifact.lane == SCENES), None)
        unsettled = scenes is not None and scenes.state == ArtifactVersion.State.PENDING and session.pk in titled
        work = SessionWork(
            session.pk,
            session.number,
            session.title,
            source is not None,
            tuple(_stopped(run) for run in own.values() if run.state in STOPPED),
            opposed.get(session.pk, ()),
            tuple(_outdated(session, made, source, settled)) if source is not None else (),
            tuple(_pending(version, source) for version in made if version.state == ArtifactVersion.State.PENDING),
            tuple(lane for lane in LANE_NAMES if lane not in known) if source is not None else (),
            tuple(_at_work(run) for run in own.values() if run.state in LaneRun.UNFINISHED),
            titles_left(scenes) if scenes is not None and unsettled else (),
            scenes.pk if scenes is not None else None,
        )
        sessions.setdefault(session.campaign_id, []).append(work)
    found = (CampaignWork(each.slug, each.name, tuple(sessions.get(each.pk, ()))) for each in campaigns)
    return tuple(sorted(found, key=_usefulness))


def _usefulness(work: CampaignWork) -> tuple[bool, bool, bool, bool, bool, str]:
    return not work.stopped, not work.contradicted, not work.stale, not work.pending, work.idle, work.name


def lanes_to_run(session: GameSession, asked: Sequence[str]) -> list[str]:
    """Return those of the lanes that are not at work already, in the order in which people read them."""
    known = {lane for lane in asked if lane in LANE_NAMES}
    rows = LaneRun.objects.filter(run__session=session, key__in=known, state__in=LaneRun.UNFINISHED)
    return sorted(known.difference(rows.values_list("key", flat=True)), key=_rank)


def _rank(lane: str) -> tuple[int, str]:
    return RANK.get(lane, len(RANK)), lane


def _newest_transcripts(campaigns: Sequence[int]) -> Mapping[int, int]:
    """Return the newest transcript of each session that has one."""
    rows = Transcript.objects.filter(session__campaign__in=campaigns).order_by("revision")
    return dict(rows.values_list("session", "pk"))


def _usable(campaigns: Sequence[int]) -> Mapping[int, Sequence[ArtifactVersion]]:
    """Return each session's usable versions, lane by lane in reading order, the newest of a lane last."""
    rows = ArtifactVersion.objects.usable().filter(artifact__session__campaign__in=campaigns)
    found: dict[int, list[ArtifactVersion]] = {}
    versions = rows.select_related("artifact").defer("payload")
    for version in sorted(versions, key=lambda version: (_rank(version.artifact.lane), version.number)):
        found.setdefault(version.artifact.session_id, []).append(version)
    return found


def _pending(version: ArtifactVersion, newest: int | None) -> Pending:
    given = version.consolidations
    return Pending(
        version.artifact.lane,
        version.pk,
        version.number,
        version.record_count,
        len(given.get("applied", ())),
        sum(proposal["verdict"] != "applied" for proposal in given.get("proposals", ())),
        warnings_in(version.findings),
        version.transcript_id != newest,
    )


def _outdated(
    session: GameSession, usable: Sequence[ArtifactVersion], newest: int, settled: Collection[str]
) -> Iterator[Outdated]:
    """Return the lanes that a run would renew; those that failed or are at work are told of elsewhere."""
    heads = {version.artifact.lane: version for version in usable}
    approved = {version.artifact.lane: version for version in usable if version.state == ArtifactVersion.State.APPROVED}
    if not any(_may_be_stale(head, approved, newest) for head in heads.values()):
        return
    for found in sorted(stale_artifacts(session), key=lambda found: _rank(found.version.artifact.lane)):
        lane = found.version.artifact.lane
        if lane in heads and found.is_head and lane not in settled:
            yield Outdated(lane, found.version.pk, sentences(found.version, found.reasons))


def _may_be_stale(head: ArtifactVersion, approved: Mapping[str, ArtifactVersion], newest: int) -> bool:
    """Say whether it is worth asking: by numbers alone, which change more often than what they stand for."""
    bound = head.manifest.get("references", {}).values()
    return (
        head.transcript_id != newest
        or any(each["lane"] in approved and approved[each["lane"]].number != each["version"] for each in bound)
        or any(made_otherwise(head.artifact.lane, head.manifest))
    )


def _newest_runs(campaigns: Sequence[int]) -> Mapping[int, Mapping[str, LaneRun]]:
    """Return the newest run of each lane in each session, by session and lane in reading order."""
    of_campaigns = LaneRun.objects.filter(run__session__campaign__in=campaigns)
    newest = of_campaigns.values("run__session", "key").annotate(last=Max("pk")).values("last")
    rows = LaneRun.objects.filter(pk__in=newest).select_related("run").defer("findings", "run__plan")
    found: dict[int, dict[str, LaneRun]] = {}
    for run in sorted(rows, key=lambda run: _rank(run.key)):
        found.setdefault(run.run.session_id, {})[run.key] = run
    return found


def _stopped(run: LaneRun) -> Stopped:
    return Stopped(run.key, run.state, run.error_message, run.error_code)


def _at_work(run: LaneRun) -> AtWork:
    progress = f"{run.chunks_done} of {run.chunks_total} chunks" if run.chunks_total else run.state
    return AtWork(run.key, progress)
