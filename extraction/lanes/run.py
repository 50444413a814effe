"""Run one lane: chunk, extract, merge, normalize, validate, publish. The runner alone owns their order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial

from extraction.canonical import JsonValue, digest
from extraction.codes import Code
from extraction.errors import InputError, LaneFailed, PipelineError
from extraction.findings import Decision, Finding, bounded, decide
from extraction.lanes.calls import prepare, prompt_identity
from extraction.lanes.chunk import Chunk, ChunkLimits
from extraction.lanes.extract import ChunkReading, extract_chunks, extract_fingerprint
from extraction.lanes.job import LaneJob, LaneResult
from extraction.lanes.lane import AnyLane, Materials, Scope
from extraction.lanes.normalize import Normalized, normalize_fingerprint, normalize_records
from extraction.lanes.ports import LanePorts
from extraction.llm.boundary import StructuredRequest
from extraction.prompts.render import estimated_tokens, render
from extraction.source.index import DocumentIndex


def run_lane(lane: AnyLane, job: LaneJob, ports: LanePorts) -> LaneResult:
    """Return the lane's artifact over the job's document.

    Raises LaneFailed where no valid artifact came of it, ProviderUnavailable or RequestRefused where the provider
    gave no answer, RunCancelled or LeaseLost from `ports.pulse` and `ports.hold`, RunPaused where the latter says so.
    Finished calls stay in the checkpoints either way.
    """
    scope = document_scope(job)
    findings = _check_references(lane, scope)
    chunks = chunks_of(lane, job, scope)
    readings = extract_chunks(lane, job, scope, chunks, ports)
    ports.pulse()
    merged = lane.merge([reading.outcome.value.records for reading in readings], scope)
    ports.pulse()
    normalized = normalize_records(lane, job, scope, merged, ports)
    ports.pulse()
    records = normalized.settled.records
    # The document's findings stand first: they are few, and a bounded report cuts from the end.
    findings += [*normalized.findings, *(f for reading in readings for f in reading.outcome.findings)]
    findings += _validated(lane, records, scope)
    payload: dict[str, JsonValue] = {
        "schema": f"notarius.{lane.key.replace('/', '.')}.v1",
        "source": {
            "source_id": job.document.source_id,
            "digest": job.document.digest,
            "unit_count": len(job.document.units),
        },
        **lane.publish(records, scope),
    }
    ports.progress(len(chunks) + (lane.proposal is not None), len(chunks) + (lane.proposal is not None))
    return LaneResult(
        payload=payload,
        digest=digest(payload),
        record_count=len(records),
        consolidations=dict(normalized.settled.consolidations),
        findings=bounded(findings),
        manifest=_manifest(lane, job, readings, normalized, findings),
    )


def _check_references(lane: AnyLane, scope: Scope) -> list[Finding]:
    """Return what warns of the bound artifacts; raises where they cannot be used."""
    for name, slot in lane.slots.items():
        if slot.required and name not in scope.references:
            raise PipelineError(
                f"{lane.key} needs {slot.lane}: publish that artifact first.", code=Code.PIPELINE_UNBOUND
            )
    checks = [slot.check for name, slot in lane.slots.items() if name in scope.references]
    findings = bounded(finding for check in (*checks, lane.check) for finding in check(scope))
    if decide(findings) is Decision.REJECT:
        raise LaneFailed(
            "What is bound to the lane cannot be used with this transcript; no model was asked.",
            code=findings[0].code,
            findings=findings,
        )
    return list(findings)


def document_scope(job: LaneJob) -> Scope:
    """Return the scope of the whole document; InputError for a document whose unit ids are not usable."""
    try:
        index = DocumentIndex(job.document)
    except ValueError as error:
        raise InputError(
            "The transcript's unit ids are not unique positive numbers.", code=Code.INGEST_UNIT_ID
        ) from error
    return Scope(
        index, job.table, job.references, job.profile.input_budget, partial(_tokens, job), verdicts=job.verdicts
    )


def chunks_of(lane: AnyLane, job: LaneJob, scope: Scope) -> tuple[Chunk, ...]:
    """Return the lane's chunks under the job's profile."""
    return lane.chunk(scope, ChunkLimits(job.profile.chunk_units, job.profile.chunk_words))


def prepare_chunk_request(lane: AnyLane, job: LaneJob, number: int) -> StructuredRequest:
    """Return the request for chunk `number` (from 0) as it would be sent; IndexError where there is no such chunk."""
    scope = document_scope(job)
    chunk = chunks_of(lane, job, scope)[number]
    unit_ids = [unit.unit_id for unit in scope.index.between(chunk.start, chunk.end)]
    materials = lane.extract.materials(scope, chunk)
    return prepare(job, lane.extract.prompt, lane.extract.reply, materials, unit_ids).request


def _tokens(job: LaneJob, prompt_id: str, materials: Materials) -> int:
    return estimated_tokens(render(job.catalog[prompt_id], materials).messages)


def _validated(lane: AnyLane, records: Sequence[object], scope: Scope) -> list[Finding]:
    findings = [finding for validate in lane.validators for finding in validate(records, scope)]
    if decide(findings) is Decision.REJECT:
        raise LaneFailed(
            "The merged records break the rules of this artifact; nothing was published.",
            code=Code.NORMALIZE_INVALID,
            findings=bounded(findings),
        )
    return findings


def _manifest(
    lane: AnyLane,
    job: LaneJob,
    readings: Sequence[ChunkReading[object]],
    normalized: Normalized[object],
    findings: Sequence[Finding],
) -> dict[str, JsonValue]:
    """Return identities, counts and digests of how the artifact was made; no content."""
    manifest: dict[str, JsonValue] = {
        "lane": lane.key,
        "lane_version": lane.version,
        "policies": [*lane.policies, *(lane.proposal.policies if lane.proposal else ())],
        "validators": [validate.__name__ for validate in lane.validators],
        "document": job.document.digest,
        "profile": job.profile.meaning(),
        "provider": job.client.identity,
        "references": {
            slot: {"lane": bound.lane, "version": bound.version, "why": bound.why, "digest": digest(bound.meaning())}
            for slot, bound in job.references.items()
        },
        "extract": {
            "fingerprint": extract_fingerprint(lane, job),
            "prompt": prompt_identity(job, lane.extract.prompt, lane.extract.reply),
            "chunks": len(readings),
            "reused": sum(reading.reused for reading in readings),
            "attempts": sum(reading.attempts for reading in readings),
        },
        "findings": _counted(findings),
    }
    if lane.proposal is not None:
        fingerprint = normalize_fingerprint(lane, lane.proposal, job)
        manifest["normalize"] = {"fingerprint": fingerprint, **normalized.proposal}
        manifest["verdicts"] = {
            "count": len(job.verdicts),
            "digest": digest([judgement.meaning() for judgement in job.verdicts]),
        }
    return manifest


def _counted(findings: Sequence[Finding]) -> Mapping[str, int]:
    return dict(Counter(finding.code.value for finding in findings))
