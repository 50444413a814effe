"""CRD3: turns with several names, utterances in fragments, and a number from 0 (`unit_id` = number + 1).

Two shapes are in the world: the cleaned file `{"METADATA", "TURNS"}`, and the aligned list `[{"CHUNK", "TURNS"}, …]`,
in which a turn at the border of two chunks stands in both. Such a repeat is kept once and counted as skipped; one
number with two different contents is an error, because nobody can tell which was said.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from extraction.codes import Code
from extraction.errors import IngestError
from extraction.ingest.json_text import ParsedJson, describe, faulty_field
from extraction.ingest.limits import MAX_INTEGER, Limits
from extraction.ingest.transcript import Format, ReadTranscript, TranscriptBuilder
from extraction.ingest.wording import one_line

NAME_JOINER = " & "


class _Turn(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)

    names: list[str] = Field(alias="NAMES")
    utterances: list[str] = Field(alias="UTTERANCES")
    number: Annotated[int, Field(alias="NUMBER", ge=0, lt=MAX_INTEGER)]


def is_crd3(parsed: ParsedJson) -> bool:
    if isinstance(parsed, list):
        return bool(parsed) and isinstance(parsed[0], dict) and "TURNS" in parsed[0]
    return isinstance(parsed, dict) and "TURNS" in parsed


def read_crd3(parsed: ParsedJson, encoding: str, limits: Limits) -> ReadTranscript:
    """Return the transcript, turns in file order; IngestError names the first turn that is wrong, counted from 1."""
    builder = TranscriptBuilder(Format.CRD3, limits, place="item")
    seen: dict[int, tuple[str, str]] = {}
    for at, item in enumerate(_turns(parsed), start=1):
        turn = _turn(item, at)
        speaker = NAME_JOINER.join(name for name in map(one_line, turn.names) if name)
        content = (speaker, one_line(" ".join(turn.utterances)))
        if turn.number not in seen:
            seen[turn.number] = content
            builder.add(at, speaker, content[1], unit_id=turn.number + 1)
        elif seen[turn.number] == content:
            builder.skip(at)
        else:
            raise IngestError(
                f"Turn {at} repeats the number {turn.number} with another content.", code=Code.INGEST_UNIT_ID
            )
    return builder.finish(encoding)


def _turns(parsed: ParsedJson) -> Iterator[ParsedJson]:
    for at, chunk in enumerate(parsed if isinstance(parsed, list) else [parsed], start=1):
        turns = chunk.get("TURNS") if isinstance(chunk, dict) else None
        if not isinstance(turns, list):
            raise IngestError(f"Part {at} of the file has no list `TURNS`.", code=Code.INGEST_MALFORMED)
        yield from turns


def _turn(item: ParsedJson, at: int) -> _Turn:
    try:
        return _Turn.model_validate(item)
    except ValidationError as error:
        code = Code.INGEST_UNIT_ID if faulty_field(error) == "NUMBER" else Code.INGEST_MALFORMED
        raise IngestError(describe(error, f"Turn {at}"), code=code) from None
