"""One structured call of a lane: render, ask, decode into the private reply type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from extraction.canonical import JsonValue, digest
from extraction.codes import Code
from extraction.errors import InvalidCompletion
from extraction.lanes.job import LaneJob
from extraction.lanes.lane import Materials
from extraction.llm.boundary import ExchangeSink, StructuredRequest
from extraction.llm.schema import narrow, response_schema
from extraction.prompts.render import render

Reply = TypeVar("Reply", bound=BaseModel)


def prepare(
    job: LaneJob,
    prompt_id: str,
    reply: type[BaseModel],
    materials: Materials,
    unit_ids: Sequence[int] | None = None,
) -> StructuredRequest:
    """Return the request as it would be sent; PromptError where materials and prompt do not fit.

    `unit_ids` become an enum in the schema where the profile asks for it.
    """
    prompt = job.catalog[prompt_id]
    schema = narrow(
        response_schema(reply),
        unit_ids=unit_ids if job.profile.unit_id_enum else None,
        max_records=job.profile.max_records,
    )
    return StructuredRequest(prompt_id, render(prompt, materials).messages, prompt.response, schema, materials)


def ask(job: LaneJob, request: StructuredRequest, reply: type[Reply], record: ExchangeSink) -> Reply:
    """Return the decoded reply; InvalidCompletion where it is none, the boundary's other errors as they come."""
    return parse(reply, job.client.complete(request, record).data)


def parse(reply: type[Reply], data: JsonValue) -> Reply:
    """Return the data as the private reply type.

    Raises InvalidCompletion where it does not fit: a narrowed schema is looser than the type only by a bug or where
    a provider ignored it.
    """
    try:
        return reply.model_validate(data, strict=True)
    except ValidationError as error:
        raise InvalidCompletion(
            f"The reply breaks its schema in {error.error_count()} places.", code=Code.LLM_SCHEMA_MISMATCH
        ) from None


def prompt_identity(job: LaneJob, prompt_id: str, reply: type[BaseModel]) -> Mapping[str, JsonValue]:
    """Return prompt and private schema by digest, for manifests and fingerprints."""
    return {
        "id": prompt_id,
        "digest": job.catalog[prompt_id].digest,
        "reply": digest(response_schema(reply)),
    }
