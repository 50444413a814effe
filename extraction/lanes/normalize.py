"""The normalize stage: deterministic tidying, then at most one model call an attempt, applied by deterministic code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Generic

from extraction.canonical import JsonValue, digest
from extraction.checkpoints.codec import StoredReply, decode, encode
from extraction.checkpoints.fingerprint import checkpoint_key, component_fingerprint
from extraction.errors import InvalidCompletion
from extraction.findings import Finding
from extraction.lanes.attempts import Attempted, StageOutcome, run_attempts
from extraction.lanes.calls import parse, prepare, prompt_identity
from extraction.lanes.job import LaneJob
from extraction.lanes.lane import Lane, Proposal, Question, R, Scope, Settled
from extraction.lanes.ports import LanePorts
from extraction.lanes.side_by_side import Again, Stopped, run_side_by_side


@dataclass(frozen=True, slots=True)
class Normalized(Generic[R]):
    """What normalize came to; `proposal` is what the manifest keeps of the model's part."""

    settled: Settled[R]
    findings: tuple[Finding, ...]
    proposal: Mapping[str, JsonValue] = field(default_factory=lambda: MappingProxyType({}))


def normalize_fingerprint(lane: Lane[R], proposal: Proposal[R], job: LaneJob) -> str:
    """Return the digest of everything that gives the proposal call its meaning."""
    return component_fingerprint(
        {
            "stage": "normalize",
            "lane": lane.key,
            "version": lane.version,
            "policies": [*lane.policies, *proposal.policies],
            "prompt": prompt_identity(job, proposal.prompt, proposal.reply),
            "profile": job.profile.meaning(),
            "provider": job.client.identity,
        }
    )


def normalize_records(
    lane: Lane[R], job: LaneJob, scope: Scope, merged: Sequence[R], ports: LanePorts
) -> Normalized[R]:
    """Return the normalized records.

    An answer that is not wholly safe is asked for again while the budget lasts; then the last attempt's safe
    fallback stands with exactly one durable warning. Operational errors come through as they are.
    """
    tidied = lane.normalize(merged, scope)
    if lane.proposal is None:
        return Normalized(Settled(tidied.value), tidied.findings)
    question = lane.proposal.ask(tidied.value, scope)
    if not isinstance(question, Question):
        unasked = lane.proposal.unasked(tidied.value, scope)
        return Normalized(unasked.value, (*tidied.findings, *(question or ()), *unasked.findings))
    stored, reused = _answer(lane, lane.proposal, job, scope, tidied.value, question, ports)
    outcome = _applied(lane.proposal, tidied.value, stored.data, scope)
    # Before the warnings of single groups, which may be many: a bounded report keeps what stands first.
    omitted = () if outcome.retry is None else (lane.proposal.omitted(outcome),)
    findings = (*tidied.findings, *omitted, *outcome.findings)
    facts: dict[str, JsonValue] = {
        "prompt": prompt_identity(job, lane.proposal.prompt, lane.proposal.reply),
        "attempts": stored.attempts,
        "reused": reused,
        "fallback": outcome.retry is not None,
        **question.counts,
    }
    return Normalized(outcome.value, findings, facts)


def _answer(
    lane: Lane[R],
    proposal: Proposal[R],
    job: LaneJob,
    scope: Scope,
    records: Sequence[R],
    question: Question,
    ports: LanePorts,
) -> tuple[StoredReply, bool]:
    """Return the reply to apply, and whether it came from a checkpoint."""
    budget = job.retries.normalize + 1
    key = checkpoint_key(normalize_fingerprint(lane, proposal, job), job.document.digest, digest(question.materials))
    stored = decode(ports.checkpoints.get(key))
    if stored is not None and stored.holds_for(budget):
        return stored, True
    replies: list[JsonValue] = []

    def propose(stopped: Stopped) -> Attempted[Settled[R]] | Again[Attempted[Settled[R]]]:
        prepared = prepare(job, proposal.prompt, proposal.reply, question.materials, stopped=stopped)

        def attempt() -> StageOutcome[Settled[R]]:
            try:
                data = prepared.complete(job, ports.record)
            except InvalidCompletion:
                data = None
            replies.append(data)
            return _applied(proposal, records, data, scope)

        return run_attempts(job.retries.normalize, attempt, lambda attempted: attempted)

    attempted: list[Attempted[Settled[R]]] = []
    run_side_by_side([propose], limit=1, ports=ports, done=attempted.append)
    fresh = StoredReply(replies[-1], attempted[0].attempts, budget, attempted[0].settled)
    ports.checkpoints.put(key, encode(fresh))
    return fresh, False


def _applied(proposal: Proposal[R], records: Sequence[R], data: JsonValue, scope: Scope) -> StageOutcome[Settled[R]]:
    reply = None
    if data is not None:
        try:
            reply = parse(proposal.reply, data)
        except InvalidCompletion:
            reply = None
    return proposal.apply(records, reply, scope)
