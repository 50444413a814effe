"""Notarius JSON, the project's own exchange format: ids, times and line breaks come back as they were written.

    {"schema": "notarius.transcript.v1", "title": str or null,
     "units": [{"unit_id", "speaker", "text", "start_ms", "end_ms"}]}

File order is document order; ids are names and may fall, jump and leave gaps.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from extraction.codes import Code
from extraction.errors import IngestError
from extraction.ingest.json_text import ParsedJson, describe, faulty_field
from extraction.ingest.limits import MAX_INTEGER, Limits
from extraction.ingest.transcript import Format, ReadTranscript, TranscriptBuilder

SCHEMA = "notarius.transcript.v1"

_Time = Annotated[int, Field(ge=0, le=MAX_INTEGER)] | None
_CODE_OF_FIELD = {"unit_id": Code.INGEST_UNIT_ID, "start_ms": Code.INGEST_TIMES, "end_ms": Code.INGEST_TIMES}


class _Envelope(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    schema_: str = Field(alias="schema")
    title: str | None = None
    units: list[object]


class _Unit(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    unit_id: Annotated[int, Field(ge=1, le=MAX_INTEGER)]
    speaker: str | None = None
    text: str
    start_ms: _Time = None
    end_ms: _Time = None


def is_notarius_json(parsed: ParsedJson) -> bool:
    return isinstance(parsed, dict) and ("units" in parsed or str(parsed.get("schema", "")).startswith("notarius."))


def read_notarius_json(parsed: ParsedJson, encoding: str, limits: Limits) -> ReadTranscript:
    """Return the transcript; IngestError names the first item that is wrong."""
    if not isinstance(parsed, dict) or parsed.get("schema") != SCHEMA:
        raise IngestError(f'The field `schema` must be "{SCHEMA}".', code=Code.INGEST_MALFORMED)
    try:
        envelope = _Envelope.model_validate(parsed)
    except ValidationError as error:
        raise IngestError(describe(error, "The transcript"), code=Code.INGEST_MALFORMED) from None
    builder = TranscriptBuilder(Format.NOTARIUS_JSON, limits, place="item")
    builder.title = envelope.title
    for at, item in enumerate(envelope.units, start=1):
        unit = _unit(item, at)
        builder.add(at, unit.speaker, unit.text, unit_id=unit.unit_id, start_ms=unit.start_ms, end_ms=unit.end_ms)
    return builder.finish(encoding)


def _unit(item: object, at: int) -> _Unit:
    """Validate one item at a time, so that a file of nothing but faults costs one fault."""
    try:
        return _Unit.model_validate(item)
    except ValidationError as error:
        code = _CODE_OF_FIELD.get(faulty_field(error), Code.INGEST_MALFORMED)
        raise IngestError(describe(error, f"Item {at} of `units`"), code=code) from None
