"""Chunks along the scenes of the session, where there are any."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import TypeAdapter

from extraction.dnd.artifacts.scenes import SceneModel
from extraction.framework import Chunk, ChunkLimits, DocumentIndex, Scope, Slot, by_size

SCENES_SLOT = "scenes"
SCENES = Slot("dnd/scenes")
_SCENES = TypeAdapter(list[SceneModel])


def by_scene(scope: Scope, limits: ChunkLimits) -> tuple[Chunk, ...]:
    """Return chunks that partition the document along its scenes, the deterministic chunks where none are bound.

    A scene over the limits is cut, at a change of speaker where one is near. A mode never leaves a chunk out.
    """
    bound = scope.references.get(SCENES_SLOT)
    if bound is None:
        return by_size(scope.index, limits)
    chunks: list[Chunk] = []
    for scene in _SCENES.validate_python(bound.payload["scenes"]):
        start, end = scope.index.position(scene.start_unit_id), scope.index.position(scene.end_unit_id)
        for first, last in cut(scope.index, start, end, limits):
            chunks.append(Chunk(len(chunks), first, last, scene.title, scene.primary_mode))
    return tuple(chunks)


def cut(index: DocumentIndex, start: int, end: int, limits: ChunkLimits) -> Iterator[tuple[int, int]]:
    """Yield position ranges that partition `start` to `end`, each within the limits as far as whole units allow.

    A cut falls at the last change of speaker in the second half of what would fit, else where the limit is reached.
    """
    while start <= end:
        last = _last_that_fits(index, start, end, limits)
        if last < end:
            last = _speaker_change(index, start, last)
        yield start, last
        start = last + 1


def _last_that_fits(index: DocumentIndex, start: int, end: int, limits: ChunkLimits) -> int:
    words = 0
    for position in range(start, end + 1):
        words += len(index.unit_at(position).text.split())
        if position > start and (position - start >= limits.units or words > limits.words):
            return position - 1
    return end


def _speaker_change(index: DocumentIndex, start: int, last: int) -> int:
    for position in range(last, start + (last - start) // 2, -1):
        if index.unit_at(position).speaker != index.unit_at(position + 1).speaker:
            return position
    return last
