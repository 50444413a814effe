"""Runs of the soak as rows: started, looked at, judged, and removed. Needs Django to be set up."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from campaigns.actions import runs
from campaigns.actions.transcripts import import_transcript
from campaigns.models import ArtifactVersion, Campaign, Checkpoint, Exchange, GameSession, LaneRun, Run
from extraction.canonical import canonical_json
from extraction.codes import Code
from extraction.pipelines.config import read_pipeline
from extraction.registry import LANES
from tests.soak import audit, story

SLUG = "lighthouse"
POISONED = "dnd/npcs"
# These read the registry that the run itself should have made.
DEPENDENT = {key for key, lane in LANES.items() if POISONED in (slot.lane for slot in lane.slots.values())}


@dataclass(frozen=True, slots=True)
class Judged:
    """What a run is held against; `seen` are the checkpoints that were there while it went on."""

    reference: Mapping[str, str]
    seen: Mapping[str, bytes]
    checkpoints: int
    poisoned: bool
    backends_change: bool


def start(others: int, chunks: int, *, wide: bool) -> Run:
    """Make a campaign of one session, with `others` small ones beside it, and start a run of each."""
    Campaign.objects.all().delete()
    campaign = Campaign.objects.create(slug=SLUG, name="The Lighthouse")
    run = _started(campaign, 1, story.transcript(chunks), story.pipeline(*story.steps(wide=wide)))
    for number in range(2, others + 2):
        _started(campaign, number, story.short_transcript(number), story.pipeline(("npcs",), name="small"))
    return run


def _started(campaign: Campaign, number: int, data: bytes, pipeline: str) -> Run:
    import_transcript(campaign=campaign, number=number, data=data, filename="session.json", by=None)
    session = GameSession.objects.get(campaign=campaign, number=number)
    return runs.start(session=session, pipeline=read_pipeline(pipeline, "soak"), lanes=None, by=None)


def poisoned_holder(run: Any) -> str:
    """Return who holds the poisoned lane; nothing where nobody does."""
    rows = run.lanes.filter(key=POISONED, state="running").values_list("holder", flat=True)
    return str(rows.first() or "")


def forget_campaigns() -> None:
    Campaign.objects.all().delete()


def all_ended() -> bool:
    return not Run.objects.unfinished().exists()


def kept(run: Any) -> dict[str, bytes]:
    """Return the digests of the checkpoints of the run's session."""
    rows = Checkpoint.objects.filter(session=run.session_id).values_list("key", "value")
    return {key: hashlib.sha256(value).digest() for key, value in rows}


def digests(run: Any) -> dict[str, str]:
    versions = ArtifactVersion.objects.filter(artifact__session=run.session_id)
    return dict(versions.values_list("artifact__lane", "digest"))


def timeouts(run: Any) -> int:
    """Return how many calls of the run were given up waiting for."""
    return Exchange.objects.filter(lane__run=run, outcome=Code.LLM_TIMEOUT.value).count()


def claims(run: Any) -> int:
    return audit.claims(list(run.lanes.values_list("pk", flat=True)))


def failures(run: Any, judged: Judged) -> list[str]:
    """Return every promise that the run broke, in words; none where all were kept."""
    run.refresh_from_db()
    lanes = {lane.key: lane for lane in run.lanes.all()}
    found = [*_ended(run, lanes, judged), *_versions(run, judged)]
    now = kept(run)
    lost = [key for key, value in judged.seen.items() if now.get(key) != value]
    if lost:
        found.append(f"{len(lost)} checkpoints lost")
    if not judged.poisoned and len(now) != judged.checkpoints:
        found.append(f"{len(now)} checkpoints, {judged.checkpoints} in the undisturbed run")
    return found + audit.violations([lane.pk for lane in lanes.values()], backends_change=judged.backends_change)


def _ended(run: Run, lanes: Mapping[str, LaneRun], judged: Judged) -> list[str]:
    """Return which runs and lanes did not end as they should."""
    expected = dict.fromkeys(judged.reference, ("succeeded", ""))
    if judged.poisoned:
        expected[POISONED] = ("failed", Code.RUN_ATTEMPTS_EXHAUSTED.value)
        expected |= dict.fromkeys(DEPENDENT & judged.reference.keys(), ("blocked", Code.RUN_BLOCKED.value))
    found = [
        f"{key} ended {lane.state} {lane.error_code} after {lane.attempts} attempts"
        for key, lane in lanes.items()
        if (lane.state, lane.error_code) != expected[key]
    ]
    others = Run.objects.exclude(pk=run.pk).exclude(state="succeeded").count()
    if others:
        found.append(f"{others} of the other runs did not succeed")
    if run.state != ("failed" if judged.poisoned else "succeeded"):
        found.append(f"the run is {run.state}")
    live = LaneRun.objects.filter(state="running").count()
    return found + ([f"{live} lanes are held still"] if live else [])


def _versions(run: Run, judged: Judged) -> list[str]:
    """Return what is wrong with the artifacts: missing, doubled, different, or not whole."""
    found = []
    expected = {key: value for key, value in judged.reference.items() if not judged.poisoned or _stands(key)}
    if digests(run) != expected:
        found.append("the artifacts differ from those of the undisturbed run")
    for version in ArtifactVersion.objects.filter(artifact__session=run.session_id):
        payload = json.loads(version.payload)
        whole = (
            canonical_json(payload).decode() == version.payload
            and hashlib.sha256(version.payload.encode()).hexdigest() == version.digest
            and version.record_count == max(len(value) for value in payload.values() if isinstance(value, list))
            and version.manifest.get("lane") == version.artifact.lane
            and version.number == 1
        )
        if not whole:
            found.append(f"version {version.number} of {version.artifact.lane} is not whole")
    return found


def _stands(key: str) -> bool:
    return key != POISONED and key not in DEPENDENT
