"""Short ways to read a text and to look at what came of it."""

from __future__ import annotations

from extraction.codes import Code
from extraction.ingest import Format, ReadTranscript, read_transcript

Row = tuple[str | None, str]


def read(text: str, format: Format | None = None) -> ReadTranscript:
    return read_transcript(text.encode(), format=format)


def rows(transcript: ReadTranscript) -> list[Row]:
    return [(unit.speaker, unit.text) for unit in transcript.units]


def times(transcript: ReadTranscript) -> list[tuple[int | None, int | None]]:
    return [(unit.start_ms, unit.end_ms) for unit in transcript.units]


def skipped_at(transcript: ReadTranscript) -> list[int]:
    assert {skipped.code for skipped in transcript.skipped} <= {Code.INGEST_SKIPPED}
    return [skipped.at for skipped in transcript.skipped]
