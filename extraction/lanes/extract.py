"""The extract stage: one checkpointed model call a chunk, results in document order whatever order they return in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeAlias

from extraction.canonical import JsonValue, digest
from extraction.checkpoints.codec import StoredReply, decode, encode
from extraction.checkpoints.fingerprint import checkpoint_key, component_fingerprint
from extraction.codes import Code
from extraction.errors import InvalidCompletion, LaneFailed
from extraction.findings import Decision, Finding, bounded, decide, rejection
from extraction.lanes.attempts import Attempted, RetryRequest, StageOutcome, run_attempts
from extraction.lanes.calls import parse, prepare, prompt_identity
from extraction.lanes.chunk import Chunk
from extraction.lanes.job import LaneJob
from extraction.lanes.lane import Lane, Materials, R, Scope, Validator
from extraction.lanes.ports import LanePorts
from extraction.lanes.side_by_side import Again, Stopped, run_side_by_side


@dataclass(frozen=True, slots=True)
class Reading(Generic[R]):
    """What one reply came to: `data` is its decoded JSON, None where no attempt gave a usable one."""

    data: JsonValue
    records: tuple[R, ...]


@dataclass(frozen=True, slots=True)
class ChunkReading(Generic[R]):
    chunk: Chunk
    outcome: StageOutcome[Reading[R]]
    attempts: int
    reused: bool


def extract_fingerprint(lane: Lane[R], job: LaneJob) -> str:
    """Return the digest of everything that gives this lane's extraction its meaning."""
    return component_fingerprint({"stage": "extract", **_meaning(lane, job, lane.extract.validators)})


def _meaning(lane: Lane[R], job: LaneJob, validators: Sequence[Validator[R]]) -> Mapping[str, JsonValue]:
    return {
        "lane": lane.key,
        "version": lane.version,
        "policies": list(lane.policies),
        "prompt": prompt_identity(job, lane.extract.prompt, lane.extract.reply),
        "profile": job.profile.meaning(),
        "provider": job.client.identity,
        "validators": [validator.__name__ for validator in validators],
        "references": {
            name: digest(bound.meaning())
            for name, bound in job.references.items()
            if name not in lane.slots or not lane.slots[name].only_cuts
        },
    }


def extract_chunks(
    lane: Lane[R], job: LaneJob, scope: Scope, chunks: Sequence[Chunk], ports: LanePorts
) -> list[ChunkReading[R]]:
    """Return one reading a chunk, in document order.

    Raises LaneFailed, after every other chunk was tried and kept, where a chunk stayed invalid to the end of its
    budget; the LlmError kinds as they come.
    """
    readings: dict[int, ChunkReading[R]] = {}
    total = len(chunks) + (lane.proposal is not None)
    fingerprint = extract_fingerprint(lane, job)
    todo = []
    for chunk in chunks:
        ports.pulse()  # reading what is kept of a very long transcript takes longer than a lease
        item = _ChunkWork(lane, job, replace(scope, chunk=chunk), chunk, fingerprint, ports)
        if (kept := item.reuse()) is not None:
            readings[item.chunk.number] = kept
        else:
            todo.append(item)
    ports.progress(len(readings), total)
    first = round(job.start_at * len(todo))
    in_turn = [item.call for item in (*todo[first:], *todo[:first])]

    def keep(worked: _Worked[R]) -> None:
        item, reading = worked
        item.keep(reading)
        readings[reading.chunk.number] = reading
        ports.progress(len(readings), total)

    run_side_by_side(in_turn, limit=job.profile.concurrency, ports=ports, done=keep)
    ordered = [readings[chunk.number] for chunk in chunks]
    _refuse_invalid(ordered)
    return ordered


def unanswered(lane: Lane[R], job: LaneJob, scope: Scope, chunks: Sequence[Chunk], ports: LanePorts) -> list[Materials]:
    """Return what a run would ask a model about: the materials of each chunk that no checkpoint answers."""
    fingerprint = extract_fingerprint(lane, job)
    work = (_ChunkWork(lane, job, replace(scope, chunk=chunk), chunk, fingerprint, ports) for chunk in chunks)
    return [item.materials for item in work if item.reuse() is None]


