"""One structured call of a lane: render, ask, decode into the private reply type."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from extraction.canonical import JsonValue, digest
from extraction.codes import Code
from extraction.errors import InvalidCompletion
from extraction.lanes.job import LaneJob
from extraction.lanes.lane import Materials
from extraction.llm.boundary import ExchangeSink, StructuredRequest, never_stopped
from extraction.llm.profiles import SchemaLayout
from extraction.llm.schema import Schema, narrow, response_schema
from extraction.prompts.catalog import Catalog
from extraction.prompts.render import RENDER_POLICY, render

Reply = TypeVar("Reply", bound=BaseModel)
ENVELOPE = "answers"


@dataclass(frozen=True, slots=True)
class PreparedCall:
    """A request, and the place in the reply where the answer stands: None where the reply is the answer."""

    request: StructuredRequest
    place: str | None

    def complete(self, job: LaneJob, record: ExchangeSink) -> JsonValue:
        """Return the answer's decoded JSON; InvalidCompletion where there is none in its place."""
        data = job.client.complete(self.request, record).data
        if self.place is None:
            return data
        answer = data.get(self.place) if isinstance(data, Mapping) else None
        if answer is None:
            raise InvalidCompletion("The reply has nothing in the place of this task.", code=Code.LLM_SCHEMA_MISMATCH)
        return answer


def prepare(
    job: LaneJob,
    prompt_id: str,
    reply: type[BaseModel],
    materials: Materials,
    unit_ids: Sequence[int] | None = None,
    stopped: Callable[[], bool] = never_stopped,
) -> PreparedCall:
    """Return the request as it would be sent; PromptError where materials and prompt do not fit.

    `unit_ids` are those of the passage: they become an enum in the schema, and lists are bounded, where the profile
    asks for it. Without them the reply selects from what it was given, and is not narrowed.
    """
    prompt = job.catalog[prompt_id]
    shared = _shares_schema(job, prompt_id)
    schema = narrow(
        _shared_schema(job.catalog, job.envelope) if shared else _schema(reply),
        unit_ids=unit_ids if job.profile.unit_id_enum else None,
        max_records=job.profile.max_records if unit_ids is not None else None,
    )
    messages = render(prompt, materials).messages
    name = ENVELOPE if shared else prompt.response
    request = StructuredRequest(prompt_id, messages, name, schema, materials, stopped)
    return PreparedCall(request, prompt.response if shared else None)


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
    envelope = job.envelope if _shares_schema(job, prompt_id) else {}
    return identity_of(job.catalog, prompt_id, reply, envelope)


def identity_of(
    catalog: Catalog, prompt_id: str, reply: type[BaseModel], envelope: Mapping[str, type[BaseModel]]
) -> Mapping[str, JsonValue]:
    """Return a prompt and its reply's schema by digest; a reply of the envelope has the envelope's schema."""
    schema = _shared_schema(catalog, envelope) if prompt_id in envelope else _schema(reply)
    return {"id": prompt_id, "digest": catalog[prompt_id].digest, "render": RENDER_POLICY, "reply": digest(schema)}


def _shares_schema(job: LaneJob, prompt_id: str) -> bool:
    return job.profile.schema_layout is SchemaLayout.ENVELOPE and prompt_id in job.envelope


def _shared_schema(catalog: Catalog, envelope: Mapping[str, type[BaseModel]]) -> Schema:
    return _envelope_schema(tuple((catalog[prompt_id].response, reply) for prompt_id, reply in envelope.items()))


@lru_cache(maxsize=64)
def _schema(reply: type[BaseModel]) -> Schema:
    return response_schema(reply)


@lru_cache(maxsize=8)
def _envelope_schema(places: tuple[tuple[str, type[BaseModel]], ...]) -> Schema:
    """Return one closed schema in which every task has a place that may be null."""
    return {
        "type": "object",
        "properties": {name: {"anyOf": [_schema(reply), {"type": "null"}]} for name, reply in places},
        "required": [name for name, _ in places],
        "additionalProperties": False,
    }
