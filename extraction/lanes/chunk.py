"""Cut a document into contiguous chunks, one extraction call each."""

from __future__ import annotations

from dataclasses import dataclass

from extraction.canonical import JsonValue
from extraction.source.documents import SourceUnit
from extraction.source.index import DocumentIndex

CHUNK_CONTEXT = 4
"""Units on each side that a model reads but cannot cite: who is speaking with whom does not stop at a border."""


@dataclass(frozen=True, slots=True)
class ChunkLimits:
    """The most units and the most words that one extraction call gets, from the profile."""

    units: int
    words: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """Positions `start` to `end`, both included. A scene chunk also has a title and a primary mode.

    No prompt shows title or mode, so they are no part of what a stored answer is known by.
    """

    number: int
    start: int
    end: int
    title: str | None = None
    primary_mode: str | None = None

    def as_json(self) -> dict[str, JsonValue]:
        return {"start": self.start, "end": self.end}


def by_size(index: DocumentIndex, limits: ChunkLimits) -> tuple[Chunk, ...]:
    """Return chunks that partition the document, each within both limits as far as whole units allow."""
    chunks: list[Chunk] = []
    start = words = 0
    for position, unit in enumerate(index.document.units):
        size = len(unit.text.split())
        if position > start and (position - start >= limits.units or words + size > limits.words):
            chunks.append(Chunk(len(chunks), start, position - 1))
            start, words = position, 0
        words += size
    if len(index):
        chunks.append(Chunk(len(chunks), start, len(index) - 1))
    return tuple(chunks)


def lead_in_material(index: DocumentIndex, chunk: Chunk, units: int) -> dict[str, JsonValue]:
    """Return what came before the chunk's context, so that both together go back `units` units; never evidence.

    It is for tasks that need to know what was going on.
    """
    end = chunk.start - CHUNK_CONTEXT
    before = index.between(max(0, chunk.start - units), end - 1) if end > 0 else ()
    return {"before": [unit_material(unit) for unit in before], "after": []}


def unit_material(unit: SourceUnit) -> dict[str, JsonValue]:
    """Return what a model is shown of a unit."""
    return {"unit_id": unit.unit_id, "speaker": unit.speaker, "text": unit.text}


def transcript_material(index: DocumentIndex, chunk: Chunk) -> list[JsonValue]:
    """Return the chunk's own units: what may be cited."""
    return [unit_material(unit) for unit in index.between(chunk.start, chunk.end)]


def context_material(index: DocumentIndex, chunk: Chunk, radius: int = CHUNK_CONTEXT) -> dict[str, JsonValue]:
    """Return the units just before and after the chunk: readable, never evidence."""
    before = index.between(max(0, chunk.start - radius), chunk.start - 1) if chunk.start else ()
    after = index.between(chunk.end + 1, chunk.end + radius)
    return {"before": [unit_material(unit) for unit in before], "after": [unit_material(unit) for unit in after]}