def _refuse_invalid(readings: Sequence[ChunkReading[R]]) -> None:
    failed = [reading.outcome.retry for reading in readings if reading.outcome.retry is not None]
    if failed:
        raise LaneFailed(
            f"{len(failed)} of {len(readings)} chunks had no valid answer within their attempts. The other chunks are"
            " kept: run the lane again to ask for the missing ones only.",
            code=Code.EXTRACT_INVALID,
            findings=bounded(finding for retry in failed for finding in retry.findings),
        )


class _ChunkWork(Generic[R]):
    """One chunk's call. `call` runs in a thread of its own; the rest in the lane's thread."""

    def __init__(
        self, lane: Lane[R], job: LaneJob, scope: Scope, chunk: Chunk, fingerprint: str, ports: LanePorts
    ) -> None:
        self.lane, self.job, self.scope, self.chunk, self.ports = lane, job, scope, chunk, ports
        self.budget = job.retries.extract + 1
        self.materials: Materials = lane.extract.materials(scope, chunk)
        self.key = checkpoint_key(fingerprint, job.document.digest, chunk.as_json(), digest(self.materials))

    def reuse(self) -> ChunkReading[R] | None:
        stored = decode(self.ports.checkpoints.get(self.key))
        if stored is None or not stored.holds_for(self.budget):
            return None
        outcome = self._read(stored.data) if stored.settled else self._fallback()
        return None if outcome.retry else ChunkReading(self.chunk, outcome, stored.attempts, reused=True)

    def call(self, stopped: Stopped) -> _Worked[R] | Again[_Worked[R]]:
        extract = self.lane.extract
        unit_ids = [self.scope.index.unit_at(at).unit_id for at in self.scope.chunk_positions]
        prepared = prepare(self.job, extract.prompt, extract.reply, self.materials, unit_ids, stopped)

        def attempt() -> StageOutcome[Reading[R]]:
            try:
                data = prepared.complete(self.job, self.ports.record)
            except InvalidCompletion as error:
                return self._invalid(error)
            return self._read(data)

        def settle(attempted: Attempted[Reading[R]]) -> _Worked[R]:
            outcome = attempted.outcome
            if not attempted.settled and extract.fallback is not None:
                outcome = self._fallback()
            return self, ChunkReading(self.chunk, outcome, attempted.attempts, reused=False)

        return run_attempts(self.job.retries.extract, attempt, settle)

    def keep(self, reading: ChunkReading[R]) -> None:
        if reading.outcome.retry is None:
            data = reading.outcome.value.data
            stored = StoredReply(data, reading.attempts, self.budget, settled=data is not None)
            self.ports.checkpoints.put(self.key, encode(stored))

    def _read(self, data: JsonValue) -> StageOutcome[Reading[R]]:
        try:
            reply = parse(self.lane.extract.reply, data)
        except InvalidCompletion as error:
            return self._invalid(error)
        records = self.lane.extract.read(reply, self.scope)
        findings = [self._placed(f) for validate in self.lane.extract.validators for f in validate(records, self.scope)]
        retry = None
        if decide(findings) is Decision.REJECT:
            retry = RetryRequest(tuple(findings))
        return StageOutcome(Reading(data, tuple(records)), tuple(findings), retry)

    def _fallback(self) -> StageOutcome[Reading[R]]:
        """Return what stands without a valid answer; asks for a retry where the lane has no such thing."""
        if self.lane.extract.fallback is None:
            return StageOutcome(Reading(None, ()), retry=RetryRequest(()))
        records, finding = self.lane.extract.fallback(self.scope)
        return StageOutcome(Reading(None, tuple(records)), (self._placed(finding),))

    def _invalid(self, error: InvalidCompletion) -> StageOutcome[Reading[R]]:
        return StageOutcome(Reading(None, ()), retry=RetryRequest((self._placed(rejection(error.code)),)))

    def _placed(self, finding: Finding) -> Finding:
        where = f"chunk[{self.chunk.number}]"
        return replace(finding, where=f"{where}.{finding.where}" if finding.where else where)


_Worked: TypeAlias = tuple[_ChunkWork[R], ChunkReading[R]]
