"""Chunks along the scenes of the session, where there are any."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import TypeAdapter

from extraction.dnd.artifacts.scenes import SceneModel
from extraction.framework import (
    Chunk,
    ChunkLimits,
    Code,
    DocumentIndex,
    Finding,
    Scope,
    Slot,
    by_size,
    rejection,
)

SCENES_SLOT = "scenes"
_SCENES = TypeAdapter(list[SceneModel])


def by_scene(scope: Scope, limits: ChunkLimits) -> tuple[Chunk, ...]:
    """Return chunks that partition the document along its scenes, the deterministic chunks where none are bound.

    Whole scenes that follow each other share a chunk as long as they fit: each call carries the same instructions,
    so a call for every short scene would say them over and over. A scene over the limits is cut, at a change of
    speaker where one is near. A mode never leaves a chunk out. A chunk has title and mode where it is one scene's.
    """
    bound = scope.references.get(SCENES_SLOT)
    if bound is None:
        return by_size(scope.index, limits)
    pieces: list[Chunk] = []
    for scene in _SCENES.validate_python(bound.payload["scenes"]):
        start, end = scope.index.position(scene.start_unit_id), scope.index.position(scene.end_unit_id)
        for first, last in cut(scope.index, start, end, limits):
            piece = Chunk(len(pieces), first, last, scene.title, scene.primary_mode)
            if pieces and (joined := _joined(scope.index, pieces[-1], piece, limits)) is not None:
                pieces[-1] = joined
            else:
                pieces.append(piece)
    return tuple(pieces)


def _joined(index: DocumentIndex, before: Chunk, after: Chunk, limits: ChunkLimits) -> Chunk | None:
    """Return both as one chunk, None where they do not fit together."""
    units = index.between(before.start, after.end)
    if len(units) > limits.units or sum(len(unit.text.split()) for unit in units) > limits.words:
        return None
    return Chunk(before.number, before.start, after.end)


def check_scenes(scope: Scope) -> list[Finding]:
    """Return a rejection where the bound scenes are not a partition of this document."""
    bound = scope.references.get(SCENES_SLOT)
    if bound is None:
        return []
    scenes = _SCENES.validate_python(bound.payload["scenes"])
    if is_partition(scope.index, [(scene.start_unit_id, scene.end_unit_id) for scene in scenes]):
        return []
    return [rejection(Code.SCENES_NOT_A_PARTITION, scenes=len(scenes))]


def is_partition(index: DocumentIndex, ranges: Sequence[tuple[int, int]]) -> bool:
    """Return whether the unit id ranges cover every unit of the document exactly once, in order."""
    following = 0
    for start_unit_id, end_unit_id in ranges:
        start, end = index.find(start_unit_id), index.find(end_unit_id)
        if start != following or end is None or end < start:
            return False
        following = end + 1
    return following == len(index)


SCENES = Slot("dnd/scenes", check=check_scenes, only_cuts=True)


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
