"""What a lane would ask if it ran now, without asking: an estimate for people who pay for it."""

from __future__ import annotations

from dataclasses import dataclass

from extraction.lanes.extract import unanswered
from extraction.lanes.job import LaneJob
from extraction.lanes.lane import AnyLane
from extraction.lanes.ports import CheckpointStore, LanePorts
from extraction.lanes.run import chunks_of, document_scope
from extraction.prompts.render import estimated_tokens, render

# The question which names are one quotes the lines around each name, a quarter to a half of a transcript.
MERGE_SHARE = 0.4


@dataclass(frozen=True, slots=True)
class Expected:
    """`kept` chunks are answered by checkpoints. Calls are without retries; tokens are estimated as bytes / 3."""

    chunks: int
    kept: int
    calls: int
    prompt_tokens: int


def expected(lane: AnyLane, job: LaneJob, checkpoints: CheckpointStore) -> Expected:
    """Return what the lane would ask about the job's document.

    A lane that proposes merges asks once more where any chunk is asked anew; how much that question quotes is known
    only then, and is estimated from the document, up to the profile's input budget.
    """
    scope = document_scope(job)
    chunks = chunks_of(lane, job, scope)
    asked = unanswered(lane, job, scope, chunks, LanePorts(checkpoints=checkpoints))
    prompt = job.catalog[lane.extract.prompt]
    tokens = sum(estimated_tokens(render(prompt, materials).messages) for materials in asked)
    merges = int(lane.proposal is not None and bool(asked))
    said = sum(len(unit.text.encode()) for unit in job.document.units) // 3
    tokens += merges * min(job.profile.input_budget, round(said * MERGE_SHARE))
    return Expected(len(chunks), len(chunks) - len(asked), len(asked) + merges, tokens)
